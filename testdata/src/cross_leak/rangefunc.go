package cross_leak

import (
	"iter"
	"sync"
)

func upTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

type Scan struct {
	mu sync.Mutex
	n  int
}

// Silent: the body of the loop unlocks before it leaves the function, and the
// function does after the loop.
func (s *Scan) Find(x int) bool {
	s.mu.Lock()
	for i := range upTo(s.n) {
		if i == x {
			s.mu.Unlock()
			return true
		}
	}
	s.mu.Unlock()
	return false
}

// The body leaves the function with the lock held.
func (s *Scan) Forget(x int) bool {
	s.mu.Lock()
	for i := range upTo(s.n) {
		if i == x {
			return true // want `lock leak: cross_leak\.Scan\.mu acquired at .*rangefunc\.go:39:2 is still held at this return`
		}
	}
	s.mu.Unlock()
	return false
}
