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

// Sums of parts that are taken anew in each turn of a loop.

type part struct {
	mu sync.Mutex
	n  int
}

func (p *part) take() *part {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &part{n: p.n}
}

// Silent: all that is added is new.
func (p *part) add(q *part) {
	p.mu.Lock()
	q.mu.Lock()
	p.n += q.n
	q.mu.Unlock()
	p.mu.Unlock()
}

type parts struct {
	mu  sync.Mutex
	all map[string]*part
}

func (s *parts) collect(from []*part, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range from {
		taken := p.take()
		if sum, ok := s.all[name]; ok {
			sum.add(taken)
		} else {
			s.all[name] = taken
		}
	}
}

func Collect(from []*part) {
	s := &parts{all: map[string]*part{}}
	s.collect(from, "all")
}

type share struct {
	mu sync.Mutex
	n  int
}

func (p *share) add(q *share) {
	p.mu.Lock()
	q.mu.Lock() // want `nested locks of one class: order_nesting\.share\.mu`
	p.n += q.n
	q.mu.Unlock()
	p.mu.Unlock()
}

type shares struct {
	all  map[string]*share
	kept []*share
}

// What is added here has been kept in the turn before.
func (s *shares) collect(n int, name string) {
	for range n {
		taken := &share{n: n}
		s.kept = append(s.kept, taken)
		s.all[name].add(taken)
	}
}

func Shares(n int) {
	s := &shares{all: map[string]*share{}}
	s.collect(n, "all")
}

// Elements of a list, of which the first takes in the others.

type volume struct {
	mu sync.Mutex
	n  int
}

// Silent: the first of the list is always locked first.
func (v *volume) join(w *volume) {
	v.mu.Lock()
	defer v.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	v.n += w.n
}

type Library struct {
	mu   sync.Mutex
	rows []*volume
}

func (l *Library) Join() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := 1; i < len(l.rows); i++ {
		v := l.rows[i]
		l.rows[0].join(v)
	}
}

type leaflet struct {
	mu sync.Mutex
	n  int
}

func (v *leaflet) join(w *leaflet) {
	v.mu.Lock()
	defer v.mu.Unlock()
	w.mu.Lock() // want `nested locks of one class: order_nesting\.leaflet\.mu`
	defer w.mu.Unlock()
	v.n += w.n
}

type Stack struct{ rows []*leaflet }

func (s *Stack) Join() {
	for i := 1; i < len(s.rows); i++ {
		v := s.rows[i]
		s.rows[0].join(v)
	}
}

// The first after one of the others.
func (s *Stack) Last() {
	v := s.rows[len(s.rows)-1]
	v.join(s.rows[0])
}
