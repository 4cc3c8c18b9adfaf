// Package cross_unlock holds releases of what cannot be held, and in the wrong
// mode.
package cross_unlock

import "sync"

type A struct {
	mu sync.Mutex
	n  int
}

func (a *A) Twice() {
	a.mu.Lock()
	a.n++
	a.mu.Unlock()
	a.mu.Unlock() // want `unlock of cross_unlock\.A\.mu, which cannot be held here \[crossrelease/unlock LV-[0-9a-f]{8}\]`
}

type B struct {
	mu sync.Mutex
	n  int
}

func (b *B) Branch(n int) {
	b.mu.Lock()
	if n < 0 {
		b.mu.Unlock()
		b.n = 0
		b.mu.Unlock() // want `unlock of cross_unlock\.B\.mu, which cannot be held here`
		return
	}
	b.n = n
	b.mu.Unlock()
}

type C struct {
	mu sync.RWMutex
	n  int
}

func (c *C) Mixed() int {
	c.mu.Lock()
	n := c.n
	c.mu.RUnlock() // want `unlock of cross_unlock\.C\.mu`
	return n
}

type D struct {
	mu sync.RWMutex
	n  int
}

func (d *D) Mixed() int {
	d.mu.RLock()
	defer d.mu.Unlock() // want `unlock of cross_unlock\.D\.mu`
	return d.n
}

type E struct {
	mu sync.Mutex
	n  int
}

// Silent: releases what its caller holds.
func (e *E) finish() {
	e.n++
	e.mu.Unlock()
}

func (e *E) Do() {
	e.mu.Lock()
	e.finish()
}

// Silent: its callers are not known, and may hold the lock.
func (e *E) Release() { e.mu.Unlock() }

// Silent: drops and retakes the lock of its caller.
func (e *E) gap() {
	e.mu.Unlock()
	e.n++
	e.mu.Lock()
}

func (e *E) Work() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gap()
}

// Silent: held on the one path that comes here, by the flag.
func (e *E) Flag(lock bool) {
	if lock {
		e.mu.Lock()
	}
	e.n++
	if lock {
		e.mu.Unlock()
	}
}

// Silent: the loop ends with the lock held, however it ends.
func (e *E) Loop(xs []int) {
	e.mu.Lock()
	for _, x := range xs {
		e.n += x
		e.mu.Unlock()
		println(x)
		e.mu.Lock()
	}
	e.mu.Unlock()
}

type F struct {
	mu sync.RWMutex
	n  int
}

// Silent: upgraded by hand: each release has the mode of its lock.
func (f *F) Upgrade() {
	f.mu.RLock()
	n := f.n
	f.mu.RUnlock()
	f.mu.Lock()
	f.n = n + 1
	f.mu.Unlock()
}

// Silent: RLocker's Unlock is an RUnlock.
func (f *F) Locker() {
	l := f.mu.RLocker()
	l.Lock()
	f.mu.RUnlock()
	f.mu.RLock()
	l.Unlock()
}
