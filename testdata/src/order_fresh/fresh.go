// Package order_fresh holds locks of objects that no other goroutine has seen
// yet, and of objects that only look so.
package order_fresh

import (
	"sync"
	"sync/atomic"
)

type Pool struct {
	mu    sync.Mutex
	items []*Item
}

type Item struct {
	mu   sync.Mutex
	pool *Pool
	n    int
}

// Silent: the item is new, so its lock cannot be waited for.
func (p *Pool) New() *Item {
	p.mu.Lock()
	defer p.mu.Unlock()
	it := &Item{pool: p}
	it.mu.Lock()
	it.n = 1
	it.mu.Unlock()
	p.items = append(p.items, it)
	return it
}

// Silent: the only order between two published objects.
func (it *Item) Free() {
	it.mu.Lock()
	defer it.mu.Unlock()
	it.pool.mu.Lock()
	defer it.pool.mu.Unlock()
}

// Silent: the new item is locked by a callee.
func (p *Pool) New2() *Item {
	p.mu.Lock()
	defer p.mu.Unlock()
	it := new(Item)
	it.set(2)
	p.items = append(p.items, it)
	return it
}

func (it *Item) set(n int) {
	it.mu.Lock()
	it.n = n
	it.mu.Unlock()
}

type Desk struct {
	mu    sync.Mutex
	drawn []*Draw
}

type Draw struct {
	mu   sync.Mutex
	desk *Desk
}

// Published first, locked then.
func (d *Desk) New() *Draw {
	d.mu.Lock()
	defer d.mu.Unlock()
	x := &Draw{desk: d}
	d.drawn = append(d.drawn, x)
	go x.Free()
	x.mu.Lock() // want `lock order inversion: order_fresh\.Draw\.mu acquired while order_fresh\.Desk\.mu is held`
	x.mu.Unlock()
	return x
}

func (x *Draw) Free() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.desk.mu.Lock()
	defer x.desk.mu.Unlock()
}

type Hub struct {
	mu   sync.Mutex
	last *Port
}

var lastPort atomic.Pointer[Port]

type Port struct {
	mu  sync.Mutex
	hub *Hub
}

// Silent: published on another branch only, which returns.
func (h *Hub) New(keep bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := &Port{hub: h}
	if keep {
		h.last = p
		return
	}
	p.mu.Lock()
	p.mu.Unlock()
}

// Silent: the only order between two published objects.
func (p *Port) Free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
}

// Silent: published under one condition, locked under the opposite one.
func (h *Hub) New2(keep bool) *Port {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := &Port{hub: h}
	if keep {
		lastPort.Store(p)
	}
	if !keep {
		p.mu.Lock()
		p.mu.Unlock()
	}
	return p
}

type Room struct {
	mu    sync.Mutex
	seats []*Seat
}

type Seat struct {
	mu   sync.Mutex
	room *Room
}

// Silent: the fresh room is held, and nobody else can wait for it there.
func NewRoom(seat *Seat) *Room {
	r := &Room{}
	r.mu.Lock()
	seat.mu.Lock()
	r.seats = append(r.seats, seat)
	seat.mu.Unlock()
	r.mu.Unlock()
	return r
}

// Silent: seat, then room, for every published room.
func (s *Seat) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room.mu.Lock()
	s.room.mu.Unlock()
}
