// Package order_gate holds inversions under a common gate lock, and gates that
// do not shut.
package order_gate

import "sync"

var gate sync.Mutex

type A struct{ mu sync.Mutex }

type B struct{ mu sync.Mutex }

// Silent: both orders only ever run with the gate held.
func AB(a *A, b *B) {
	gate.Lock()
	defer gate.Unlock()
	a.mu.Lock()
	b.mu.Lock()
	b.mu.Unlock()
	a.mu.Unlock()
}

// Silent: see AB.
func BA(b *B, a *A) {
	gate.Lock()
	defer gate.Unlock()
	b.mu.Lock()
	a.mu.Lock()
	a.mu.Unlock()
	b.mu.Unlock()
}

type C struct{ mu sync.Mutex }

type D struct{ mu sync.Mutex }

// Silent: the gate is held by every caller of the function.
func LockC(c *C, d *D) {
	gate.Lock()
	defer gate.Unlock()
	cd(c, d)
}

func LockC2(c *C, d *D) {
	gate.Lock()
	cd(c, d)
	gate.Unlock()
}

func cd(c *C, d *D) {
	c.mu.Lock()
	d.mu.Lock()
	d.mu.Unlock()
	c.mu.Unlock()
}

// Silent: see LockC.
func LockD(d *D, c *C) {
	gate.Lock()
	defer gate.Unlock()
	d.mu.Lock()
	c.mu.Lock()
	c.mu.Unlock()
	d.mu.Unlock()
}

type E struct{ mu sync.Mutex }

type F struct{ mu sync.Mutex }

// One caller comes without the gate.
func LockE(e *E, f *F) {
	gate.Lock()
	ef(e, f)
	gate.Unlock()
}

func LockE2(e *E, f *F) {
	ef(e, f)
}

func ef(e *E, f *F) {
	e.mu.Lock()
	f.mu.Lock() // want `lock order inversion: order_gate\.F\.mu acquired while order_gate\.E\.mu is held`
	f.mu.Unlock()
	e.mu.Unlock()
}

func LockF(f *F, e *E) {
	gate.Lock()
	defer gate.Unlock()
	f.mu.Lock()
	e.mu.Lock()
	e.mu.Unlock()
	f.mu.Unlock()
}

type G struct{ mu sync.Mutex }

type H struct{ mu sync.Mutex }

// The gate is given up before the second lock.
func LockG(g *G, h *H) {
	gate.Lock()
	g.mu.Lock()
	gate.Unlock()
	h.mu.Lock() // want `lock order inversion: order_gate\.H\.mu acquired while order_gate\.G\.mu is held`
	h.mu.Unlock()
	g.mu.Unlock()
}

func LockH(h *H, g *G) {
	gate.Lock()
	defer gate.Unlock()
	h.mu.Lock()
	g.mu.Lock()
	g.mu.Unlock()
	h.mu.Unlock()
}

var rwgate sync.RWMutex

type I struct{ mu sync.Mutex }

type J struct{ mu sync.Mutex }

// A gate that both sides only read-lock lets both in.
func LockI(i *I, j *J) {
	rwgate.RLock()
	defer rwgate.RUnlock()
	i.mu.Lock()
	j.mu.Lock() // want `lock order inversion: order_gate\.J\.mu acquired while order_gate\.I\.mu is held`
	j.mu.Unlock()
	i.mu.Unlock()
}

func LockJ(j *J, i *I) {
	rwgate.RLock()
	defer rwgate.RUnlock()
	j.mu.Lock()
	i.mu.Lock()
	i.mu.Unlock()
	j.mu.Unlock()
}

type K struct{ mu sync.Mutex }

type L struct{ mu sync.Mutex }

// Silent: a reader and a writer of the gate exclude each other.
func LockK(k *K, l *L) {
	rwgate.RLock()
	defer rwgate.RUnlock()
	k.mu.Lock()
	l.mu.Lock()
	l.mu.Unlock()
	k.mu.Unlock()
}

// Silent: see LockK.
func LockL(l *L, k *K) {
	rwgate.Lock()
	defer rwgate.Unlock()
	l.mu.Lock()
	k.mu.Lock()
	k.mu.Unlock()
	l.mu.Unlock()
}

type M struct{ mu sync.Mutex }

type N struct {
	mu sync.Mutex
	m  *M
}

// Silent: its one caller holds the gate. That Embeds gets a method of the same
// name, which nothing calls, makes no other caller.
func (n *N) swap() {
	n.mu.Lock()
	n.m.mu.Lock()
	n.m.mu.Unlock()
	n.mu.Unlock()
}

type Embeds struct{ *N }

func (e *Embeds) Swap() {
	gate.Lock()
	defer gate.Unlock()
	e.N.swap()
}

// Silent: see swap.
func (m *M) Swap(n *N) {
	gate.Lock()
	defer gate.Unlock()
	m.mu.Lock()
	n.mu.Lock()
	n.mu.Unlock()
	m.mu.Unlock()
}
