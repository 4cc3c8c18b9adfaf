package order_kinds

import (
	"sync"

	"github.com/sasha-s/go-deadlock"
)

// The drop-in types of go-deadlock are locks, named by the field that has them.
type Drop struct {
	mu deadlock.Mutex
	in *DropIn
}

type DropIn struct {
	mu   deadlock.RWMutex
	drop *Drop
}

func (d *Drop) Set() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.in.mu.Lock() // want `lock order inversion: order_kinds\.DropIn\.mu acquired while order_kinds\.Drop\.mu is held`
	defer d.in.mu.Unlock()
}

func (d *DropIn) Set() {
	d.mu.RLock()
	defer d.mu.RUnlock()
	d.drop.mu.Lock()
	defer d.drop.mu.Unlock()
}

// A wrapper that does more than forward has one class for all its users. The
// two users here are of different types and cannot come the other way round.
type counting struct {
	sync.Mutex
	n int
}

func (c *counting) Lock() {
	c.Mutex.Lock()
	c.n++
}

type One struct{ c counting }

type Two struct{ c counting }

// Silent: One before Two, here and everywhere; one class for both wrappers
// would see a nesting.
func (o *One) Both(t *Two) {
	o.c.Lock()
	defer o.c.Unlock()
	t.c.Lock()
	defer t.c.Unlock()
}

// Silent: two users of a wrapper type, never held together.
func (t *Two) Apart(o *One) {
	t.c.Lock()
	t.c.Unlock()
	o.c.Lock()
	o.c.Unlock()
}

// Silent: the function handed to with runs under the lock that the caller
// gave, in the order of all others.
type Ours struct {
	mu sync.Mutex
	n  int
}

func (o *Ours) Add(w *Wide) {
	with(&w.mu, func() {
		o.mu.Lock()
		o.n++
		o.mu.Unlock()
	})
}

type Wide struct{ mu sync.Mutex }

// Silent: Wide.mu, then Ours.mu, as in Add.
func (w *Wide) Use(o *Ours) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
}
