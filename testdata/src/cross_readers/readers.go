// Package cross_readers holds waits with a read lock held.
package cross_readers

import "sync"

type A struct {
	mu   sync.RWMutex
	done chan struct{}
	n    int
}

// The signaller needs the write lock.
func NewA() *A {
	a := &A{done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.mu.Lock()
		a.n++
		a.mu.Unlock()
	}()
	return a
}

func (a *A) Wait() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	<-a.done // want `wait under lock: waits for cross_readers\.A\.done while cross_readers\.A\.mu is held`
	return a.n
}

// The signaller reads, but a queued writer stands before it.
type B struct {
	mu   sync.RWMutex
	done chan struct{}
	n    int
}

func NewB() *B {
	b := &B{done: make(chan struct{})}
	go func() {
		defer close(b.done)
		b.mu.RLock()
		println(b.n)
		b.mu.RUnlock()
	}()
	return b
}

func (b *B) Wait() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	<-b.done // want `wait under lock: waits for cross_readers\.B\.done while cross_readers\.B\.mu is held`
	return b.n
}

func (b *B) Set(n int) {
	b.mu.Lock()
	b.n = n
	b.mu.Unlock()
}

type C struct {
	mu   sync.RWMutex
	done chan struct{}
	n    int
}

// Silent: both sides read, and nothing in the program write-locks.
func NewC() *C {
	c := &C{done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.mu.RLock()
		println(c.n)
		c.mu.RUnlock()
	}()
	return c
}

// Silent: see NewC.
func (c *C) Wait() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	<-c.done
	return c.n
}
