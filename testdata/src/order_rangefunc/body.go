package order_rangefunc

import "sync"

type G struct {
	mu sync.Mutex
	n  int
}

type H struct {
	mu sync.Mutex
	n  int
}

// The body gives the lock up where it leaves the function; where the loop ends
// by itself the lock is still held.
func (g *G) Take(h *H, x int) bool {
	g.mu.Lock()
	for i := range upTo(g.n) {
		if i == x {
			g.mu.Unlock()
			return true
		}
	}
	h.mu.Lock() // want `lock order inversion: order_rangefunc\.H\.mu acquired while order_rangefunc\.G\.mu is held`
	h.n++
	h.mu.Unlock()
	g.mu.Unlock()
	return false
}

func (h *H) Take(g *G) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
}

type I struct {
	mu sync.Mutex
	n  int
}

type J struct {
	mu sync.Mutex
	n  int
}

// A body that releases nothing leaves the lock held after the loop.
func (i *I) Take(j *J, x int) (found bool) {
	i.mu.Lock()
	for k := range upTo(i.n) {
		if k == x {
			found = true
			break
		}
	}
	j.mu.Lock() // want `lock order inversion: order_rangefunc\.J\.mu acquired while order_rangefunc\.I\.mu is held`
	j.n++
	j.mu.Unlock()
	i.mu.Unlock()
	return found
}

func (j *J) Take(i *I) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i.mu.Lock()
	defer i.mu.Unlock()
}
