package order_ring

import "sync"

var gate sync.Mutex

type U struct{ mu sync.Mutex }

type V struct{ mu sync.Mutex }

type W struct{ mu sync.Mutex }

// Silent: two edges of the ring exclude each other by the gate.
func UV(u *U, v *V) {
	gate.Lock()
	defer gate.Unlock()
	u.mu.Lock()
	v.mu.Lock()
	v.mu.Unlock()
	u.mu.Unlock()
}

// Silent: the edge without the gate closes the ring only with both others.
func VW(v *V, w *W) {
	v.mu.Lock()
	w.mu.Lock()
	w.mu.Unlock()
	v.mu.Unlock()
}

// Silent: shares the gate with UV.
func WU(w *W, u *U) {
	gate.Lock()
	defer gate.Unlock()
	w.mu.Lock()
	u.mu.Lock()
	u.mu.Unlock()
	w.mu.Unlock()
}

type X struct{ mu sync.Mutex }

type Y struct{ mu sync.Mutex }

type Z struct{ mu sync.Mutex }

// Silent: X, Y, Z always in that order, also when Y is left out.
func XY(x *X, y *Y) {
	x.mu.Lock()
	y.mu.Lock()
	y.mu.Unlock()
	x.mu.Unlock()
}

// Silent: see XY.
func YZ(y *Y, z *Z) {
	y.mu.Lock()
	z.mu.Lock()
	z.mu.Unlock()
	y.mu.Unlock()
}

// Silent: see XY.
func XZ(x *X, z *Z) {
	x.mu.Lock()
	z.mu.Lock()
	z.mu.Unlock()
	x.mu.Unlock()
}
