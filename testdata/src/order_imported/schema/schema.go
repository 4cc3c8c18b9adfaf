// Package schema takes the locks of transactions that it gets from elsewhere.
package schema

import (
	"sync"

	"order_imported/batch"
)

func create(t batch.Batch) {
	t.Open()
	defer t.Done()
}

type Meta struct {
	mu sync.Mutex
	n  int
}

// Silent: create gives up what it takes.
func (m *Meta) Setup(t batch.Batch) {
	create(t)
	m.mu.Lock()
	m.n++
	m.mu.Unlock()
}

// Silent: the only order of the two.
func (m *Meta) Under(t batch.Batch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	create(t)
}

type Notes struct {
	mu sync.Mutex
	n  int
}

func (m *Notes) Setup(t batch.Batch) {
	t.Open()
	m.mu.Lock() // want `lock order inversion: schema\.Notes\.mu acquired while batch\.batch\.lock is held`
	m.n++
	m.mu.Unlock()
	t.Done()
}

func (m *Notes) Under(b batch.Batch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b.Open()
	m.n++
	b.Done()
}
