package cross_wait

import "sync"

// A stream ends once: whoever ends it closes done.
type Near struct {
	mu   sync.Mutex
	done chan struct{}
	n    int
}

func NewNear() *Near { return &Near{done: make(chan struct{})} }

func (s *Near) count() {
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func (s *Near) count1() { s.count() }

// Run locks three calls away from the close: it is the one that ends the stream.
func (s *Near) Run() {
	s.count1()
	s.end1()
}

func (s *Near) end1() { s.end() }
func (s *Near) end()  { close(s.done) }

func (s *Near) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	<-s.done // want `wait under lock: waits for cross_wait\.Near\.done while cross_wait\.Near\.mu is held`
}

// Far is a whole program in one function: ten calls lie between what counts and
// what ends, and these two have nothing to do with each other.
type Far struct {
	mu   sync.Mutex
	done chan struct{}
	n    int
}

func NewFar() *Far { return &Far{done: make(chan struct{})} }

func (s *Far) count() {
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func (s *Far) count1() { s.count() }
func (s *Far) count2() { s.count1() }
func (s *Far) count3() { s.count2() }
func (s *Far) count4() { s.count3() }

func (s *Far) end()  { close(s.done) }
func (s *Far) end1() { s.end() }
func (s *Far) end2() { s.end1() }
func (s *Far) end3() { s.end2() }
func (s *Far) end4() { s.end3() }

func Serve(s *Far) {
	s.count4()
	s.end4()
}

// Silent: the way between the lock and the signal is too long.
func (s *Far) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	<-s.done
}
