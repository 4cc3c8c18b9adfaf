package cross_send

import (
	"context"
	"sync"
	"time"
)

type Hub struct {
	mu   sync.Mutex
	ch   chan int
	full chan int
	quit chan struct{}
	n    int
}

func NewHub() *Hub {
	h := &Hub{ch: make(chan int), full: make(chan int, 2), quit: make(chan struct{})}
	go h.pump()
	go h.drain()
	return h
}

func (h *Hub) pump() {
	for {
		h.mu.Lock()
		h.n++
		h.mu.Unlock()
		<-h.ch
	}
}

func (h *Hub) drain() {
	for {
		h.mu.Lock()
		h.n++
		h.mu.Unlock()
		<-h.full
	}
}

// Silent: a select with a default does not wait.
func (h *Hub) Offer(n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.ch <- n:
		return true
	default:
		return false
	}
}

// Silent: the wait ends with the timer.
func (h *Hub) OfferFor(n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.ch <- n:
		return true
	case <-time.After(time.Second):
		return false
	}
}

// Silent: the wait ends with the context.
func (h *Hub) OfferCtx(ctx context.Context, n int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.ch <- n:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Silent: the other case is signalled without the lock.
func (h *Hub) OfferQuit(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.ch <- n:
	case <-h.quit:
	}
}

func (h *Hub) Quit() { close(h.quit) }

type Reply struct {
	mu sync.Mutex
	n  int
}

// Silent: the channel has room for the one send of the critical section.
func (r *Reply) Ask() int {
	c := make(chan int, 1)
	r.mu.Lock()
	c <- r.n
	r.mu.Unlock()
	r.mu.Lock()
	r.n++
	r.mu.Unlock()
	return <-c
}

type Pair struct {
	mu sync.Mutex
	n  int
}

// Silent: two sends into a buffer of two, made in this function.
func (p *Pair) Ask() (int, int) {
	c := make(chan int, 2)
	go func() {
		p.mu.Lock()
		c <- p.n
		c <- p.n + 1
		p.mu.Unlock()
	}()
	p.mu.Lock()
	p.n++
	p.mu.Unlock()
	return <-c, <-c
}

type Many struct {
	mu sync.Mutex
	ch chan int
	n  int
}

// Silent: the second receiver takes no lock, and is enough.
func NewMany() *Many {
	m := &Many{ch: make(chan int)}
	go func() {
		for {
			m.mu.Lock()
			m.n++
			m.mu.Unlock()
			<-m.ch
		}
	}()
	go func() {
		for {
			<-m.ch
		}
	}()
	return m
}

// Silent: see NewMany.
func (m *Many) Put(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ch <- n
}

type Sem struct {
	slot chan struct{}
	mu   sync.Mutex
	n    int
}

func NewSem() *Sem { return &Sem{slot: make(chan struct{}, 1)} }

// Silent: the channel is a lock, and slot comes before mu everywhere.
func (s *Sem) Use() {
	s.slot <- struct{}{}
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
	<-s.slot
}

type Unknown struct {
	mu sync.Mutex
	n  int
}

// Silent: who receives from the caller's channel is not known.
func (u *Unknown) Tell(c chan<- int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	c <- u.n
}
