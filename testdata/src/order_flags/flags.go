// Package order_flags holds locks that are taken and released under one
// condition, and helpers that lock only if a parameter says so.
package order_flags

import "sync"

var debug bool

type A struct {
	mu sync.Mutex
	n  int
}

type B struct {
	mu sync.Mutex
	n  int
}

// Silent: A is released under the condition under which it was taken.
func (a *A) Work(b *B, locked bool) {
	if locked {
		a.mu.Lock()
	}
	a.n++
	if locked {
		a.mu.Unlock()
	}
	b.mu.Lock()
	b.n++
	b.mu.Unlock()
}

// Silent: the only place where both are held.
func (b *B) Work(a *A) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
}

type C struct {
	mu sync.Mutex
	n  int
}

// Silent: needLock is false where the caller holds the lock.
func (c *C) Get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.get(false)
}

// Silent: needLock is true where it does not.
func (c *C) Peek() int { return c.get(true) }

func (c *C) get(needLock bool) int {
	if needLock {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	return c.n
}

type D struct {
	mu sync.Mutex
	n  int
}

// The same with the wrong constant.
func (d *D) Get() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.get(true) // want `recursive lock: order_flags\.D\.mu is already held by this goroutine`
}

func (d *D) Peek() int { return d.get(true) }

func (d *D) Held() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.get(false)
}

func (d *D) get(needLock bool) int {
	if needLock {
		d.mu.Lock()
		defer d.mu.Unlock()
	}
	return d.n
}

type E struct {
	mu sync.Mutex
	n  int
}

type F struct {
	mu sync.Mutex
	n  int
}

// Silent: the condition is a conjunction, the same at both ends.
func (e *E) Work(f *F, on, needLock bool) {
	if on && needLock {
		e.mu.Lock()
	}
	e.n++
	if on && needLock {
		e.mu.Unlock()
	}
	f.mu.Lock()
	f.n++
	f.mu.Unlock()
}

// Silent: the only place where both are held.
func (f *F) Work(e *E) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
}

type G struct {
	mu sync.Mutex
	n  int
}

type H struct {
	mu sync.Mutex
	n  int
}

// Silent: the closure tests a captured flag that is never assigned again.
func (g *G) Work(h *H, locked bool) {
	unlock := func() {
		if locked {
			g.mu.Unlock()
		}
	}
	if locked {
		g.mu.Lock()
	}
	g.n++
	unlock()
	h.mu.Lock()
	h.n++
	h.mu.Unlock()
}

// Silent: the only place where both are held.
func (h *H) Work(g *G) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
}

type I struct {
	mu sync.Mutex
	n  int
}

type J struct {
	mu sync.Mutex
	n  int
}

// Silent: done says that the lock has been given up.
func (i *I) Work(j *J, xs []int) {
	done := false
	i.mu.Lock()
	for _, x := range xs {
		if x == 0 {
			i.mu.Unlock()
			done = true
			break
		}
		i.n += x
	}
	if done {
		j.mu.Lock()
		j.n++
		j.mu.Unlock()
		return
	}
	i.mu.Unlock()
}

// Silent: the only place where both are held.
func (j *J) Work(i *I) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i.mu.Lock()
	defer i.mu.Unlock()
}

type K struct {
	mu sync.Mutex
	n  int
}

type L struct {
	mu sync.Mutex
	n  int
}

// The flag is right, but L is taken before the lock it controls is given up.
func (k *K) Work(l *L, locked bool) {
	if locked {
		k.mu.Lock()
	}
	l.mu.Lock() // want `lock order inversion: order_flags\.L\.mu acquired while order_flags\.K\.mu is held`
	l.n++
	l.mu.Unlock()
	if locked {
		k.mu.Unlock()
	}
}

func (l *L) Work(k *K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
}

// A small constant instead of a bool.
type mode int

const (
	lockIt mode = iota
	isLocked
)

type M struct {
	mu sync.Mutex
	n  int
}

func (m *M) add(how mode) {
	if how == lockIt {
		m.mu.Lock()
		defer m.mu.Unlock()
	}
	m.n++
}

// Silent: the callee is told that the lock is held.
func (m *M) AddTwo() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(isLocked)
	m.add(isLocked)
}

// Silent: the callee is told to lock, and nothing is held.
func (m *M) AddOne() { m.add(lockIt) }

type N struct {
	mu sync.Mutex
	n  int
}

// Silent: a package variable that nothing in the program changes in between.
func (n *N) Debug() {
	if debug {
		n.mu.Lock()
	}
	n.n++
	if debug {
		n.mu.Unlock()
	}
	n.Log()
}

// Silent: called by Debug with nothing held.
func (n *N) Log() {
	n.mu.Lock()
	defer n.mu.Unlock()
}

type O struct {
	mu sync.Mutex
	n  int
}

// The parameter is passed on through another function.
func (o *O) Purge() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.purge(true) // want `recursive lock: order_flags\.O\.mu is already held by this goroutine`
}

func (o *O) purge(lock bool) { o.name(lock) }

func (o *O) name(lock bool) int {
	if lock {
		o.mu.Lock()
		defer o.mu.Unlock()
	}
	return o.n
}

func (o *O) Clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.purge(false)
}
