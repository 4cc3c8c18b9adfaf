package cross_wait

import "sync"

// Two objects of one type, of which one has the other, as a client that closes
// the clients below it.

type Feed struct {
	drain sync.Mutex
	done  chan struct{}
	below []*Feed
}

func NewFeed(below []*Feed) *Feed {
	return &Feed{done: make(chan struct{}), below: below}
}

// Silent: the feed below is closed by its own lock.
func (f *Feed) Drain() {
	f.drain.Lock()
	defer f.drain.Unlock()
	for _, b := range f.below {
		<-b.done
	}
}

func (f *Feed) Close() {
	f.drain.Lock()
	defer f.drain.Unlock()
	close(f.done)
}

// The same of one object.
type Well struct {
	drain sync.Mutex
	done  chan struct{}
	below []*Well
}

func NewWell(below []*Well) *Well {
	return &Well{done: make(chan struct{}), below: below}
}

func (f *Well) Drain() {
	f.drain.Lock()
	defer f.drain.Unlock()
	<-f.done // want `wait under lock: waits for cross_wait\.Well\.done while cross_wait\.Well\.drain is held`
}

func (f *Well) Close() {
	f.drain.Lock()
	f.drain.Unlock()
	close(f.done)
}

// What has the lock is not what has the event: the lock is that of all wells.
type Field struct {
	mu    sync.Mutex
	pumps []*Pump
}

type Pump struct {
	field *Field
	done  chan struct{}
}

func (f *Field) Add() {
	f.mu.Lock()
	f.pumps = append(f.pumps, &Pump{field: f, done: make(chan struct{})})
	f.mu.Unlock()
}

func (f *Field) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.pumps {
		<-p.done // want `wait under lock: waits for cross_wait\.Pump\.done while cross_wait\.Field\.mu is held`
	}
}

func (p *Pump) Run() {
	p.field.mu.Lock()
	p.field.mu.Unlock()
	close(p.done)
}
