// Package order_elements holds locks kept in arrays, slices and maps.
package order_elements

import "sync"

type Store struct {
	stripes [8]sync.Mutex
	mu      sync.Mutex
	vals    [8]int
}

func (s *Store) Put(i, v int) {
	s.stripes[i].Lock()
	defer s.stripes[i].Unlock()
	s.vals[i] = v
	s.mu.Lock()
	s.mu.Unlock()
}

func (s *Store) Dump() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.stripes {
		s.stripes[i].Lock() // want `lock order inversion: order_elements\.Store\.stripes\[\] acquired while order_elements\.Store\.mu is held`
		s.stripes[i].Unlock()
	}
}

type Pool struct {
	locks []sync.Mutex
	mu    sync.RWMutex
}

func (p *Pool) Use(i int) {
	l := &p.locks[i]
	l.Lock()
	defer l.Unlock()
	p.grow() // want `lock order inversion: order_elements\.Pool\.mu acquired while order_elements\.Pool\.locks\[\] is held`
}

func (p *Pool) grow() {
	p.mu.Lock()
	p.mu.Unlock()
}

func (p *Pool) All() {
	p.mu.RLock()
	defer p.mu.RUnlock()
	p.locks[0].Lock()
	p.locks[0].Unlock()
}

type Keyed struct {
	byKey map[string]*sync.Mutex
	mu    sync.Mutex
}

func (k *Keyed) Do(key string, f func()) {
	k.mu.Lock()
	l := k.byKey[key]
	k.mu.Unlock()
	l.Lock()
	defer l.Unlock()
	k.mu.Lock() // want `lock order inversion: order_elements\.Keyed\.mu acquired while order_elements\.Keyed\.byKey\[\] is held`
	k.mu.Unlock()
}

func (k *Keyed) Wait(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.byKey[key].Lock()
	k.byKey[key].Unlock()
}

type slot struct {
	sync.Mutex
	n int
}

type Ring struct {
	mu    sync.Mutex
	slots []slot
}

// The lock is that of the slot, whatever holds the slot.
func (r *Ring) Take(i int) {
	r.slots[i].Lock()
	defer r.slots[i].Unlock()
	r.mu.Lock()
	r.mu.Unlock()
}

func (r *Ring) Each() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.slots {
		s := &r.slots[i]
		s.Lock() // want `lock order inversion: order_elements\.slot\.Mutex acquired while order_elements\.Ring\.mu is held`
		s.n++
		s.Unlock()
	}
}

type Fine struct {
	mu    sync.Mutex
	locks []sync.Mutex
}

// Silent: stripe after mu, here and in Two.
func (f *Fine) One(i int) {
	f.mu.Lock()
	f.locks[i].Lock()
	f.mu.Unlock()
	f.locks[i].Unlock()
}

// Silent: each stripe is released by the same index.
func (f *Fine) Two(i, j int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.locks[i].Lock()
	f.locks[i].Unlock()
	f.locks[j].Lock()
	f.locks[j].Unlock()
}
