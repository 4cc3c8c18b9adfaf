// Package order_readers holds the rules for read locks: a reader blocks behind
// a waiting writer.
package order_readers

import "sync"

// Both sides read, and both locks have writers.
type A struct {
	mu sync.RWMutex
	n  int
}

type B struct {
	mu sync.RWMutex
	n  int
}

func (a *A) Sum(b *B) int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	b.mu.RLock() // want `lock order inversion: order_readers\.B\.mu acquired while order_readers\.A\.mu is held`
	defer b.mu.RUnlock()
	return a.n + b.n
}

func (b *B) Sum(a *A) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.n + b.n
}

func (a *A) Set(n int) {
	a.mu.Lock()
	a.n = n
	a.mu.Unlock()
}

func (b *B) Set(n int) {
	b.mu.Lock()
	b.n = n
	b.mu.Unlock()
}

// One side writes: a plain inversion, with read and write mixed.
type C struct{ mu sync.RWMutex }

type D struct{ mu sync.RWMutex }

func (c *C) Read(d *D) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	d.mu.RLock() // want `lock order inversion: order_readers\.D\.mu acquired while order_readers\.C\.mu is held`
	defer d.mu.RUnlock()
}

func (d *D) Write(c *C) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
}

type E struct {
	mu sync.RWMutex
	n  int
}

type F struct {
	mu sync.RWMutex
	n  int
}

// Silent: read-read both ways, and no writer of E exists.
func (e *E) Sum(f *F) int {
	e.mu.RLock()
	defer e.mu.RUnlock()
	f.mu.RLock()
	defer f.mu.RUnlock()
	return e.n + f.n
}

// Silent: see E.Sum.
func (f *F) Sum(e *E) int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.n + f.n
}

// Silent: the only writer of the two.
func (f *F) Set(n int) {
	f.mu.Lock()
	f.n = n
	f.mu.Unlock()
}

type G struct{ mu sync.RWMutex }

type H struct{ mu sync.Mutex }

// Silent: G is only ever read-locked, and readers do not block readers.
func (g *G) Look(h *H) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	h.mu.Lock()
	defer h.mu.Unlock()
}

// Silent: see G.Look.
func (h *H) Look(g *G) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g.mu.RLock()
	defer g.mu.RUnlock()
}
