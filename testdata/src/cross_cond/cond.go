// Package cross_cond holds waits on condition variables, which give up their
// own lock and no other.
package cross_cond

import "sync"

type Queue struct {
	mu    sync.Mutex
	outer sync.Mutex
	cond  *sync.Cond
	items []int
}

func NewQueue() *Queue {
	q := &Queue{}
	q.cond = sync.NewCond(&q.mu)
	return q
}

// Queue.mu is given up while it waits; Queue.outer is not.
func (q *Queue) Take() int {
	q.outer.Lock()
	defer q.outer.Unlock()
	q.mu.Lock()
	for len(q.items) == 0 {
		q.cond.Wait() // want `wait under lock: waits for cross_cond\.Queue\.cond while cross_cond\.Queue\.outer is held`
	}
	x := q.items[0]
	q.items = q.items[1:]
	q.mu.Unlock()
	return x
}

func (q *Queue) Put(x int) {
	q.outer.Lock()
	q.mu.Lock()
	q.items = append(q.items, x)
	q.cond.Signal()
	q.mu.Unlock()
	q.outer.Unlock()
}

type Plain struct {
	mu   sync.Mutex
	cond sync.Cond
	n    int
}

func NewPlain() *Plain {
	p := &Plain{}
	p.cond.L = &p.mu
	return p
}

// Silent: the only lock that is held is the one that Wait gives up.
func (p *Plain) Take() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.n == 0 {
		p.cond.Wait()
	}
	p.n--
}

// Silent: signals with the lock held, as it should.
func (p *Plain) Put() {
	p.mu.Lock()
	p.n++
	p.cond.Broadcast()
	p.mu.Unlock()
}

type Apart struct {
	mu    sync.Mutex
	outer sync.Mutex
	cond  *sync.Cond
	n     int
}

func NewApart() *Apart {
	a := &Apart{}
	a.cond = sync.NewCond(&a.mu)
	return a
}

// Silent: the signaller does not need Apart.outer.
func (a *Apart) Take() {
	a.outer.Lock()
	defer a.outer.Unlock()
	a.mu.Lock()
	for a.n == 0 {
		a.cond.Wait()
	}
	a.n--
	a.mu.Unlock()
}

// Silent: see Take.
func (a *Apart) Put() {
	a.mu.Lock()
	a.n++
	a.mu.Unlock()
	a.cond.Signal()
}
