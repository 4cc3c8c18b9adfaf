package order_elements

import "sync"

// All elements are locked by one loop and unlocked by another.

type cell struct {
	mu sync.Mutex
	n  int
}

type Grid struct {
	mu    sync.Mutex
	cells []*cell
}

// Silent: nothing is held after the second loop.
func (g *Grid) Bump() {
	for _, c := range g.cells {
		c.mu.Lock()
	}
	g.cells[0].n++
	for _, c := range g.cells {
		c.mu.Unlock()
	}
	g.mu.Lock()
	g.cells = nil
	g.mu.Unlock()
}

func (g *Grid) Sum() (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.cells {
		c.mu.Lock()
		n += c.n
		c.mu.Unlock()
	}
	return n
}

type row struct {
	mu sync.Mutex
	n  int
}

type Rows struct {
	mu   sync.Mutex
	rows []*row
}

// Between the loops all are held.
func (r *Rows) Bump() {
	for _, c := range r.rows {
		c.mu.Lock()
	}
	r.mu.Lock()
	r.rows[0].n++
	r.mu.Unlock()
	for _, c := range r.rows {
		c.mu.Unlock()
	}
}

func (r *Rows) Sum() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.rows {
		c.mu.Lock() // want `lock order inversion: order_elements\.row\.mu acquired while order_elements\.Rows\.mu is held`
		n += c.n
		c.mu.Unlock()
	}
	return n
}

// record has a lock that other records may share.
type record struct {
	mu   *sync.Mutex
	dead bool
}

type victim struct{ *record }

type Cache struct {
	mu      sync.Mutex
	records map[string]*record
}

// Silent: what the first loop keeps locked goes into a slice.
func (c *Cache) Prune() {
	var victims []*victim
	for _, r := range c.records {
		r.mu.Lock()
		if r.dead {
			r.mu.Unlock()
			continue
		}
		victims = append(victims, &victim{r})
	}
	for _, v := range victims {
		v.dead = true
		v.mu.Unlock()
	}
	c.mu.Lock()
	clear(c.records)
	c.mu.Unlock()
}

func (c *Cache) Count() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.records {
		r.mu.Lock()
		if r.dead {
			n++
		}
		r.mu.Unlock()
	}
	return n
}

type entry struct {
	mu   sync.Mutex
	dead bool
}

type Table struct {
	mu      sync.Mutex
	entries []*entry
}

// The second loop may stop before it has unlocked all.
func (t *Table) Prune() {
	for _, e := range t.entries {
		e.mu.Lock()
	}
	for _, e := range t.entries {
		if e.dead {
			break
		}
		e.mu.Unlock()
	}
	t.mu.Lock()
	t.entries = nil
	t.mu.Unlock()
}

func (t *Table) Count() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entries {
		e.mu.Lock() // want `lock order inversion: order_elements\.entry\.mu acquired while order_elements\.Table\.mu is held`
		if e.dead {
			n++
		}
		e.mu.Unlock()
	}
	return n
}

type seat struct {
	mu   sync.Mutex
	free bool
}

type Seats struct {
	mu    sync.Mutex
	first seat
	seats []*seat
}

func (s *Seats) Take() {
	for _, e := range s.seats {
		e.mu.Lock()
	}
}

// The loop gives up others than the one that is held.
func (s *Seats) Free() {
	s.first.mu.Lock()
	for _, e := range s.seats {
		e.mu.Unlock()
	}
	s.mu.Lock()
	s.seats = nil
	s.mu.Unlock()
	s.first.mu.Unlock()
}

func (s *Seats) Count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first.mu.Lock() // want `lock order inversion: order_elements\.seat\.mu acquired while order_elements\.Seats\.mu is held`
	s.first.free = true
	s.first.mu.Unlock()
}
