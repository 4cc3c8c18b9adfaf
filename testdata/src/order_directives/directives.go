// Package order_directives holds findings that the author has answered.
package order_directives

import "sync"

type A struct{ mu sync.Mutex }

type B struct{ mu sync.Mutex }

// Silent: ignored on the line above, with a reason.
func (a *A) Push(b *B) {
	a.mu.Lock()
	//lockvet:ignore the two are never used by one process
	b.mu.Lock()
	b.mu.Unlock()
	a.mu.Unlock()
}

// Silent: the other side of an ignored finding.
func (b *B) Pull(a *A) {
	b.mu.Lock()
	a.mu.Lock()
	a.mu.Unlock()
	b.mu.Unlock()
}

type C struct{ mu sync.Mutex }

// Silent: ignored at the end of the line, for this category.
func (c *C) Twice() {
	c.mu.Lock()
	c.mu.Lock() //lockvet:ignore [recursive] this hangs on purpose
	c.mu.Unlock()
	c.mu.Unlock()
}

type D struct{ mu sync.Mutex }

// Silent: ignored for the whole function.
//
//lockvet:ignore this hangs on purpose
func (d *D) Twice() {
	d.mu.Lock()
	d.mu.Lock()
	d.mu.Unlock()
	d.mu.Unlock()
}

type E struct{ mu sync.Mutex }

// Silent: golangci-lint's directive, by the tool's name.
func (e *E) Twice() {
	e.mu.Lock()
	e.mu.Lock() //nolint:lockvet // hangs on purpose
	e.mu.Unlock()
	e.mu.Unlock()
}

type F struct{ mu sync.Mutex }

// Silent: golangci-lint's directive, by the analyzer's name.
func (f *F) Twice() {
	f.mu.Lock()
	f.mu.Lock() //nolint:lockorder // hangs on purpose
	f.mu.Unlock()
	f.mu.Unlock()
}

type G struct{ mu sync.Mutex }

// An ignore of another category does not silence this one.
func (g *G) Twice() {
	g.mu.Lock()
	//nolint:errcheck // this is about something else
	g.mu.Lock() // want `recursive lock: order_directives\.G\.mu is already held by this goroutine`
	g.mu.Unlock()
	g.mu.Unlock()
}

type H struct {
	//lockvet:class order_directives.alpha
	mu sync.Mutex
}

type I struct {
	mu sync.Mutex
}

// A class named by its author appears under that name.
func (h *H) Use(i *I) {
	i.mu.Lock()
	h.mu.Lock() // want `lock order inversion: order_directives\.alpha acquired while order_directives\.I\.mu is held`
	h.mu.Unlock()
	i.mu.Unlock()
}

func (i *I) Use(h *H) {
	h.mu.Lock()
	i.mu.Lock()
	i.mu.Unlock()
	h.mu.Unlock()
}
