// Package a is the bottom of a chain of four packages.
package a

import "sync"

type T struct {
	mu   sync.Mutex
	n    int
	hook func()
}

func (t *T) Inc() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
}

// Each runs f with T.mu held.
func (t *T) Each(f func(int)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.n {
		f(i)
	}
}
