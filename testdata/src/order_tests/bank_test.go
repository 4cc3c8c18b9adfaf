package order_tests

import (
	"sync"
	"testing"
)

// Silent: the test holds the account to see what the bank does then. No
// goroutine of the program takes the two in this order.
func TestSumWaits(t *testing.T) {
	b := &Bank{}
	b.acct.mu.Lock()
	done := make(chan bool)
	go func() {
		b.Sum()
		close(done)
	}()
	b.mu.Lock()
	b.acct.n = 1
	b.mu.Unlock()
	b.acct.mu.Unlock()
	<-done
}

// A test that locks twice hangs, whoever's the lock is.
func TestTwice(t *testing.T) {
	b := &Bank{}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Sum() != 0 { // want `recursive lock: order_tests\.Bank\.mu is already held by this goroutine`
		t.Fatal("sum")
	}
}

// The tests' own locks are as any others.
type recorder struct {
	mu   sync.Mutex
	seen sync.Mutex
	n    int
}

func (r *recorder) note() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen.Lock() // want `lock order inversion: order_tests\.recorder\.seen acquired while order_tests\.recorder\.mu is held`
	r.n++
	r.seen.Unlock()
}

func (r *recorder) reset() {
	r.seen.Lock()
	defer r.seen.Unlock()
	r.mu.Lock()
	r.n = 0
	r.mu.Unlock()
}

func TestRecorder(t *testing.T) {
	r := &recorder{}
	go r.note()
	r.reset()
}
