package cross_leak

import (
	"log"
	"os"
	"sync"
)

type H struct {
	mu sync.Mutex
	n  int
}

// Silent: every return is under the deferred unlock.
func (h *H) Deferred(n int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n < 0 {
		return errBad
	}
	h.n = n
	return nil
}

// Silent: a panic is no return.
func (h *H) Panics(n int) {
	h.mu.Lock()
	if n < 0 {
		panic("negative")
	}
	h.n = n
	h.mu.Unlock()
}

// Silent: log.Fatal and os.Exit do not return.
func (h *H) Exits(n int) {
	h.mu.Lock()
	if n < 0 {
		log.Fatalf("negative: %d", n)
	}
	if n == 0 {
		os.Exit(2)
	}
	h.n = n
	h.mu.Unlock()
}

// Silent: always returns with the lock held, and its callers give it up.
func (h *H) begin() { h.mu.Lock() }

func (h *H) commit() { h.mu.Unlock() }

func (h *H) Tx(n int) error {
	h.begin()
	if n < 0 {
		h.commit()
		return errBad
	}
	h.n = n
	h.commit()
	return nil
}

// Begin and Commit are exported: their callers are not known.
//
// Silent: a begin and commit pair.
func (h *H) Begin() { h.mu.Lock() }

func (h *H) Commit() { h.mu.Unlock() }

// Silent: says by its result whether the lock is held.
func (h *H) acquire(n int) bool {
	h.mu.Lock()
	if h.n == n {
		return true
	}
	h.mu.Unlock()
	return false
}

func (h *H) Use(n int) {
	if h.acquire(n) {
		h.n++
		h.mu.Unlock()
	}
}

// Silent: says by its error whether the lock is held.
func (h *H) open(n int) error {
	h.mu.Lock()
	if h.n != n {
		h.mu.Unlock()
		return errBad
	}
	return nil
}

func (h *H) Open(n int) error {
	if err := h.open(n); err != nil {
		return err
	}
	defer h.mu.Unlock()
	h.n++
	return nil
}

// Silent: locked and unlocked under one condition.
func (h *H) Maybe(lock bool) {
	if lock {
		h.mu.Lock()
	}
	h.n++
	if lock {
		h.mu.Unlock()
	}
}

// Silent: the defer is controlled by a flag, which is cleared where the lock
// has been given up.
func (h *H) Flag(n int) error {
	h.mu.Lock()
	locked := true
	defer func() {
		if locked {
			h.mu.Unlock()
		}
	}()
	if n < 0 {
		return errBad
	}
	h.mu.Unlock()
	locked = false
	return nil
}

// Silent: TryLock's failure holds nothing.
func (h *H) Try() bool {
	if !h.mu.TryLock() {
		return false
	}
	h.n++
	h.mu.Unlock()
	return true
}

// Silent: an infinite loop has no return.
func (h *H) Forever() {
	h.mu.Lock()
	for {
		h.n++
	}
}

// Silent: the lock is taken again for the deferred unlock.
func (h *H) Gap(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for range n {
		h.mu.Unlock()
		println(n)
		h.mu.Lock()
	}
}

// Silent: each element is locked and unlocked by the same index.
type Striped struct {
	locks [8]sync.RWMutex
	n     [8]int
}

func (s *Striped) Get(i int) int {
	s.locks[i%8].RLock()
	if s.n[i%8] == 0 {
		s.locks[i%8].RUnlock()
		return -1
	}
	n := s.n[i%8]
	s.locks[i%8].RUnlock()
	return n
}

// Silent: all locks are taken by one loop, and given up by another.
func (s *Striped) Freeze(f func()) {
	for i := range s.locks {
		s.locks[i].Lock()
	}
	f()
	for i := range s.locks {
		s.locks[i].Unlock()
	}
}
