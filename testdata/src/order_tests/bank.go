// Package order_tests holds locks that are taken by tests.
package order_tests

import "sync"

type Bank struct {
	mu   sync.Mutex
	acct Account
}

type Account struct {
	mu sync.Mutex
	n  int
}

func (b *Bank) Sum() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.acct.mu.Lock()
	defer b.acct.mu.Unlock()
	return b.acct.n
}

// Twice is the program's own bug.
func (b *Bank) Twice() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Sum() // want `recursive lock: order_tests\.Bank\.mu is already held by this goroutine`
}
