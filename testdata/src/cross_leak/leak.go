// Package cross_leak holds paths that leave a lock held while the other paths
// of the function give it up.
package cross_leak

import (
	"errors"
	"sync"
)

var errBad = errors.New("bad")

type A struct {
	mu sync.Mutex
	n  int
}

func (a *A) Early(n int) error {
	a.mu.Lock()
	if n < 0 {
		return errBad // want `lock leak: cross_leak\.A\.mu acquired at .*leak\.go:18:\d+ is still held at this return \[crossrelease/leak LV-[0-9a-f]{8}\]`
	}
	a.n = n
	a.mu.Unlock()
	return nil
}

type B struct {
	sync.RWMutex
	m map[string]int
}

func (b *B) Get(k string) int {
	b.RLock()
	v, ok := b.m[k]
	if !ok {
		return 0 // want `lock leak: cross_leak\.B\.RWMutex acquired at .*leak\.go:\d+:\d+ is still held at this return`
	}
	b.RUnlock()
	return v
}

type C struct {
	mu sync.Mutex
	n  int
}

// A continue leaves the lock held, and the next turn locks again: one finding,
// and not a recursive lock.
func (c *C) Sum(xs []int) {
	for _, x := range xs {
		c.mu.Lock()
		if x < 0 {
			continue // want `lock leak: cross_leak\.C\.mu acquired at .*leak\.go:\d+:\d+ is still held`
		}
		c.n += x
		c.mu.Unlock()
	}
}

type D struct {
	mu sync.Mutex
	n  int
}

func (d *D) Kind(s string) int {
	d.mu.Lock()
	switch s {
	case "a":
		d.mu.Unlock()
		return 1
	case "b":
		return 2 // want `lock leak: cross_leak\.D\.mu acquired at .* is still held at this return`
	}
	d.mu.Unlock()
	return 0
}

type E struct {
	mu sync.Mutex
	n  int
}

func (e *E) Jump(n int) {
	e.mu.Lock()
	if n == 0 {
		goto out // want `lock leak: cross_leak\.E\.mu acquired at .* is still held`
	}
	e.n = n
	e.mu.Unlock()
out:
	e.n++
}

type F struct {
	mu sync.Mutex
	n  int
}

// The next call locks again: still one finding, here.
func (f *F) Set(n int) bool {
	f.mu.Lock()
	if f.n == n {
		return false // want `lock leak: cross_leak\.F\.mu acquired at .* is still held at this return`
	}
	f.n = n
	f.mu.Unlock()
	return true
}

func (f *F) SetTwice(n int) {
	f.Set(n)
	f.Set(n)
}

type G struct {
	mu sync.Mutex
	n  int
}

// Two returns leak: one finding each.
func (g *G) Detach(a, b bool) error {
	g.mu.Lock()
	if !a {
		return errBad // want `lock leak: cross_leak\.G\.mu acquired at .* is still held at this return`
	}
	if b {
		g.n = 0
		return errBad // want `lock leak: cross_leak\.G\.mu acquired at .* is still held at this return`
	}
	g.mu.Unlock()
	return nil
}
