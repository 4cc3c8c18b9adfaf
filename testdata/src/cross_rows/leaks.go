package cross_rows

import (
	"errors"
	"sync"
)

var errClosed = errors.New("closed")

// Row 41: an embedded mutex, one early return.
type Msg41 struct {
	sync.Mutex
	acked bool
}

func (m *Msg41) Ack() error {
	m.Lock()
	if m.acked {
		return errClosed // want `lock leak: cross_rows\.Msg41\.Mutex acquired at .* is still held at this return`
	}
	m.Unlock()
	return nil
}

// Row 43: a leak of one lock beside a legal hand-off of another.
type Topic43 struct {
	closedLock sync.Mutex
	closed     bool
	subsLock   sync.RWMutex
	subs       []chan int
}

func (t *Topic43) Subscribe() (<-chan int, error) {
	t.closedLock.Lock()
	if t.closed {
		return nil, errClosed // want `lock leak: cross_rows\.Topic43\.closedLock acquired at .* is still held at this return`
	}
	t.closedLock.Unlock()

	t.subsLock.Lock()
	c := make(chan int)
	go func() {
		defer t.subsLock.Unlock()
		t.subs = append(t.subs, c)
	}()
	return c, nil
}

// Row 44: a bare return.
type Segment44 struct {
	sync.RWMutex
	open int
}

func (s *Segment44) Close(err error) {
	s.Lock()
	if s.open > 0 {
		s.open--
		return // want `lock leak: cross_rows\.Segment44\.RWMutex acquired at .* is still held at this return`
	}
	s.open = 0
	s.Unlock()
}

// Row 45: a read lock.
type Config45 struct {
	mu sync.RWMutex
	m  map[string]int
}

func (c *Config45) Get(k string) any {
	if k == "" {
		return c.m
	}
	c.mu.RLock()
	v, ok := c.m[k]
	if !ok {
		return nil // want `lock leak: cross_rows\.Config45\.mu acquired at .* is still held at this return`
	}
	c.mu.RUnlock()
	return v
}

// Row 46: a labelled continue; the next turn locks again, which is no finding
// of its own.
type Node46 struct {
	mu   sync.Mutex
	kids map[string]*Node46
	gen  int
}

func (n *Node46) Remove(names ...string) bool {
retry:
	for {
		n.mu.Lock()
		gen := n.gen
		for _, k := range names {
			if n.kids[k] == nil {
				n.mu.Unlock()
				return false
			}
		}
		n.mu.Unlock()

		n.mu.Lock()
		if n.gen != gen {
			continue retry // want `lock leak: cross_rows\.Node46\.mu acquired at .* is still held`
		}
		for _, k := range names {
			delete(n.kids, k)
		}
		n.mu.Unlock()
		return true
	}
}
