// Package order_generic holds locks of generic types.
package order_generic

import "sync"

type Cell[T any] struct {
	mu  sync.Mutex
	val T
}

func (c *Cell[T]) Get() T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.val
}

func (c *Cell[T]) With(f func(T)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.val)
}

type Owner struct {
	mu   sync.Mutex
	name Cell[string]
	age  Cell[int]
}

// The inversion runs through one instantiation.
func (o *Owner) Rename() {
	o.name.mu.Lock()
	defer o.name.mu.Unlock()
	o.mu.Lock() // want `lock order inversion: order_generic\.Owner\.mu acquired while order_generic\.Cell\[string\]\.mu is held`
	defer o.mu.Unlock()
}

func (o *Owner) Show() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.name.Get()
}

// Silent: Cell[int] is always taken under Owner.mu, whatever is done with
// Cell[string].
func (o *Owner) Age() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.age.Get()
}

// A generic function that locks its argument by a type parameter.
type locker interface {
	Lock()
	Unlock()
}

func hold[L locker](l L, f func()) {
	l.Lock()
	defer l.Unlock()
	f()
}

type Left struct{ mu sync.Mutex }

type Right struct{ mu sync.Mutex }

func (l *Left) Both(r *Right) {
	l.mu.Lock()
	defer l.mu.Unlock()
	brief(&r.mu) // want `lock order inversion: order_generic\.Right\.mu acquired while order_generic\.Left\.mu is held`
}

func brief[L locker](l L) {
	l.Lock()
	l.Unlock()
}

func (r *Right) Both(l *Left) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
}

type Map[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
}

func (m *Map[K, V]) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.m)
}

func (m *Map[K, V]) Put(k K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Len() < 10 { // want `recursive lock: order_generic\.Map(\[.*\])?\.mu is already held by this goroutine`
		m.m[k] = v
	}
}

type Tree[T any] struct {
	mu   sync.Mutex
	root T
}

type Names struct{ t *Tree[string] }

type Sizes struct{ t *Tree[int] }

// Silent: Tree[string], then Tree[int]: two classes in one order.
func Walk(n *Names, s *Sizes) {
	n.t.mu.Lock()
	defer n.t.mu.Unlock()
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
}

// Silent: the same order again.
func Count(n *Names, s *Sizes) {
	hold(&n.t.mu, func() {
		s.t.mu.Lock()
		s.t.mu.Unlock()
	})
}
