// Package order_handoff holds locks that another goroutine, or a closure, gives
// up.
package order_handoff

import "sync"

type A struct {
	mu sync.Mutex
	n  int
}

type B struct {
	mu sync.Mutex
	n  int
}

// Silent: the goroutine takes the lock over, so it is not held any more when B
// is taken.
func (a *A) Exit(b *B) {
	a.mu.Lock()
	go a.exitAndUnlock()
	b.mu.Lock()
	b.n++
	b.mu.Unlock()
}

func (a *A) exitAndUnlock() {
	a.n++
	a.mu.Unlock()
}

// Silent: the only place where both are held.
func (b *B) Exit(a *A) {
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

// The goroutine that took the lock over holds it while it takes D.
func (c *C) Open(d *D) {
	c.mu.Lock()
	go func() {
		defer c.mu.Unlock()
		d.mu.Lock() // want `lock order inversion: order_handoff\.D\.mu acquired while order_handoff\.C\.mu is held`
		d.n++
		d.mu.Unlock()
	}()
}

func (d *D) Open(c *C) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
}

type E struct {
	mu sync.Mutex
	n  int
}

// Silent: begin returns with the lock held, and end gives it up.
func (e *E) begin() { e.mu.Lock() }

func (e *E) end() { e.mu.Unlock() }

func (e *E) Do() {
	e.begin()
	e.n++
	e.end()
	e.begin()
	e.n++
	e.end()
}

type tx interface {
	Begin()
	End()
}

type store struct {
	mu sync.Mutex
	n  int
}

func (s *store) Begin() { s.mu.Lock() }

func (s *store) End() { s.mu.Unlock() }

type F struct {
	mu sync.Mutex
	t  tx
}

func NewF() *F { return &F{t: &store{}} }

// Silent: Begin and End through an interface are a pair like any other.
func (f *F) Work() {
	f.t.Begin()
	f.t.End()
	f.mu.Lock()
	f.mu.Unlock()
}

// Silent: the only order of the two.
func (f *F) Under() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.t.Begin()
	f.t.End()
}

type G struct {
	mu sync.Mutex
	t  tx
}

func NewG() *G { return &G{t: &store{}} }

// Begin returns locked, through the interface.
func (g *G) Work() {
	g.t.Begin()
	g.mu.Lock()
	g.mu.Unlock()
	g.t.End()
}

func (g *G) Under(s *store) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.mu.Lock() // want `lock order inversion: order_handoff\.store\.mu acquired while order_handoff\.G\.mu is held`
	s.mu.Unlock()
}
