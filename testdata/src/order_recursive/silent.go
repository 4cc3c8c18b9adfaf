package order_recursive

import "sync"

type Cfg struct {
	mu sync.RWMutex
	m  map[string]string
}

// Silent: recursive read lock, but nothing in the program write-locks it.
func (c *Cfg) All() (vs []string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for k := range c.m {
		vs = append(vs, c.Get(k))
	}
	return vs
}

// Silent: see All.
func (c *Cfg) Get(k string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.m[k]
}

type Safe struct {
	mu sync.Mutex
	n  int
}

// Silent: the lock is given up before the call that takes it.
func (s *Safe) Bump() {
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
	s.Log()
}

// Silent: takes the lock once.
func (s *Safe) Log() {
	s.mu.Lock()
	println(s.n)
	s.mu.Unlock()
}

// Silent: the callee does not lock (the name says its caller does).
func (s *Safe) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resetLocked()
}

func (s *Safe) resetLocked() { s.n = 0 }

// Silent: the other goroutine starts with nothing held.
func (s *Safe) Later() {
	s.mu.Lock()
	defer s.mu.Unlock()
	go s.Log()
}

type Link struct {
	mu   sync.Mutex
	up   *Link
	kids []*Link
}

// Silent: a link and its parent are two instances, and every nesting goes up.
func (l *Link) Climb() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up != nil {
		l.up.mu.Lock()
		l.up.mu.Unlock()
	}
}

// Silent: one of the branches locks, the other calls what locks.
func (s *Safe) Either(held bool) {
	if held {
		s.Log()
	} else {
		s.mu.Lock()
		s.n = 0
		s.mu.Unlock()
	}
}
