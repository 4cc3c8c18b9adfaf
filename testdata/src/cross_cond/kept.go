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
