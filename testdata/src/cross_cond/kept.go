package cross_cond

import "sync"

// A condition and its lock, made as variables and kept in fields.

type Ingester struct {
	mu     *sync.Mutex
	cond   *sync.Cond
	active bool
}

func NewIngester() *Ingester {
	var mu sync.Mutex
	return &Ingester{mu: &mu, cond: sync.NewCond(&mu)}
}

// Silent: the wait gives up the lock.
func (i *Ingester) Begin() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for i.active {
		i.cond.Wait()
	}
	i.active = true
}

func (i *Ingester) End() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.active = false
	i.cond.Broadcast()
}

// Two locks, of which the condition has one.
type Depot struct {
	outer *sync.Mutex
	mu    *sync.Mutex
	cond  *sync.Cond
	full  bool
}

func NewDepot() *Depot {
	var outer, mu sync.Mutex
	return &Depot{outer: &outer, mu: &mu, cond: sync.NewCond(&mu)}
}

func (d *Depot) Put() {
	d.outer.Lock()
	defer d.outer.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.full {
		d.cond.Wait() // want `wait under lock: waits for cross_cond\.Depot\.cond while cross_cond\.Depot\.outer is held`
	}
	d.full = true
}

func (d *Depot) Take() {
	d.outer.Lock()
	defer d.outer.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = false
	d.cond.Broadcast()
}

// Silent: a lock with two names, which nothing tells from its own.
type Shared struct {
	mu   *sync.Mutex
	cond *sync.Cond
}

func NewShared() *Shared {
	mu := &sync.Mutex{}
	mu.Lock()
	defer mu.Unlock()
	return &Shared{mu: mu, cond: sync.NewCond(mu)}
}

func (s *Shared) Await() {
	s.mu.Lock()
	s.cond.Wait()
	s.mu.Unlock()
}

func (s *Shared) Tell() {
	s.mu.Lock()
	s.cond.Broadcast()
	s.mu.Unlock()
}

// Two conditions of one lock, which has no other name.

type cell struct {
	full, empty *sync.Cond
	n           int
}

func newCell() *cell {
	m := &sync.Mutex{}
	return &cell{full: sync.NewCond(m), empty: sync.NewCond(m)}
}

func (c *cell) Put(n int) {
	c.empty.L.Lock()
	for c.n != 0 {
		c.empty.Wait()
	}
	c.n = n
	c.empty.L.Unlock()
	c.full.Broadcast()
}

// Silent: it gives up the lock that Put needs.
func (c *cell) Take() int {
	c.empty.L.Lock()
	defer c.empty.L.Unlock()
	for c.n == 0 {
		c.full.Wait()
	}
	n := c.n
	c.n = 0
	c.empty.Broadcast()
	return n
}

// Two conditions with a lock each.

type tray struct {
	full, empty *sync.Cond
	n           int
}

func newTray() *tray {
	return &tray{full: sync.NewCond(&sync.Mutex{}), empty: sync.NewCond(&sync.Mutex{})}
}

func (t *tray) Put(n int) {
	t.empty.L.Lock()
	t.n = n
	t.empty.L.Unlock()
	t.full.Broadcast()
}

func (t *tray) Take() int {
	t.empty.L.Lock()
	defer t.empty.L.Unlock()
	t.full.L.Lock()
	defer t.full.L.Unlock()
	for t.n == 0 {
		t.full.Wait() // want `wait under lock: waits for cross_cond\.tray\.full while cross_cond\.tray\.empty\.L is held`
	}
	return t.n
}
