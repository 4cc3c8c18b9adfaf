// Package cross_handoff holds locks that are given up elsewhere than they were
// taken: hand-offs are noted for the runtime, and are no findings.
package cross_handoff

import "sync"

type A struct {
	mu sync.Mutex
	n  int
}

// Silent: the goroutine gives the lock up.
func (a *A) Async() {
	a.mu.Lock()
	go func() {
		a.n++
		a.mu.Unlock()
	}()
}

// Silent: the goroutine is a method that gives up a lock it never took.
func (a *A) Async2() {
	a.mu.Lock()
	go a.finish()
}

func (a *A) finish() {
	a.n++
	a.mu.Unlock()
}

// Silent: on one path the goroutine gives the lock up, on the other this
// function does.
func (a *A) Async3(now bool) {
	a.mu.Lock()
	if now {
		a.n++
		a.mu.Unlock()
		return
	}
	go a.finish()
}

// Silent: the returned closure gives the lock up.
func (a *A) Enter() (leave func()) {
	a.mu.Lock()
	return func() { a.mu.Unlock() }
}

// Silent: so does the returned method value.
func (a *A) Enter2() func() {
	a.mu.Lock()
	return a.mu.Unlock
}

// Silent: on failure nothing is held, and nothing is returned to give up.
func (a *A) Enter3(n int) (func(), bool) {
	a.mu.Lock()
	if a.n == n {
		a.mu.Unlock()
		return nil, false
	}
	return a.mu.Unlock, true
}

type Guard struct{ release func() }

// Silent: the closure is kept in what is returned.
func (a *A) Guard() *Guard {
	a.mu.Lock()
	return &Guard{release: func() { a.mu.Unlock() }}
}

func (g *Guard) Close() { g.release() }

type Tx struct {
	a    *A
	done bool
}

// Silent: begin returns an object whose methods give the lock up.
func (a *A) Begin() *Tx {
	a.mu.Lock()
	return &Tx{a: a}
}

// Silent: gives up what Begin took.
func (t *Tx) Commit() {
	t.done = true
	t.a.mu.Unlock()
}

// Silent: gives up what Begin took.
func (t *Tx) Rollback() { t.a.mu.Unlock() }

type Sem struct {
	mu sync.Mutex
	n  int
}

// Silent: a mutex used as a binary semaphore: one goroutine waits, another
// releases.
func (s *Sem) Run() {
	s.mu.Lock()
	go func() {
		s.n++
		s.mu.Unlock()
	}()
	s.mu.Lock()
	s.mu.Unlock()
}

// Silent: P and V of a semaphore.
func (s *Sem) P() { s.mu.Lock() }

func (s *Sem) V() { s.mu.Unlock() }

// Silent: the hand-off goes through a channel of locked objects.
func Produce(out chan<- *A) {
	a := &A{}
	a.mu.Lock()
	out <- a
}

func Consume(in <-chan *A) {
	a := <-in
	a.n++
	a.mu.Unlock()
}
