package order_nesting

import "sync"

// Two parameters of which the callers say which is which.

type set struct {
	mu sync.Mutex
	m  map[string]int
}

func newSet() *set { return &set{m: map[string]int{}} }

// Silent: one of the two is always new.
func (s *set) merge(o *set) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	for k, n := range o.m {
		s.m[k] += n
	}
}

type Stats struct{ seen *set }

func NewStats() *Stats { return &Stats{seen: newSet()} }

func Sum(all []*Stats) *Stats {
	sum := NewStats()
	for _, s := range all {
		sum.seen.merge(s.seen)
	}
	return sum
}

type bag struct {
	mu sync.Mutex
	m  map[string]int
}

// One caller has both from elsewhere.
func (s *bag) merge(o *bag) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.mu.Lock() // want `nested locks of one class: order_nesting\.bag\.mu acquired while another order_nesting\.bag\.mu is held`
	defer o.mu.Unlock()
	for k, n := range o.m {
		s.m[k] += n
	}
}

type Bags struct{ seen *bag }

func NewBags() *Bags { return &Bags{seen: &bag{}} }

func SumBags(all []*Bags) *Bags {
	sum := NewBags()
	for _, s := range all {
		sum.seen.merge(s.seen)
	}
	return sum
}

func (s *Bags) Add(o *Bags) { s.seen.merge(o.seen) }

type list struct {
	mu sync.RWMutex
	m  map[string]int
}

func (l *list) put(k string) {
	l.mu.Lock()
	l.m[k]++
	l.mu.Unlock()
}

// Silent: it is always the one field first, or the other one alone.
func (l *list) without(o *list) (n int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if o != nil {
		o.mu.RLock()
		defer o.mu.RUnlock()
		n = len(o.m)
	}
	return len(l.m) - n
}

type Jobs struct{ checking, moving *list }

func (j *Jobs) Put(k string) {
	j.checking.put(k)
	j.moving.put(k)
}

func (j *Jobs) Left() int { return j.checking.without(j.moving) + j.moving.without(nil) }

type queue struct {
	mu sync.RWMutex
	m  map[string]int
}

func (l *queue) put(k string) {
	l.mu.Lock()
	l.m[k]++
	l.mu.Unlock()
}

// Two callers, who do not agree.
func (l *queue) without(o *queue) (n int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	o.mu.RLock() // want `nested locks of one class: order_nesting\.queue\.mu acquired while another order_nesting\.queue\.mu is held`
	defer o.mu.RUnlock()
	return len(l.m) - len(o.m)
}

type Tasks struct{ checking, moving *queue }

func (j *Tasks) Put(k string) {
	j.checking.put(k)
	j.moving.put(k)
}

func (j *Tasks) Left() int { return j.checking.without(j.moving) }

func (j *Tasks) Right() int { return j.moving.without(j.checking) }
