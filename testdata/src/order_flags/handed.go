package order_flags

import "sync"

// The condition is on a parameter of a function that is handed on: the
// argument is known where that function is called in the end.

type Tx struct{ s *Store }

func (t *Tx) put(k string) { t.s.m[k]++ }

type Store struct {
	mu sync.Mutex
	m  map[string]int
}

func (s *Store) Update(f func(*Tx)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&Tx{s})
}

// Silent: who has a transaction does not begin another one.
func (s *Store) save(tx *Tx, k string) {
	if tx == nil {
		s.Update(func(tx *Tx) { tx.put(k) })
		return
	}
	tx.put(k)
}

func (s *Store) each(visit func(*Tx)) { s.visit(visit) }

func (s *Store) visit(visit func(*Tx)) { s.Update(visit) }

func (s *Store) Touch(k string) {
	s.each(func(tx *Tx) { s.save(tx, k) })
}

func (s *Store) Add(k string) { s.save(nil, k) }

type Ledger struct {
	mu sync.Mutex
	m  map[string]int
}

type Entry struct{ l *Ledger }

func (e *Entry) put(k string) { e.l.m[k]++ }

func (l *Ledger) Update(f func(*Entry)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(nil) // want `recursive lock: order_flags\.Ledger\.mu is already held by this goroutine, acquired at .*handed\.go:\d+`
}

func (l *Ledger) save(e *Entry, k string) {
	if e == nil {
		l.Update(func(*Entry) { l.m[k]++ })
		return
	}
	e.put(k)
}

func (l *Ledger) each(visit func(*Entry)) { l.visit(visit) }

func (l *Ledger) visit(visit func(*Entry)) { l.Update(visit) }

func (l *Ledger) Touch(k string) {
	l.each(func(e *Entry) { l.save(e, k) })
}
