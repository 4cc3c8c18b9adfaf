//go:build lockdep

package lockdep_test

import (
	"fmt"
	"sync"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

type account struct {
	mu      lockdep.MutexOf[account]
	balance int
}

type ledger struct {
	mu      lockdep.MutexOf[ledger]
	entries int
}

// Two goroutines take two locks in opposite orders, one after the other.
// Nothing hangs, but it could have.
func Example() {
	lockdep.Reset()
	a, l := &account{}, &ledger{}
	transfer := func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		a.balance--
		l.entries++
	}
	audit := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		a.mu.Lock()
		defer a.mu.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(transfer)
	wg.Wait()
	wg.Go(audit)
	wg.Wait()
	for _, r := range lockdep.Reports() {
		fmt.Println(r.Category, r.ID, r.Level)
		for _, e := range r.Edges {
			fmt.Println(e.From, "->", e.To)
		}
	}
	// Output:
	// inversion LV-e0eed5d8 strong
	// github.com/lockvet/lockvet/runtime/lockdep_test.account -> github.com/lockvet/lockvet/runtime/lockdep_test.ledger
	// github.com/lockvet/lockvet/runtime/lockdep_test.ledger -> github.com/lockvet/lockvet/runtime/lockdep_test.account
}

// A goroutine waits for another one with a lock held that the other needs.
func ExampleWaitGroup() {
	lockdep.Reset()
	var mu lockdep.Mutex
	var wg lockdep.WaitGroup
	lockdep.SetClass(&mu, "server.mu")
	lockdep.SetClass(&wg, "server.workers")
	wg.Add(1)
	done := make(chan bool)
	go func() {
		mu.Lock()
		mu.Unlock()
		wg.Done()
		close(done)
	}()
	<-done
	mu.Lock()
	wg.Wait() // had the worker been later, it would wait for mu for good
	mu.Unlock()
	for _, r := range lockdep.Reports() {
		fmt.Println(r.Category, r.Classes)
	}
	// Output: waitheld [server.mu server.workers]
}

// Locks of one class are taken together, the order given by the code.
func ExampleNested() {
	lockdep.Reset()
	parent, child := &account{}, &account{}
	parent.mu.Lock()
	lockdep.Lock(&child.mu, lockdep.Nested(1))
	child.mu.Unlock()
	parent.mu.Unlock()
	fmt.Println(len(lockdep.Reports()))
	// Output: 0
}

func ExampleAssertHeld() {
	lockdep.Reset()
	a := &account{}
	add := func(n int) {
		lockdep.AssertHeld(&a.mu)
		a.balance += n
	}
	add(1)
	for _, r := range lockdep.Reports() {
		fmt.Println(r.Message)
	}
	// Output: assertion failed: github.com/lockvet/lockvet/runtime/lockdep_test.account is not held for writing by this goroutine
}

func ExampleResource() {
	lockdep.Reset()
	leases := lockdep.NewResourceClass("lease", lockdep.Handoff)
	var lease lockdep.Resource
	leases.Init(&lease)
	var mu lockdep.Mutex
	lockdep.SetClass(&mu, "table.mu")

	var wg sync.WaitGroup
	wg.Go(func() { // who gives leases back needs the table's lock first
		mu.Lock()
		mu.Unlock()
		lease.Release()
	})
	wg.Wait()
	wg.Go(func() { // and someone waits for a lease with it held
		mu.Lock()
		lease.Acquire(lockdep.Exclusive)
		mu.Unlock()
	})
	wg.Wait()
	for _, r := range lockdep.Reports() {
		fmt.Println(r.Category, r.Classes)
	}
	// Output: waitheld [lease table.mu]
}
