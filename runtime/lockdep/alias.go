package lockdep

import "sync"

// A Pool is a sync.Pool. It is not tracked.
type Pool = sync.Pool

// A Map is a sync.Map. It is not tracked.
type Map = sync.Map

// How says how a lock is acquired, for [Lock] and [RLock].
type How struct {
	level  int
	parent any
}

// Nested acquires a lock while others of its class may be held: it is the n-th
// of a nest, and the order of the levels is checked instead. Levels go from 1
// to 15; a level outside is refused with a panic.
func Nested(n int) How {
	if n < 1 || n > 15 {
		panic("lockdep: Nested: level must be from 1 to 15")
	}
	return How{level: n}
}

// Under acquires a lock while others of its class may be held, in any order,
// because everyone who does so holds parent, for writing. Acquiring it without
// holding parent is reported.
func Under(parent any) How { return How{parent: parent} }

// A Cookie proves that a lock was pinned.
type Cookie struct{ seq uint32 }
