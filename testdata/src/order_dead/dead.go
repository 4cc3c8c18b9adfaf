// Package order_dead holds inversions one side of which never runs.
package order_dead

import "sync"

type A struct{ mu sync.Mutex }

type B struct{ mu sync.Mutex }

// Silent: the other order is in a function that nothing calls.
func (a *A) Push(b *B) {
	a.mu.Lock()
	b.mu.Lock()
	b.mu.Unlock()
	a.mu.Unlock()
}

// Silent: unexported, and neither called nor used as a value.
func pull(a *A, b *B) {
	b.mu.Lock()
	a.mu.Lock()
	a.mu.Unlock()
	b.mu.Unlock()
}

type C struct{ mu sync.Mutex }

type D struct{ mu sync.Mutex }

const checks = false

// Silent: the branch is constant false.
func (c *C) Push(d *D) {
	c.mu.Lock()
	if checks {
		d.mu.Lock()
		d.mu.Unlock()
	}
	c.mu.Unlock()
}

// Silent: the only order that can run.
func (d *D) Pull(c *C) {
	d.mu.Lock()
	c.mu.Lock()
	c.mu.Unlock()
	d.mu.Unlock()
}

type E struct{ mu sync.Mutex }

type F struct{ mu sync.Mutex }

// Silent: E is given up before, on the only path that reaches F.
func (e *E) Push(f *F, stop bool) {
	e.mu.Lock()
	if stop {
		e.mu.Unlock()
		panic("stopped")
	}
	e.mu.Unlock()
	f.mu.Lock()
	f.mu.Unlock()
}

// Silent: the only place where both are held.
func (f *F) Pull(e *E) {
	f.mu.Lock()
	e.mu.Lock()
	e.mu.Unlock()
	f.mu.Unlock()
}

type I struct{ mu sync.Mutex }

type J struct{ mu sync.Mutex }

// Unexported, but used as a value by what is exported.
func (i *I) push(j *J) {
	i.mu.Lock()
	j.mu.Lock() // want `lock order inversion: order_dead\.J\.mu acquired while order_dead\.I\.mu is held`
	j.mu.Unlock()
	i.mu.Unlock()
}

func Table() map[string]func(*I, *J) {
	return map[string]func(*I, *J){"push": (*I).push}
}

func (j *J) Pull(i *I) {
	j.mu.Lock()
	i.mu.Lock()
	i.mu.Unlock()
	j.mu.Unlock()
}
