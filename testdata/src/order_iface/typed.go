package order_iface

import "sync"

// A function that takes an interface, and callers of which each gives one type.

type opener interface{ open(k string) string }

type layers struct {
	mu    sync.Mutex
	nodes *nodes
	n     int
}

type nodes struct {
	mu sync.Mutex
	m  map[string]string
}

func (l *layers) open(k string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return k
}

type disk struct{ dir string }

func (d *disk) open(k string) string { return d.dir + k }

func load(o opener, k string) string { return read(o, k) }

func read(o opener, k string) string { return o.open(k) }

// Silent: what load is given here is a disk.
func (s *nodes) fill(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k] = load(&disk{"/"}, k)
}

func (l *layers) cap(k string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nodes.fill(k)
}

func (l *layers) Get(k string) string { return load(l, k) }

type shelves struct {
	mu    sync.Mutex
	books *books
}

type books struct {
	mu    sync.Mutex
	where *shelves
	m     map[string]string
}

func (s *shelves) open(k string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return k
}

func (b *books) fill(k string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.m[k] = load(b.where, k) // want `lock order inversion: order_iface\.shelves\.mu acquired while order_iface\.books\.mu is held`
}

func (s *shelves) Cap(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books.fill(k)
}

func (b *books) Fill(k string) { b.fill(k) }

func (l *layers) Cap(k string) { l.cap(k) }
