package order_kinds

import "sync"

// Locks that have no name but that of their condition.

type slot struct{ cond *sync.Cond }

type queue struct {
	mu    sync.RWMutex
	slots []slot
	n     int
}

func newQueue() *queue {
	return &queue{slots: []slot{{sync.NewCond(&sync.Mutex{})}}}
}

func (q *queue) put() {
	s := q.slots[0]
	s.cond.L.Lock()
	q.n++
	s.cond.L.Unlock()
}

func (q *queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put()
}

func (q *queue) len() int {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return q.n
}

type waiting struct {
	cond *sync.Cond
	q    *queue
}

func NewWaiting() *waiting {
	return &waiting{cond: sync.NewCond(&sync.Mutex{}), q: newQueue()}
}

// Silent: the lock of its condition is not that of the queue's.
func (w *waiting) Acquire() {
	w.cond.L.Lock()
	defer w.cond.L.Unlock()
	w.q.len()
}

type store struct {
	mu   sync.Mutex
	cond *sync.Cond
}

func newStore() *store { return &store{cond: sync.NewCond(&sync.Mutex{})} }

func (s *store) Put() {
	s.cond.L.Lock()
	defer s.cond.L.Unlock()
	s.mu.Lock() // want `lock order inversion: order_kinds\.store\.mu acquired while order_kinds\.store\.cond\.L is held`
	defer s.mu.Unlock()
}

func (s *store) Get() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cond.L.Lock()
	defer s.cond.L.Unlock()
}
