package bank

import (
	"testing"

	"github.com/lockvet/lockvet/examples/bank/ledger"
)

// It passes every time: one goroutine cannot show the deadlock.
func TestRecount(t *testing.T) {
	a := &Account{Ledger: new(ledger.Ledger)}
	a.Deposit(3)
	a.Deposit(4)
	a.Recount()
	if a.balance != 7 {
		t.Errorf("balance is %d after recounting, want 7", a.balance)
	}
}
