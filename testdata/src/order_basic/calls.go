package order_basic

import "sync"

type Account struct {
	mu      sync.Mutex
	balance int
}

type Ledger struct {
	mu    sync.Mutex
	lines []int
}

func (a *Account) Transfer(l *Ledger, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance -= n
	l.post(n) // want `lock order inversion: order_basic\.Ledger\.mu acquired while order_basic\.Account\.mu is held, but .*calls\.go:\d+:\d+ acquires them in the opposite order`
}

func (l *Ledger) post(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, n)
}

func (l *Ledger) Audit(accounts []*Account) (sum int) {
	l.mu.Lock()
	for _, a := range accounts {
		sum += a.Balance()
	}
	l.mu.Unlock()
	return sum
}

func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}
