package order_rows

import (
	"errors"
	"fmt"
	"sync"
)

// Row 06: a bool parameter decides whether the helper locks; the stream is
// reached back through its consumer.
type Stream06 struct {
	mu        sync.RWMutex
	name      string
	consumers []*Consumer06
}

type Consumer06 struct {
	stream *Stream06
	n      int
}

func (s *Stream06) AddConsumer() {
	c := &Consumer06{stream: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.consumers = append(s.consumers, c)
}

func (s *Stream06) getName(needLock bool) string {
	if needLock {
		s.mu.RLock()
		defer s.mu.RUnlock()
	}
	return s.name
}

func (c *Consumer06) purge(needLock bool) {
	if c.stream.getName(needLock) == "" {
		c.n = 0
	}
}

func (s *Stream06) Purge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.consumers {
		c.purge(true) // want `recursive lock: order_rows\.Stream06\.mu is already held by this goroutine`
	}
}

// Silent: the same, told that the lock is held.
func (s *Stream06) Trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.consumers {
		c.purge(false)
	}
}

// Rows 16 and 39: a recursive read lock with a writer elsewhere.
type Ring16 struct {
	mu    sync.RWMutex
	owner map[int]string
}

func (r *Ring16) Owner(i int) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.owner[i]
}

func (r *Ring16) Closest(i, n int) (all []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for j := range n {
		all = append(all, r.Owner(i+j)) // want `recursive read lock: order_rows\.Ring16\.mu is already read-held by this goroutine`
	}
	return all
}

func (r *Ring16) Join(i int, s string) {
	r.mu.Lock()
	r.owner[i] = s
	r.mu.Unlock()
}

// Row 34: a String method that locks calls another method that locks.
type Score34 struct {
	mtx sync.Mutex
	n   int
}

func (s *Score34) String() string {
	s.mtx.Lock()
	r := fmt.Sprintf("%d (%d)", s.n, s.Int()) // want `recursive lock: order_rows\.Score34\.mtx is already held by this goroutine`
	s.mtx.Unlock()
	return r
}

func (s *Score34) Int() int {
	s.mtx.Lock()
	defer s.mtx.Unlock()
	return s.n
}

// Row 35: a direct call in a loop.
type Client35 struct {
	mu   sync.Mutex
	subs map[string]bool
}

func (c *Client35) Close() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.subs {
		if err = c.Unsubscribe(id); err != nil { // want `recursive lock: order_rows\.Client35\.mu is already held by this goroutine`
			return err
		}
	}
	return nil
}

func (c *Client35) Unsubscribe(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.subs[id] {
		return errors.New("no such subscription")
	}
	delete(c.subs, id)
	return nil
}

// Row 36: a direct call on an error path only.
type Chain36 struct {
	mu   sync.RWMutex
	head int
}

func (c *Chain36) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head = 0
}

func (c *Chain36) Init(n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n < 0 {
		c.Reset() // want `recursive lock: order_rows\.Chain36\.mu is already held by this goroutine`
		return errors.New("negative")
	}
	c.head = n
	return nil
}

// Row 37: two levels of calls, the upper entry locks.
type Backend37 struct {
	mu     sync.Mutex
	blocks []int
}

func (b *Backend37) Code(n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stateAt(n) // want `recursive lock: order_rows\.Backend37\.mu is already held by this goroutine`
}

func (b *Backend37) stateAt(n int) int {
	if n == len(b.blocks) {
		return 0
	}
	return b.Block(n)
}

func (b *Backend37) Block(n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.blocks[n]
}

// Row 38: the second lock is taken by a closure given to Once.Do.
type Group38 struct {
	lock sync.Mutex
	errs []error
}

type Session38 struct {
	group   *Group38
	relOnce sync.Once
}

func newSession38(g *Group38) *Session38 { return &Session38{group: g} }

func (s *Session38) release() {
	s.relOnce.Do(func() {
		s.group.handle(errors.New("released"))
	})
}

func (g *Group38) handle(err error) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.errs = append(g.errs, err)
}

func (g *Group38) Consume() {
	g.lock.Lock()
	defer g.lock.Unlock()
	s := newSession38(g)
	s.release() // want `recursive lock: order_rows\.Group38\.lock is already held by this goroutine`
}

// Row 40: a read lock promoted through two embeddings.
type Base40 struct {
	propLock sync.RWMutex
	hidden   bool
}

type Mid40 struct {
	Base40
	off bool
}

func (m *Mid40) Disabled() bool {
	m.propLock.RLock()
	defer m.propLock.RUnlock()
	return m.off
}

func (m *Mid40) Disable() {
	m.propLock.Lock()
	m.off = true
	m.propLock.Unlock()
}

type Check40 struct {
	Mid40
	on bool
}

type render40 struct{ check *Check40 }

func NewRender40(c *Check40) interface{ Refresh() } { return &render40{check: c} }

func (r *render40) Refresh() {
	r.check.propLock.RLock()
	defer r.check.propLock.RUnlock()
	r.focus() // want `recursive read lock: order_rows\.Base40\.propLock is already read-held by this goroutine`
}

func (r *render40) focus() {
	if r.check.Disabled() {
		r.check.on = false
	}
}
