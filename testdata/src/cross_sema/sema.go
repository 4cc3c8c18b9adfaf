// Package cross_sema holds waits on semaphores, contexts and Once.
package cross_sema

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

type Slots struct {
	mu  sync.Mutex
	sem *semaphore.Weighted
	n   int
}

func NewSlots() *Slots { return &Slots{sem: semaphore.NewWeighted(1)} }

// The one slot is given back only after Slots.mu was taken.
func (s *Slots) Run() {
	if err := s.sem.Acquire(context.Background(), 1); err != nil {
		return
	}
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
	s.sem.Release(1)
}

func (s *Slots) Exclusive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.sem.Acquire(context.Background(), 1); err != nil { // want `wait under lock: waits for cross_sema\.Slots\.sem while cross_sema\.Slots\.mu is held`
		return err
	}
	s.sem.Release(1)
	return nil
}

type Loose struct {
	mu  sync.Mutex
	sem *semaphore.Weighted
	n   int
}

func NewLoose() *Loose { return &Loose{sem: semaphore.NewWeighted(1)} }

// Silent: the slot is given back with no lock taken in between.
func (l *Loose) Run() {
	if err := l.sem.Acquire(context.Background(), 1); err != nil {
		return
	}
	l.n++
	l.sem.Release(1)
}

// Silent: see Run.
func (l *Loose) Exclusive() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.sem.Acquire(context.Background(), 1); err != nil {
		return err
	}
	l.n++
	l.sem.Release(1)
	return nil
}

// Silent: TryAcquire does not wait.
func (s *Slots) Try() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sem.TryAcquire(1) {
		return false
	}
	s.sem.Release(1)
	return true
}

// Silent: the wait ends when the caller's context does.
func (s *Slots) Polite(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.sem.Acquire(ctx, 1); err != nil {
		return err
	}
	s.sem.Release(1)
	return nil
}

type Task struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelFunc
	n      int
}

func NewTask() *Task {
	t := &Task{}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

// Silent: cancelled by whoever calls Stop, with no lock needed.
func (t *Task) Wait() {
	t.mu.Lock()
	defer t.mu.Unlock()
	<-t.ctx.Done()
}

func (t *Task) Stop() { t.cancel() }
