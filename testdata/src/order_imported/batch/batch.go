// Package batch has transactions that are begun by a promoted method and ended
// by one that overrides.
package batch

import "sync"

type Batch interface {
	Open()
	Done()
}

type batch struct {
	lock sync.Mutex
	n    int
}

func (b *batch) Open() { b.lock.Lock() }

func (b *batch) Done() {
	b.n++
	b.lock.Unlock()
}

type buffered struct {
	batch
	buf int
}

func (b *buffered) Done() {
	b.buf = 0
	b.batch.Done()
}

func New() Batch { return &buffered{} }
