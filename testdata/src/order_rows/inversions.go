// Package order_rows holds the shapes of known lock-order bugs, reduced to what
// each asks of the analysis. The numbers are those of the corpus table.
package order_rows

import (
	"errors"
	"sort"
	"sync"
	"time"
)

// Row 01: a manager and its connections call each other, two levels deep.
type Manager01 struct {
	mu    sync.Mutex
	conns map[*Link01]bool
}

type Link01 struct {
	mu      sync.Mutex
	manager *Manager01
	backoff int
}

func (m *Manager01) ResetBackoff() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.conns {
		c.resetBackoff()
	}
}

func (c *Link01) resetBackoff() {
	c.mu.Lock()
	c.backoff = 0
	c.mu.Unlock()
}

func (c *Link01) Connect() error {
	c.mu.Lock()
	if c.backoff > 0 {
		c.mu.Unlock()
		return errors.New("backing off")
	}
	c.manager.stateChange(c, "connecting") // want `lock order inversion: order_rows\.Manager01\.mu acquired while order_rows\.Link01\.mu is held`
	c.mu.Unlock()
	return nil
}

func (m *Manager01) stateChange(c *Link01, state string) {
	m.note(c)
}

func (m *Manager01) note(c *Link01) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.conns[c] = true
}

// Row 17: embedded locks, entry points only, a timer's callback, and a
// comparator that locks both its arguments.
type Endpoint17 struct {
	sync.Mutex
	failures int
	dead     bool
}

type Set17 struct {
	sync.Mutex
	live []*Endpoint17
	dead []*Endpoint17
}

func (s *Set17) OnSuccess(c *Endpoint17) {
	c.Lock()
	defer c.Unlock()
	if !c.dead {
		return
	}
	c.dead = false
	s.Lock() // want `lock order inversion: order_rows\.Set17\.Mutex acquired while order_rows\.Endpoint17\.Mutex is held`
	defer s.Unlock()
	s.live = append(s.live, c)
}

func (s *Set17) OnFailure(c *Endpoint17) {
	s.Lock()
	defer s.Unlock()
	c.Lock()
	c.failures++
	c.dead = true
	c.Unlock()
	s.dead = append(s.dead, c)
	sort.Slice(s.dead, func(i, j int) bool {
		a, b := s.dead[i], s.dead[j]
		a.Lock()
		defer a.Unlock()
		b.Lock() // want `nested locks of one class: order_rows\.Endpoint17\.Mutex acquired while another order_rows\.Endpoint17\.Mutex is held`
		defer b.Unlock()
		return a.failures > b.failures
	})
	time.AfterFunc(time.Minute, func() {
		s.Lock()
		defer s.Unlock()
		c.Lock()
		c.dead = false
		c.Unlock()
	})
}

// Row 30: direct calls, a write lock one way and a read lock the other.
type Channel30 struct {
	mu sync.RWMutex
	id int
}

type Transport30 struct {
	lock  sync.RWMutex
	chans []*Channel30
}

func (c *Channel30) Open(t *Transport30) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id = t.newID() // want `lock order inversion: order_rows\.Transport30\.lock acquired while order_rows\.Channel30\.mu is held`
}

func (t *Transport30) newID() int {
	t.lock.Lock()
	defer t.lock.Unlock()
	return len(t.chans)
}

func (t *Transport30) Accept() {
	t.lock.RLock()
	defer t.lock.RUnlock()
	for _, c := range t.chans {
		c.mu.Lock()
		c.id = -1
		c.mu.Unlock()
	}
}

// Row 32: three locks in a ring; one is held for reading and blocks only behind
// a queued writer, one edge runs through an interface, and one lock is given up
// by another goroutine.
type coordinator32 interface{ Refresh() error }

type Broker32 struct {
	lock sync.Mutex
	conn int
}

// Silent in itself: the goroutine gives the lock up when the dial is over.
func (b *Broker32) Open() error {
	b.lock.Lock()
	go func() {
		defer b.lock.Unlock()
		b.conn = 1
	}()
	return nil
}

type Offsets32 struct {
	partLock   sync.RWMutex
	parts      map[string]int
	brokerLock sync.Mutex
	broker     *Broker32
	client     coordinator32
}

func (o *Offsets32) Flush() {
	b := o.broker
	b.lock.Lock()
	n := o.request() // want `lock order inversion: order_rows\.Broker32\.lock -> order_rows\.Offsets32\.partLock -> order_rows\.Offsets32\.brokerLock -> order_rows\.Broker32\.lock is a ring of 3 locks`
	b.conn = n
	b.lock.Unlock()
	o.response()
}

func (o *Offsets32) request() int {
	o.partLock.RLock()
	defer o.partLock.RUnlock()
	return len(o.parts)
}

func (o *Offsets32) response() {
	o.partLock.RLock()
	defer o.partLock.RUnlock()
	for range o.parts {
		o.release()
	}
}

func (o *Offsets32) release() {
	o.brokerLock.Lock()
	o.broker = nil
	o.brokerLock.Unlock()
}

func (o *Offsets32) Coordinator() error {
	o.brokerLock.Lock()
	defer o.brokerLock.Unlock()
	return o.client.Refresh()
}

func (o *Offsets32) Drop(k string) {
	o.partLock.Lock()
	delete(o.parts, k)
	o.partLock.Unlock()
}

type client32 struct{ seed *Broker32 }

func (c *client32) Refresh() error { return c.seed.Open() }

func NewOffsets32(b *Broker32) *Offsets32 {
	return &Offsets32{client: &client32{seed: b}, broker: b}
}
