// Package bank is lockvet's example: no file of it looks wrong, and yet it can
// deadlock.
package bank

import (
	"sync"

	"github.com/lockvet/lockvet/examples/bank/ledger"
)

// An Account books its deposits in a ledger.
type Account struct {
	Ledger *ledger.Ledger

	mu      sync.Mutex
	balance int
}

// Deposit adds to the account.
func (a *Account) Deposit(amount int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += amount
	a.Ledger.Post(amount)
}

// Recount works the balance out again from the ledger.
func (a *Account) Recount() {
	sum := 0
	a.Ledger.Each(func(amount int) {
		sum += amount
		a.setBalance(sum)
	})
}

func (a *Account) setBalance(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = n
}
