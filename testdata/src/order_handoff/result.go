package order_handoff

import "sync"

// A function that returns, among other results, one that gives the lock up.

type Service struct {
	mu      sync.Mutex
	running bool
	stopped chan struct{}
}

func (s *Service) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = true
}

func (s *Service) stopInit() (bool, <-chan struct{}, func(bool)) {
	s.mu.Lock()
	if !s.running {
		s.mu.Unlock()
		return false, nil, func(bool) {}
	}
	return true, s.stopped, func(did bool) {
		defer s.mu.Unlock()
		if did {
			s.running = false
		}
	}
}

func (s *Service) Finish() {
	should, stopped, finalize := s.stopInit()
	if !should {
		return
	}
	<-stopped
	finalize(true)
}

// Silent: Finish has given the lock up.
func (s *Service) Restart() {
	s.Finish()
	s.Begin()
}

// The same too early.
func (s *Service) Bounce() {
	should, _, finalize := s.stopInit()
	if !should {
		return
	}
	s.Begin() // want `recursive lock: order_handoff\.Service\.mu is already held by this goroutine, acquired at .*result\.go:\d+`
	finalize(true)
}

// A goroutine that gives a lock up later, started by a deferred function.

type Txn struct {
	mu   sync.Mutex
	lost bool
	wait func()
}

func (t *Txn) reset() {
	t.mu.Lock()
	t.lost = false
	t.mu.Unlock()
}

// Silent: reset is the last to run, and one of the two has given the lock up.
func (t *Txn) End(fast bool) (ok bool) {
	defer t.reset()
	t.mu.Lock()
	if fast {
		defer t.mu.Unlock()
	} else {
		defer func() {
			if ok {
				go func() {
					t.wait()
					t.mu.Unlock()
				}()
			} else {
				t.mu.Unlock()
			}
		}()
	}
	return !t.lost
}

// The lock is given up by a goroutine that has to be started first.
func (t *Txn) Abort() (ok bool) {
	t.mu.Lock()
	defer func() {
		go func() {
			t.wait()
			t.mu.Unlock()
		}()
	}()
	t.reset() // want `recursive lock: order_handoff\.Txn\.mu is already held by this goroutine, acquired at .*result\.go:\d+`
	return !t.lost
}
