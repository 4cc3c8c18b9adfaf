// Package d imports c alone, and has a lock of its own. The function that holds
// a.T.mu lies in package a, so the finding is at the edge that lies here.
package d

import (
	"order_chain/c"
	"sync"
)

type View struct {
	mu sync.Mutex
	w  c.Walker
	n  int
}

func (v *View) Refresh() {
	v.w.Walk(func(i int) {
		v.mu.Lock()
		v.n += i
		v.mu.Unlock()
	})
}

func (v *View) Select() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.w.Mark() // want `lock order inversion: (a\.T\.mu acquired while d\.View\.mu|d\.View\.mu acquired while a\.T\.mu) is held`
}
