// Package order_closure holds inversions whose second lock is taken in a
// function value that another function runs under its own lock.
package order_closure

import "sync"

type Buffer struct {
	mu    sync.Mutex
	items []int
}

func (b *Buffer) executeAndPut(f func() bool, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f() { // want `lock order inversion: order_closure\.Transport\.mu acquired while order_closure\.Buffer\.mu is held, but .*closure\.go:\d+:\d+`
		b.items = append(b.items, n)
	}
}

func (b *Buffer) Put(n int) {
	b.executeAndPut(func() bool { return true }, n)
}

type Transport struct {
	mu     sync.Mutex
	closed bool
	buf    *Buffer
}

func (t *Transport) NewStream() {
	check := func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		return !t.closed
	}
	t.buf.executeAndPut(func() bool { return check() }, 1)
}

func (t *Transport) GoAway() {
	t.mu.Lock()
	t.closed = true
	t.buf.Put(0)
	t.mu.Unlock()
}

type Hooked struct {
	mu      sync.Mutex
	onClose func()
}

type Manager struct {
	mu   sync.Mutex
	open map[*Hooked]bool
}

func NewHooked(m *Manager) *Hooked {
	h := &Hooked{}
	h.onClose = func() {
		m.mu.Lock()
		delete(m.open, h)
		m.mu.Unlock()
	}
	return h
}

func (h *Hooked) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.onClose() // want `lock order inversion: order_closure\.Manager\.mu acquired while order_closure\.Hooked\.mu is held, but .*closure\.go:\d+:\d+`
}

func (m *Manager) CloseAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for h := range m.open {
		h.mu.Lock()
		h.mu.Unlock()
	}
}

type Cell struct {
	mu  sync.Mutex
	val int
}

// Update runs its argument with Cell.mu held.
func (c *Cell) Update(f func(int)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.val) // want `lock order inversion: order_closure\.Sink\.mu acquired while order_closure\.Cell\.mu is held, but .*closure\.go:\d+:\d+`
}

type Sink struct {
	mu   sync.Mutex
	sum  int
	cell *Cell
}

func (s *Sink) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum += n
}

// Collect hands over a method value.
func (s *Sink) Collect() { s.cell.Update(s.add) }

func (s *Sink) Reset() {
	s.mu.Lock()
	s.cell.Set(0)
	s.mu.Unlock()
}

func (c *Cell) Set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.val = n
}
