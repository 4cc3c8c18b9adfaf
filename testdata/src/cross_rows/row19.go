package cross_rows

import "sync"

// Row 19: both sides read-lock, and a writer queues between them: the only
// receiver is started after its own read lock.
type Shared19 struct {
	lock      sync.RWMutex
	listeners []*Listener19
}

type Listener19 struct{ addCh chan int }

func (s *Shared19) Distribute(n int) {
	s.lock.RLock()
	defer s.lock.RUnlock()
	for _, l := range s.listeners {
		l.add(n) // want `wait under lock: waits for cross_rows\.Listener19\.addCh while cross_rows\.Shared19\.lock is held`
	}
}

func (l *Listener19) add(n int) { l.addCh <- n }

func (l *Listener19) pop() {
	for range l.addCh {
	}
}

func (s *Shared19) Run() {
	s.lock.RLock()
	defer s.lock.RUnlock()
	for _, l := range s.listeners {
		go l.pop()
	}
}

func (s *Shared19) Add() {
	l := &Listener19{addCh: make(chan int)}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.listeners = append(s.listeners, l)
}
