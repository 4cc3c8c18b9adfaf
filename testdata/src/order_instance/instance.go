// Package order_instance holds proofs, and missing proofs, that two paths lead
// to the same lock.
package order_instance

import (
	"sync"
	"sync/atomic"
)

// A getter returns the receiver's own field.
type Conn struct {
	mu  sync.Mutex
	srv *Server
}

type Server struct {
	mu    sync.Mutex
	conns []*Conn
}

func (c *Conn) server() *Server { return c.srv }

func (c *Conn) Leave() {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	c.server().drop() // want `recursive lock: order_instance\.Server\.mu is already held by this goroutine`
}

func (s *Server) drop() {
	s.mu.Lock()
	s.conns = nil
	s.mu.Unlock()
}

// A local alias of a field of the receiver.
type Sub struct {
	mu   sync.Mutex
	list []int
}

type User struct{ sub *Sub }

func (u *User) Clear() {
	s := u.sub
	s.mu.Lock()
	defer s.mu.Unlock()
	u.sub.reset() // want `recursive lock: order_instance\.Sub\.mu is already held by this goroutine`
}

func (s *Sub) reset() {
	s.mu.Lock()
	s.list = nil
	s.mu.Unlock()
}

// An atomic.Pointer that is set once, by the constructor.
type Head struct {
	mu sync.Mutex
	n  int
}

type Log struct{ head atomic.Pointer[Head] }

func NewLog() *Log {
	l := &Log{}
	l.head.Store(&Head{})
	return l
}

func (l *Log) Append() {
	h := l.head.Load()
	h.mu.Lock()
	defer h.mu.Unlock()
	l.size() // want `recursive lock: order_instance\.Head\.mu is already held by this goroutine`
}

func (l *Log) size() int {
	h := l.head.Load()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n
}

// Silent: the field is assigned between the two.
type Swap struct {
	sub *Sub
}

func (s *Swap) Replace(n *Sub) {
	old := s.sub
	old.mu.Lock()
	defer old.mu.Unlock()
	s.sub = &Sub{}
	s.sub.reset()
}

// Silent: the two stripes are kept apart by the guard, in index order.
type Striped struct {
	locks [4]sync.Mutex
	n     [4]int
}

func (s *Striped) Both(i, j int) {
	if i == j {
		return
	}
	lo, hi := min(i, j), max(i, j)
	s.locks[lo].Lock()
	s.locks[hi].Lock()
	s.n[lo], s.n[hi] = s.n[hi], s.n[lo]
	s.locks[hi].Unlock()
	s.locks[lo].Unlock()
}
