// Package order_trylock holds locks taken by TryLock, which cannot block but
// can be what others block on.
package order_trylock

import "sync"

type A struct{ mu sync.Mutex }

type B struct{ mu sync.Mutex }

// Silent: the second lock is only tried.
func (a *A) Try(b *B) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if b.mu.TryLock() {
		b.mu.Unlock()
	}
}

// Silent: the only order in which one waits for the other.
func (b *B) Both(a *A) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
}

type C struct{ mu sync.Mutex }

type D struct{ mu sync.Mutex }

// A lock got by TryLock is held like any other.
func (c *C) Try(d *D) bool {
	if !c.mu.TryLock() {
		return false
	}
	defer c.mu.Unlock()
	d.mu.Lock() // want `lock order inversion: order_trylock\.D\.mu acquired while order_trylock\.C\.mu is held`
	defer d.mu.Unlock()
	return true
}

func (d *D) Both(c *C) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
}

type E struct{ mu sync.Mutex }

type F struct{ mu sync.Mutex }

// Silent: where E is locked below, TryLock has failed and nothing is held.
func (f *F) Maybe(e *E) {
	if f.mu.TryLock() {
		f.mu.Unlock()
		return
	}
	e.mu.Lock()
	e.mu.Unlock()
}

// Silent: E, then F, and nowhere F, then E.
func (e *E) Both(f *F) {
	e.mu.Lock()
	f.mu.Lock()
	f.mu.Unlock()
	e.mu.Unlock()
}

type G struct{ mu sync.Mutex }

type H struct{ mu sync.Mutex }

func (g *G) tryLock() bool { return g.mu.TryLock() }

// A wrapper of TryLock: its lock is held where it said so.
func (g *G) Try(h *H) {
	if g.tryLock() {
		h.mu.Lock() // want `lock order inversion: order_trylock\.H\.mu acquired while order_trylock\.G\.mu is held`
		h.mu.Unlock()
		g.mu.Unlock()
	}
}

func (h *H) Both(g *G) {
	h.mu.Lock()
	g.mu.Lock()
	g.mu.Unlock()
	h.mu.Unlock()
}

type I struct {
	mu sync.Mutex
	n  int
}

// Silent: not recursive, TryLock fails at once.
func (i *I) Again() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.mu.TryLock() {
		i.mu.Unlock()
	}
}

type J struct{ mu sync.RWMutex }

type K struct{ mu sync.Mutex }

// Silent: TryRLock does not block either.
func (k *K) Try(j *J) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if j.mu.TryRLock() {
		j.mu.RUnlock()
	}
}

// Silent: the only blocking order.
func (j *J) Both(k *K) {
	j.mu.Lock()
	defer j.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
}
