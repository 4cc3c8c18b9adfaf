package cross_wait

import (
	"sync"
	"sync/atomic"
)

// A counter of one's own in place of a group: nobody waits for one who is not
// counted yet.

type Desk struct {
	mu   sync.Mutex
	open atomic.Int32
	done chan struct{}
}

func NewDesk() *Desk { return &Desk{done: make(chan struct{})} }

func (d *Desk) Serve(f func()) {
	d.mu.Lock()
	d.mu.Unlock()
	d.open.Add(1)
	defer d.leave()
	f()
}

func (d *Desk) leave() {
	if d.open.Add(-1) == 0 {
		close(d.done)
	}
}

// Silent: those who are counted have had the lock.
func (d *Desk) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open.Load() > 0 {
		<-d.done
	}
}

type Till struct {
	mu   sync.Mutex
	n    struct{ open int }
	in   sync.Mutex
	done chan struct{}
}

func NewTill() *Till { return &Till{done: make(chan struct{})} }

func (d *Till) Serve(f func()) {
	d.mu.Lock()
	d.mu.Unlock()
	d.in.Lock()
	d.n.open++
	d.in.Unlock()
	f()
	d.leave()
}

func (d *Till) leave() {
	d.in.Lock()
	defer d.in.Unlock()
	d.n.open--
	if d.n.open == 0 {
		close(d.done)
	}
}

// Silent: the same with a lock of its own around the counter.
func (d *Till) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	<-d.done
}

type Bar struct {
	mu   sync.Mutex
	open atomic.Int32
	done chan struct{}
}

func NewBar() *Bar { return &Bar{done: make(chan struct{})} }

func (d *Bar) Serve(f func()) {
	d.open.Add(1)
	defer d.leave()
	f()
}

func (d *Bar) leave() {
	if d.open.Add(-1) == 0 {
		d.mu.Lock()
		d.mu.Unlock()
		close(d.done)
	}
}

func (d *Bar) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	<-d.done // want `wait under lock: waits for cross_wait\.Bar\.done while cross_wait\.Bar\.mu is held`
}

// Where no counter is looked at, everyone who comes signals.
type Inn struct {
	mu   sync.Mutex
	open atomic.Int32
	done chan struct{}
}

func NewInn() *Inn { return &Inn{done: make(chan struct{})} }

func (d *Inn) Serve() {
	d.mu.Lock()
	d.mu.Unlock()
	d.open.Add(1)
	d.leave()
}

func (d *Inn) leave() {
	d.open.Add(-1)
	close(d.done)
}

func (d *Inn) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	<-d.done // want `wait under lock: waits for cross_wait\.Inn\.done while cross_wait\.Inn\.mu is held`
}
