// Package lib is the imported half: it takes the two locks in one order and
// offers the means to take them in the other.
package lib

import "sync"

type Cache struct {
	mu    sync.Mutex
	owner *Registry
}

type Registry struct {
	mu sync.Mutex
	n  int
}

// Evict takes Cache.mu, then Registry.mu.
func (c *Cache) Evict() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owner.Forget()
}

func (r *Registry) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n--
}

// Freeze runs f with Registry.mu held.
func (r *Registry) Freeze(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
}

func (c *Cache) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return 0
}

// Index has an exported lock, so that an importer can hold it by itself.
type Index struct {
	Mu   sync.Mutex
	list *List
}

type List struct {
	mu sync.Mutex
	n  int
}

// Rebuild takes List.mu, then Index.Mu.
func (l *List) Rebuild(x *Index) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x.Mu.Lock()
	l.n = 0
	x.Mu.Unlock()
}

func (l *List) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func (x *Index) List() *List { return x.list }
