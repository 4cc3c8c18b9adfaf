// Package order_retake holds functions that give up a lock, call out, and take
// it again.
package order_retake

import "sync"

type A struct {
	mu sync.Mutex
	n  int
}

type B struct {
	mu sync.Mutex
	n  int
}

// Silent: A is dropped around the call that takes B.
func (a *A) Work(b *B) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	a.mu.Unlock()
	b.inc()
	a.mu.Lock()
	a.n--
}

func (b *B) inc() {
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

type D struct {
	mu sync.Mutex
	n  int
}

// Silent: the callee drops its caller's lock, and takes it again.
func (c *C) Work(d *D) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settleLocked(d)
}

func (c *C) settleLocked(d *D) {
	c.mu.Unlock()
	d.inc()
	c.mu.Lock()
}

func (d *D) inc() {
	d.mu.Lock()
	d.n++
	d.mu.Unlock()
}

// Silent: the only place where both are held.
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

// Silent: the callee gives up its caller's lock and returns without it.
func (e *E) Work(f *F) {
	e.mu.Lock()
	e.noteAndUnlock()
	f.mu.Lock()
	f.n++
	f.mu.Unlock()
}

func (e *E) noteAndUnlock() {
	e.n++
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

type H struct {
	mu sync.Mutex
	n  int
}

// Silent: unlock now, relock at return by a defer.
func (g *G) Work(h *H) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.outside(h)
}

func (g *G) outside(h *H) {
	g.mu.Unlock()
	defer g.mu.Lock()
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

type Outer struct {
	mu    sync.Mutex
	inner *Inner
}

type Inner struct {
	mu    sync.Mutex
	outer *Outer
	n     int
}

// Dropping and retaking Inner while Outer stays held takes the two in the
// wrong order: Inner waits with Outer held, here for the second time.
func (i *Inner) refresh() {
	i.mu.Unlock()
	i.n++
	i.mu.Lock()
}

func (i *Inner) Work() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.outer.mu.Lock() // want `lock order inversion: order_retake\.Outer\.mu acquired while order_retake\.Inner\.mu is held`
	defer i.outer.mu.Unlock()
	i.refresh()
}

type P struct {
	mu sync.Mutex
	n  int
}

type Q struct {
	mu sync.Mutex
	n  int
}

// The lock is taken again before the call out, not after it.
func (p *P) Work(q *Q) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.Unlock()
	p.mu.Lock()
	q.inc() // want `lock order inversion: order_retake\.Q\.mu acquired while order_retake\.P\.mu is held`
}

func (q *Q) inc() {
	q.mu.Lock()
	q.n++
	q.mu.Unlock()
}

func (q *Q) Work(p *P) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
}

type R struct {
	mu sync.Mutex
	n  int
}

// Silent: the lock is given up by the callee before it is taken again there.
func (r *R) Work() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recalculateLocked()
}

func (r *R) recalculateLocked() {
	r.mu.Unlock()
	n := r.Get()
	r.mu.Lock()
	r.n = n + 1
}

func (r *R) Get() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}
