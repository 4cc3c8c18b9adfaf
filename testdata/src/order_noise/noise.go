// Package order_noise holds code that looks like a deadlock and is none: what
// misled another analyzer on large servers.
package order_noise

import (
	"log"
	"os"
	"sync"
)

type client struct {
	mu  sync.Mutex
	n   int
	acc *account
}

type subscription struct {
	client *client
}

type account struct {
	mu   sync.Mutex
	subs []*subscription
	c    *client
}

// Silent: the lock and its unlock go through a path that is read again.
func (s *subscription) Deliver() {
	s.client.mu.Lock()
	s.client.n++
	s.client.mu.Unlock()
	s.client.acc.count()
}

func (a *account) count() {
	a.mu.Lock()
	defer a.mu.Unlock()
}

// Silent: the only place where both are held.
func (a *account) Kick() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.c.mu.Lock()
	a.c.mu.Unlock()
}

type table struct {
	locks [4]sync.Mutex
	mu    sync.Mutex
	n     [4]int
}

type Table struct{ t *table }

// Silent: the indexed lock is released by the same index.
func (t *Table) Put(i int) {
	t.t.locks[i&3].Lock()
	t.t.n[i&3]++
	t.t.locks[i&3].Unlock()
	t.t.mu.Lock()
	t.t.mu.Unlock()
}

// Silent: the only place where both kinds are held.
func (t *Table) Sum() (n int) {
	t.t.mu.Lock()
	defer t.t.mu.Unlock()
	for i := range t.t.locks {
		t.t.locks[i].Lock()
		n += t.t.n[i]
		t.t.locks[i].Unlock()
	}
	return n
}

type A struct {
	mu sync.Mutex
	n  int
}

type B struct {
	mu sync.Mutex
	n  int
}

// lockIf returns with the lock held at only some of its exits, and nothing
// tells them apart: it is no net acquire.
func (a *A) lockIf() {
	if a.n > 0 {
		return
	}
	a.mu.Lock()
}

func (a *A) unlockIf() {
	if a.n > 0 {
		return
	}
	a.mu.Unlock()
}

// Silent: exits of lockIf disagree.
func (a *A) Work(b *B) {
	a.lockIf()
	b.inc()
	a.unlockIf()
}

func (b *B) inc() {
	b.mu.Lock()
	b.n++
	b.mu.Unlock()
}

// Silent: the only order that is certain.
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

type D struct {
	mu sync.Mutex
	n  int
}

func (c *C) get() (ok bool) {
	c.mu.Lock()
	if c.n == 0 {
		c.mu.Unlock()
		return false
	}
	return true
}

// The result tells the exits apart: true means locked.
func (c *C) Work(d *D) {
	if c.get() {
		d.inc() // want `lock order inversion: order_noise\.D\.mu acquired while order_noise\.C\.mu is held`
		c.mu.Unlock()
	}
}

func (d *D) inc() {
	d.mu.Lock()
	d.n++
	d.mu.Unlock()
}

func (d *D) Work(c *C) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
}

type E struct {
	mu sync.Mutex
	n  int
}

type F struct {
	mu sync.Mutex
	n  int
}

func (e *E) open() error {
	e.mu.Lock()
	if e.n < 0 {
		e.mu.Unlock()
		return os.ErrClosed
	}
	return nil
}

// Silent: where open fails, nothing is held.
func (e *E) Work(f *F) {
	if err := e.open(); err != nil {
		f.mu.Lock()
		f.n++
		f.mu.Unlock()
		return
	}
	e.mu.Unlock()
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

// Silent: log.Fatal and os.Exit do not return, so nothing is locked twice.
func (g *G) Must(n int) {
	g.mu.Lock()
	switch {
	case n < 0:
		log.Fatal("negative")
	case n == 0:
		os.Exit(1)
	default:
		g.mu.Unlock()
	}
	g.mu.Lock()
	g.n = n
	g.mu.Unlock()
}

type H struct {
	mu    sync.Mutex
	after func()
}

type I struct {
	mu sync.Mutex
	h  H
}

// Silent: the optional callback is set on other objects only, and is tested
// before it is called.
func (h *H) Fire() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.after != nil {
		h.after()
	}
}

func NewPlain() *H { return &H{} }

func NewFancy(f func()) *H { return &H{after: f} }

// Silent: this H never has a callback.
func (i *I) Work() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.h.Fire()
}

func NewI() *I { return &I{} }

// Silent: the callback of another H takes I.mu.
func (i *I) Watch() *H {
	return NewFancy(func() {
		i.mu.Lock()
		i.mu.Unlock()
	})
}
