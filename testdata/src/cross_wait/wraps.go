package cross_wait

import "sync"

// A subscription that begins another one anew, whenever that ends.

type Subscription interface {
	Unsubscribe()
	Err() <-chan error
}

type renewed struct {
	once  sync.Once
	begin func() Subscription
	unsub chan struct{}
	err   chan error
}

func Renew(begin func() Subscription) Subscription {
	s := &renewed{begin: begin, unsub: make(chan struct{}, 1), err: make(chan error)}
	go s.loop()
	return s
}

// Silent: what loop ends is the subscription inside.
func (s *renewed) Unsubscribe() {
	s.once.Do(func() {
		s.unsub <- struct{}{}
		<-s.err
	})
}

func (s *renewed) Err() <-chan error { return s.err }

func (s *renewed) loop() {
	defer close(s.err)
	for {
		sub := s.begin()
		select {
		case <-sub.Err():
		case <-s.unsub:
			sub.Unsubscribe()
			return
		}
	}
}

// Ticker ends itself.
type Ticker struct {
	once  sync.Once
	items chan int
	end   chan struct{}
}

func NewTicker() *Ticker {
	f := &Ticker{items: make(chan int), end: make(chan struct{})}
	go f.loop()
	return f
}

func (f *Ticker) Unsubscribe() {
	f.once.Do(func() { // want `wait under lock: waits for cross_wait\.Ticker\.end while cross_wait\.Ticker\.once is held`
		close(f.items)
		<-f.end
	})
}

func (f *Ticker) loop() {
	defer close(f.end)
	for n := range f.items {
		if n < 0 {
			f.Unsubscribe()
		}
	}
}
