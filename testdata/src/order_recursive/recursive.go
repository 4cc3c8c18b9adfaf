// Package order_recursive holds locks that a goroutine takes again while it
// holds the same instance.
package order_recursive

import "sync"

type Set struct {
	mu sync.Mutex
	m  map[string]bool
}

func (s *Set) Has(k string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[k]
}

func (s *Set) Add(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.Has(k) { // want `recursive lock: order_recursive\.Set\.mu is already held by this goroutine, acquired at .*recursive\.go:20:\d+ \[lockorder/recursive LV-[0-9a-f]{8}\]`
		s.m[k] = true
	}
}

type Deep struct {
	mu sync.Mutex
	n  int
}

func (d *Deep) Get() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.n
}

func (d *Deep) sum() int { return d.sum1() }

func (d *Deep) sum1() int { return sum2(d) }

func sum2(x *Deep) int { return x.Get() }

func (d *Deep) Sum() int {
	d.mu.Lock()
	n := d.sum() // want `recursive lock: order_recursive\.Deep\.mu is already held by this goroutine`
	d.mu.Unlock()
	return n
}

type Direct struct{ mu sync.Mutex }

func (d *Direct) Twice() {
	d.mu.Lock()
	d.mu.Lock() // want `recursive lock: order_recursive\.Direct\.mu is already held by this goroutine`
	d.mu.Unlock()
	d.mu.Unlock()
}

var global sync.Mutex

func Global() {
	global.Lock()
	defer global.Unlock()
	again() // want `recursive lock: order_recursive\.global is already held by this goroutine`
}

func again() {
	global.Lock()
	global.Unlock()
}

type Upgrade struct {
	mu sync.RWMutex
	n  int
}

func (u *Upgrade) Grow() {
	u.mu.RLock()
	defer u.mu.RUnlock()
	if u.n == 0 {
		u.set(1) // want `lock upgrade: order_recursive\.Upgrade\.mu is write-locked while read-held by this goroutine`
	}
}

func (u *Upgrade) set(n int) {
	u.mu.Lock()
	u.n = n
	u.mu.Unlock()
}

type Downgrade struct {
	mu sync.RWMutex
	n  int
}

func (d *Downgrade) Set(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Get() != n { // want `recursive lock: order_recursive\.Downgrade\.mu is already held by this goroutine`
		d.n = n
	}
}

func (d *Downgrade) Get() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.n
}

type Readers struct {
	mu sync.RWMutex
	m  map[int]string
}

func (r *Readers) Name(i int) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.m[i]
}

func (r *Readers) Names() (all []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i := range r.m {
		all = append(all, r.Name(i)) // want `recursive read lock: order_recursive\.Readers\.mu is already read-held by this goroutine, acquired at .*, and a writer waiting between the two deadlocks both`
	}
	return all
}

func (r *Readers) SetName(i int, s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[i] = s
}

// The lock of the same parent, by way of a child that got it from its
// constructor and nowhere else.
type Parent struct {
	mu   sync.Mutex
	kids []*Kid
}

type Kid struct {
	parent *Parent
}

func (p *Parent) NewKid() {
	k := &Kid{parent: p}
	p.mu.Lock()
	p.kids = append(p.kids, k)
	p.mu.Unlock()
}

func (k *Kid) Remove() {
	k.parent.mu.Lock()
	k.parent.kids = nil
	k.parent.mu.Unlock()
}

func (p *Parent) RemoveAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.kids {
		k.Remove() // want `recursive lock: order_recursive\.Parent\.mu is already held by this goroutine`
	}
}

// A local captured by a closure that is called under it.
func Local(n int) int {
	var mu sync.Mutex
	get := func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
	mu.Lock()
	n += get() // want `recursive lock: order_recursive\.Local\.mu is already held by this goroutine`
	mu.Unlock()
	return n
}
