// Package order_rangefunc holds locks around and inside range-over-func loops.
package order_rangefunc

import (
	"iter"
	"sync"
)

type A struct {
	mu sync.Mutex
	xs []int
}

type B struct {
	mu sync.Mutex
	n  int
}

// All yields with A.mu held.
func (a *A) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, x := range a.xs {
			if !yield(x) { // want `lock order inversion: order_rangefunc\.B\.mu acquired while order_rangefunc\.A\.mu is held`
				return
			}
		}
	}
}

// The body of the loop runs under the iterator's lock.
func (b *B) Sum(a *A) {
	for x := range a.All() {
		b.mu.Lock()
		b.n += x
		b.mu.Unlock()
	}
}

func (b *B) Reset(a *A) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a.clear()
}

func (a *A) clear() {
	a.mu.Lock()
	a.xs = nil
	a.mu.Unlock()
}

type C struct {
	mu sync.Mutex
	n  int
}

type D struct {
	mu sync.Mutex
	n  int
}

func upTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// Silent: the unlock before the return inside the loop belongs to this
// function.
func (c *C) Find(d *D, x int) bool {
	c.mu.Lock()
	for i := range upTo(c.n) {
		if i == x {
			c.mu.Unlock()
			return true
		}
	}
	c.mu.Unlock()
	d.mu.Lock()
	d.n++
	d.mu.Unlock()
	return false
}

// Silent: the only place where both are held.
func (d *D) Find(c *C) {
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

// The lock of the outer function is held in the loop's body.
func (f *F) Each(e *E) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range upTo(f.n) {
		e.mu.Lock()
		e.n += i
		e.mu.Unlock()
	}
}

func (e *E) Each(f *F) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f.mu.Lock() // want `lock order inversion: order_rangefunc\.F\.mu acquired while order_rangefunc\.E\.mu is held`
	defer f.mu.Unlock()
}
