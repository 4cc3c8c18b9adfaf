package order_iface

import "sync"

// A transaction is one of several types; which one it is follows from the
// function that begins it.
type Txn interface{ End() }

type kv struct {
	mu sync.Mutex
	n  int
}

type readTxn struct{ kv *kv }

func (t *readTxn) End() { t.kv.mu.Unlock() }

type counted struct {
	Txn
	n int
}

func (t *counted) End() {
	t.n++
	t.Txn.End()
}

// count is called by this package only.
func count(t Txn) Txn { return &counted{Txn: t} }

func (k *kv) Read() Txn {
	k.mu.Lock()
	return count(&readTxn{k})
}

type watched struct {
	mu sync.Mutex
	kv *kv
}

type writeTxn struct {
	Txn
	w *watched
}

func (t *writeTxn) End() {
	t.w.mu.Lock()
	t.w.kv.n++
	t.w.mu.Unlock()
	t.Txn.End()
}

func (w *watched) Restore() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kv.mu.Lock()
	w.kv.n = 0
	w.kv.mu.Unlock()
}

// Write is how the transaction comes about that locks at its end, too.
func (w *watched) Write() Txn { return &writeTxn{Txn: w.kv.Read(), w: w} }

// Silent: what Read returns never is a writeTxn.
func Get(k *kv) int {
	t := k.Read()
	defer t.End()
	return k.n
}

// As before, with the other transaction.
type shelf struct {
	mu sync.Mutex
	n  int
}

type shelfTxn struct{ s *shelf }

func (t *shelfTxn) End() { t.s.mu.Unlock() }

type viewed struct {
	mu sync.Mutex
	s  *shelf
}

type viewTxn struct {
	Txn
	v *viewed
}

func (t *viewTxn) End() {
	t.v.mu.Lock()
	t.v.s.n++
	t.v.mu.Unlock()
	t.Txn.End()
}

func (v *viewed) Begin() Txn {
	v.s.mu.Lock()
	return &viewTxn{Txn: &shelfTxn{v.s}, v: v}
}

func (v *viewed) Restore() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.s.mu.Lock()
	v.s.n = 0
	v.s.mu.Unlock()
}

func Put(v *viewed) {
	t := v.Begin()
	v.s.n++
	t.End() // want `lock order inversion: order_iface\.viewed\.mu acquired while order_iface\.shelf\.mu is held`
}
