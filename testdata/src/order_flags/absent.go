package order_flags

import "sync"

// A parameter for which nil means a value that is looked up under the lock.

type Signer interface{ Sign() }

type Account struct {
	mu  sync.Mutex
	key Signer
}

func (a *Account) post(key Signer) {
	if key == nil {
		a.lookUp()
	}
}

func (a *Account) lookUp() {
	a.mu.Lock()
	defer a.mu.Unlock()
}

// Silent: it has a key.
func (a *Account) Register() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.post(a.key)
}

func (a *Account) Renew() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.post(nil) // want `recursive lock: order_flags\.Account\.mu is already held by this goroutine`
}
