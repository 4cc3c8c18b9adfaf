package cross_wait

import "sync"

// A channel that is made anew by who closes it later on.

type Session struct {
	mu     sync.Mutex
	closed bool
	done   chan struct{}
}

// Silent: before the channel is made there is nobody to wait for it.
func (s *Session) Run() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.done = make(chan struct{})
	s.mu.Unlock()
	defer close(s.done)
	println("runs")
}

func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.done != nil {
		<-s.done
	}
}

// The lock is needed once more, after the channel is made.
type Engine struct {
	mu    sync.Mutex
	turns int
	done  chan struct{}
}

func (e *Engine) Run() {
	e.mu.Lock()
	e.done = make(chan struct{})
	e.mu.Unlock()
	defer close(e.done)
	e.mu.Lock()
	e.turns++
	e.mu.Unlock()
}

func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done != nil {
		<-e.done // want `wait under lock: waits for cross_wait\.Engine\.done while cross_wait\.Engine\.mu is held`
	}
}

// Whoever comes first makes the channel: the other waits for what is there
// already.
type Gate struct {
	mu   sync.Mutex
	open chan struct{}
}

func (g *Gate) Open() {
	g.mu.Lock()
	if g.open == nil {
		g.open = make(chan struct{})
	}
	g.mu.Unlock()
	close(g.open)
}

func (g *Gate) Pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = make(chan struct{})
	}
	<-g.open // want `wait under lock: waits for cross_wait\.Gate\.open while cross_wait\.Gate\.mu is held`
}

// The channel that is made is another one's.
type Relay struct {
	mu   sync.Mutex
	next *Relay
	done chan struct{}
}

func NewRelay(next *Relay) *Relay { return &Relay{next: next, done: make(chan struct{})} }

func (r *Relay) Run() {
	r.mu.Lock()
	r.next.done = make(chan struct{})
	r.mu.Unlock()
	close(r.done)
}

func (r *Relay) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	<-r.done // want `wait under lock: waits for cross_wait\.Relay\.done while cross_wait\.Relay\.mu is held`
}

// Runner gives whoever starts it the function that says that it has stopped.
type Runner struct {
	mu      sync.Mutex
	running bool
	stopped chan struct{}
}

func (r *Runner) start() (bool, func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running {
		return false, nil
	}
	r.running = true
	if r.stopped == nil {
		r.stopped = make(chan struct{})
	}
	return true, func() { close(r.stopped) }
}

func (r *Runner) Start(try func() error) error {
	ok, stopped := r.start()
	if !ok {
		return nil
	}
	defer stopped()
	return try()
}

// Silent: who is going to say so has had the lock.
func (r *Runner) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running {
		<-r.stopped
	}
}

// Stepper needs the lock when it has got the function.
type Stepper struct {
	mu      sync.Mutex
	steps   int
	stopped chan struct{}
}

func (s *Stepper) start() (bool, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped != nil {
		return false, nil
	}
	s.stopped = make(chan struct{})
	return true, func() { close(s.stopped) }
}

func (s *Stepper) Start(try func() error) error {
	ok, stopped := s.start()
	if !ok {
		return nil
	}
	defer stopped()
	s.mu.Lock()
	s.steps++
	s.mu.Unlock()
	return try()
}

func (s *Stepper) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	<-s.stopped // want `wait under lock: waits for cross_wait\.Stepper\.stopped while cross_wait\.Stepper\.mu is held`
}
