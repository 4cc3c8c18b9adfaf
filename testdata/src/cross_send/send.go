// Package cross_send holds sends and receives under a lock that the other end
// of the channel takes first.
package cross_send

import "sync"

// An event bus: the only receiver locks before it receives again.
type Bus struct {
	mu   sync.Mutex
	ch   chan int
	seen int
}

func NewBus() *Bus {
	b := &Bus{ch: make(chan int)}
	go b.pump()
	return b
}

func (b *Bus) pump() {
	for {
		b.mu.Lock()
		b.seen++
		b.mu.Unlock()
		<-b.ch
	}
}

func (b *Bus) Publish(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ch <- n // want `wait under lock: waits for cross_send\.Bus\.ch while cross_send\.Bus\.mu is held`
}

// A result channel: the receiver locks first.
type Query struct {
	mu  sync.Mutex
	res chan int
	n   int
}

func NewQuery() *Query { return &Query{res: make(chan int)} }

func (q *Query) Resolve(n int) {
	q.mu.Lock()
	q.n = n
	q.res <- n // want `wait under lock: waits for cross_send\.Query\.res while cross_send\.Query\.mu is held`
	q.mu.Unlock()
}

func (q *Query) Result() int {
	q.mu.Lock()
	q.n++
	q.mu.Unlock()
	return <-q.res
}

// A receive under the lock, where each sender may block on the lock first.
type Feed struct {
	mu sync.Mutex
	ch chan string
	n  int
}

func NewFeed() *Feed {
	f := &Feed{ch: make(chan string)}
	go f.produce("a")
	go f.produce("b")
	return f
}

func (f *Feed) produce(s string) {
	for {
		f.mu.Lock()
		f.n++
		f.mu.Unlock()
		f.ch <- s
	}
}

func (f *Feed) Next() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return <-f.ch // want `wait under lock: waits for cross_send\.Feed\.ch while cross_send\.Feed\.mu is held`
}

// A channel that is only ever closed has one closer a run: one that needs the
// lock is enough.
type Load struct {
	mu    sync.Mutex
	ready chan struct{}
	err   error
}

func NewLoad(read func() error) *Load {
	l := &Load{ready: make(chan struct{})}
	go l.run(read)
	return l
}

func (l *Load) run(read func() error) {
	if err := read(); err != nil {
		l.mu.Lock()
		l.err = err
		close(l.ready)
		l.mu.Unlock()
		return
	}
	close(l.ready)
}

func (l *Load) Wait() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	<-l.ready // want `wait under lock: waits for cross_send\.Load\.ready while cross_send\.Load\.mu is held`
	return l.err
}

// More sends than the buffer holds, inside one critical section.
type Batch struct {
	mu  sync.Mutex
	out chan int
	n   int
}

func NewBatch() *Batch {
	b := &Batch{out: make(chan int, 2)}
	go b.sink()
	return b
}

func (b *Batch) sink() {
	for {
		b.mu.Lock()
		b.n++
		b.mu.Unlock()
		<-b.out
	}
}

func (b *Batch) Flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range 3 {
		b.out <- i // want `wait under lock: waits for cross_send\.Batch\.out while cross_send\.Batch\.mu is held`
	}
}

// A select without a way out: each of its cases needs the lock.
type Split struct {
	mu   sync.Mutex
	a, b chan int
	n    int
}

func NewSplit() *Split {
	s := &Split{a: make(chan int), b: make(chan int)}
	go s.read(s.a)
	go s.read(s.b)
	return s
}

func (s *Split) read(c chan int) {
	for {
		s.mu.Lock()
		s.n++
		s.mu.Unlock()
		<-c
	}
}

func (s *Split) Put(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select { // want `wait under lock: waits for cross_send\.Split\.[ab] while cross_send\.Split\.mu is held`
	case s.a <- n:
	case s.b <- n:
	}
}
