// Package store holds the two lock classes that its importers order.
package store

import "sync"

type Page struct {
	Mu sync.Mutex
	N  int
}

type Tree struct {
	Mu sync.Mutex
	N  int
}

func (p *Page) Touch() {
	p.Mu.Lock()
	p.N++
	p.Mu.Unlock()
}

func (t *Tree) Touch() {
	t.Mu.Lock()
	t.N++
	t.Mu.Unlock()
}
