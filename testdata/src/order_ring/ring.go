// Package order_ring holds cycles of three and more locks: one finding each.
package order_ring

import "sync"

type A struct {
	mu sync.Mutex
	b  *B
}

type B struct {
	mu sync.Mutex
	c  *C
}

type C struct {
	mu sync.Mutex
	a  *A
}

func (a *A) Next() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.b.lock() // want `lock order inversion: order_ring\.A\.mu -> order_ring\.B\.mu -> order_ring\.C\.mu -> order_ring\.A\.mu is a ring of 3 locks`
	a.b.unlock()
}

func (b *B) lock() { b.mu.Lock() }

func (b *B) unlock() { b.mu.Unlock() }

func (b *B) Next() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.c.mu.Lock()
	b.c.mu.Unlock()
}

func (c *C) Next() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.a.touch()
}

func (a *A) touch() {
	a.mu.Lock()
	a.mu.Unlock()
}

type K struct{ mu sync.Mutex }

type L struct{ mu sync.Mutex }

type M struct{ mu sync.Mutex }

type N struct{ mu sync.RWMutex }

func KL(k *K, l *L) {
	k.mu.Lock()
	l.mu.Lock() // want `lock order inversion: order_ring\.K\.mu -> order_ring\.L\.mu -> order_ring\.M\.mu -> order_ring\.N\.mu -> order_ring\.K\.mu is a ring of 4 locks`
	l.mu.Unlock()
	k.mu.Unlock()
}

func LM(l *L, m *M) {
	l.mu.Lock()
	m.mu.Lock()
	m.mu.Unlock()
	l.mu.Unlock()
}

func MN(m *M, n *N) {
	m.mu.Lock()
	n.mu.RLock()
	n.mu.RUnlock()
	m.mu.Unlock()
}

func NK(n *N, k *K) {
	n.mu.Lock()
	k.mu.Lock()
	k.mu.Unlock()
	n.mu.Unlock()
}

// P takes Q over R's lock: P -> R follows from P -> Q and Q -> R and is no
// second finding.
type P struct{ mu sync.Mutex }

type Q struct{ mu sync.Mutex }

type R struct{ mu sync.Mutex }

func PQR(p *P, q *Q, r *R) {
	p.mu.Lock()
	q.mu.Lock() // want `lock order inversion: order_ring\.P\.mu -> order_ring\.Q\.mu -> order_ring\.R\.mu -> order_ring\.P\.mu is a ring of 3 locks`
	r.mu.Lock()
	r.mu.Unlock()
	q.mu.Unlock()
	p.mu.Unlock()
}

func RP(r *R, p *P) {
	r.mu.Lock()
	p.mu.Lock()
	p.mu.Unlock()
	r.mu.Unlock()
}
