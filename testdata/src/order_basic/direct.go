// Package order_basic holds two-lock inversions between plain mutexes, with
// nothing between the functions and their locks but calls.
package order_basic

import "sync"

type A struct{ mu sync.Mutex }

type B struct{ mu sync.Mutex }

func (a *A) Push(b *B) {
	a.mu.Lock()
	b.mu.Lock() // want `lock order inversion: order_basic\.B\.mu acquired while order_basic\.A\.mu is held, but .*direct\.go:20:\d+ acquires them in the opposite order \[lockorder/inversion LV-[0-9a-f]{8}\]`
	b.mu.Unlock()
	a.mu.Unlock()
}

func (b *B) Pull(a *A) {
	b.mu.Lock()
	a.mu.Lock()
	a.mu.Unlock()
	b.mu.Unlock()
}

type C struct{ mu sync.Mutex }

type D struct{ mu sync.Mutex }

// Silent: both functions take C before D.
func (c *C) Push(d *D) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
}

// Silent: the same order as Push.
func (d *D) Pull(c *C) {
	c.mu.Lock()
	d.mu.Lock()
	d.mu.Unlock()
	c.mu.Unlock()
}

type E struct{ mu sync.Mutex }

type F struct{ mu sync.Mutex }

// Silent: E is released before F is taken.
func (e *E) Push(f *F) {
	e.mu.Lock()
	e.mu.Unlock()
	f.mu.Lock()
	f.mu.Unlock()
}

// Silent: the only place where the two are held together.
func (f *F) Pull(e *E) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
}
