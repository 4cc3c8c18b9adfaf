package order_handoff

import "sync"

type acct struct {
	mu sync.Mutex
	n  int
}

type Accounts struct {
	mu   sync.Mutex
	list []*acct
}

func lookup(i int) *acct { return &all[i] }

var all [8]acct

// Silent: a goroutine releases, by way of a slice, what the loop took.
func (s *Accounts) Hold(n int) {
	var held []*acct
	for i := range n {
		a := lookup(i)
		held = append(held, a)
		a.mu.Lock()
	}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		for _, a := range held {
			a.mu.Unlock()
		}
		wg.Done()
	}()
	s.mu.Lock()
	s.list = nil
	s.mu.Unlock()
	wg.Wait()
}

// Silent: the only order of the two.
func (s *Accounts) Sum() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.list {
		a.mu.Lock()
		n += a.n
		a.mu.Unlock()
	}
	return n
}

type item struct {
	mu sync.RWMutex
	n  int
}

type Items struct {
	mu   sync.Mutex
	list []*item
}

// Silent: deferred in a loop, each lock is given up before the first defer runs.
func (s *Items) Check() (ok bool) {
	defer s.Close()
	for _, it := range s.list {
		it.mu.RLock()
		defer it.mu.RUnlock()
		if it.n > 0 {
			return false
		}
	}
	return true
}

func (s *Items) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = nil
}

// Silent: see Check.
func (s *Items) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, it := range s.list {
		it.mu.Lock()
		it.n = 0
		it.mu.Unlock()
	}
}

type kept struct {
	mu sync.RWMutex
	n  int
}

type Kept struct {
	mu   sync.Mutex
	list []*kept
}

// What is deferred after the locks runs before they are given up.
func (s *Kept) Check() {
	for _, it := range s.list {
		it.mu.RLock()
		defer it.mu.RUnlock()
	}
	defer s.Close()
}

func (s *Kept) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = nil
}

func (s *Kept) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, it := range s.list {
		it.mu.Lock() // want `lock order inversion: order_handoff\.kept\.mu acquired while order_handoff\.Kept\.mu is held`
		it.n = 0
		it.mu.Unlock()
	}
}
