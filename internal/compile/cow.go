package compile

import "maps"

// A cow is a map to bool that copies share until one of them is written to:
// most states differ from the one that they are a copy of in one entry.
type cow[K comparable] struct {
	m      map[K]bool
	shared bool
}

// copied returns a copy.
func (c *cow[K]) copied() cow[K] {
	c.shared = true
	return *c
}

// own makes the map the copy's own before it is written to.
func (c *cow[K]) own() {
	if c.shared {
		c.m, c.shared = maps.Clone(c.m), false
	}
}

func (c *cow[K]) set(k K, v bool) {
	if old, ok := c.m[k]; ok && old == v {
		return
	}
	c.own()
	if c.m == nil {
		c.m = map[K]bool{}
	}
	c.m[k] = v
}

func (c *cow[K]) delete(k K) {
	if _, ok := c.m[k]; ok {
		c.own()
		delete(c.m, k)
	}
}
