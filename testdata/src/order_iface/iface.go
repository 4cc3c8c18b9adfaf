// Package order_iface holds inversions through interfaces that one or a few
// types of the program implement.
package order_iface

import "sync"

type listener interface{ notify(n int) }

type Source struct {
	mu   sync.Mutex
	subs []listener
}

func (s *Source) Publish(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.subs {
		l.notify(n) // want `lock order inversion: order_iface\.View\.mu acquired while order_iface\.Source\.mu is held`
	}
}

func (s *Source) Remove(l listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs = nil
}

type View struct {
	mu  sync.Mutex
	src *Source
}

func NewView(s *Source) *View {
	v := &View{src: s}
	s.mu.Lock()
	s.subs = append(s.subs, v)
	s.mu.Unlock()
	return v
}

func (v *View) notify(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
}

func (v *View) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.src.Remove(v)
}

// Three implementations, one of which closes the cycle.
type backend interface{ store(k string) }

type Cache struct {
	mu sync.Mutex
	be backend
}

func (c *Cache) Put(k string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.be.store(k) // want `lock order inversion: order_iface\.Disk\.mu acquired while order_iface\.Cache\.mu is held`
}

func (c *Cache) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
}

type memory map[string]bool

func (m memory) store(k string) { m[k] = true }

type null struct{}

func (null) store(string) {}

type Disk struct {
	mu    sync.Mutex
	cache *Cache
}

func (d *Disk) store(k string) {
	d.mu.Lock()
	defer d.mu.Unlock()
}

func (d *Disk) Compact() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cache.Drop()
}

func Open(kind string, c *Cache) {
	switch kind {
	case "memory":
		c.be = memory{}
	case "null":
		c.be = null{}
	default:
		c.be = &Disk{cache: c}
	}
}

// A universal interface whose concrete type is known.
type Names struct {
	mu sync.Mutex
	t  *Text
}

type Text struct {
	mu sync.Mutex
	n  *Names
}

func (t *Text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(p), nil
}

func (n *Names) Emit() {
	n.mu.Lock()
	defer n.mu.Unlock()
	var w interface{ Write([]byte) (int, error) } = n.t
	w.Write(nil) // want `lock order inversion: order_iface\.Text\.mu acquired while order_iface\.Names\.mu is held`
}

func (t *Text) Rename() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n.Len()
}

func (n *Names) Len() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return 0
}
