package order_ring

import "sync"

type Stepper interface{ Step() }

type One struct {
	mu   sync.Mutex
	next Stepper
}

type Two struct {
	mu   sync.Mutex
	next Walker
}

type Three struct {
	mu   sync.Mutex
	next Runner
}

type Walker interface{ Walk() }

type Runner interface{ Run() }

func NewRing() (*One, *Two, *Three) {
	o, w, h := &One{}, &Two{}, &Three{}
	o.next, w.next, h.next = w, h, o
	return o, w, h
}

// Silent: the three know each other through interfaces only, so that nothing
// says that it is the same three in all goroutines.
func (o *One) Run() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.next.Step()
}

// Silent: see One.Run.
func (t *Two) Step() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next.Walk()
}

// Silent: see One.Run.
func (t *Three) Walk() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next.Run()
}

// In the same ring with one pointer in it, one of the objects is known.
type Uno struct {
	mu   sync.Mutex
	next *Due
}

type Due struct {
	mu   sync.Mutex
	next Hiker
}

type Tre struct {
	mu   sync.Mutex
	next Racer
}

type Hiker interface{ Hike() }

type Racer interface{ Race() }

func NewKnown() (*Uno, *Due, *Tre) {
	u, d, t := &Uno{}, &Due{}, &Tre{}
	u.next, d.next, t.next = d, t, u
	return u, d, t
}

func (u *Uno) Race() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.next.step()
}

func (d *Due) step() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next.Hike() // want `lock order inversion: order_ring\.Due\.mu -> order_ring\.Tre\.mu -> order_ring\.Uno\.mu -> order_ring\.Due\.mu is a ring of 3 locks`
}

func (t *Tre) Hike() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next.Race()
}
