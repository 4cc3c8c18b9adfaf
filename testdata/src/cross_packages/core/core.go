// Package core has the lock and the loop that needs it.
package core

import "sync"

type Engine struct {
	mu   sync.Mutex
	n    int
	task chan int
	done chan struct{}
}

func New() *Engine {
	e := &Engine{task: make(chan int), done: make(chan struct{})}
	go e.run()
	return e
}

func (e *Engine) run() {
	defer close(e.done)
	for n := range e.task {
		e.mu.Lock()
		e.n += n
		e.mu.Unlock()
	}
}

func (e *Engine) Submit(n int) { e.task <- n }

// Latch is an event with no lock of its own.
type Latch struct{ C chan struct{} }

func NewLatch() *Latch { return &Latch{C: make(chan struct{})} }

func (l *Latch) Open() { close(l.C) }

func (l *Latch) Wait() { <-l.C }
