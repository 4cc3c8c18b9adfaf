package core

import "sync/atomic"

// Provoking: a goroutine that is about to take the second lock of a dependency
// on a known ring is held for a moment, so that the goroutines of the other
// dependencies can come. While it is held it counts as blocked: whoever closes
// the ring finds it, and nothing can open it again.
//
// The hold is a loop that yields rather than a sleep: in a synctest bubble time
// would stand still as long as others wait for a mutex. It yields a number of
// times at least, since on a machine that is busy with others a moment may pass
// in which nobody here could come.
const fewestYields = 16

// A Provocation says what to hold, and for how long.
type Provocation struct {
	Edges [][2]int32 // dependencies between nodes, which are numbered from 1
	Seed  uint64     // chooses which goroutines are held after the first, and how long
	Hold  int64      // longest hold, in nanoseconds
	Total int64      // of all holds together

	// Node returns the node that stands for a class, 0 if there is none. It is
	// called once for each class, with no engine lock held.
	Node func(class uint16) int32
}

var provoking struct {
	on bool
	Provocation
	edges []provoked
	spent atomic.Int64
}

// provoked is one dependency of a Provocation.
type provoked struct {
	from, to int32
	comes    atomic.Uint32 // how often a goroutine came here
	spent    atomic.Int64  // of its share of the total
}

// Provoke begins to hold goroutines.
//
//go:norace
func Provoke(p Provocation) {
	provoking.Provocation = p
	provoking.edges = make([]provoked, len(p.Edges))
	for i := range p.Edges {
		provoking.edges[i].from, provoking.edges[i].to = p.Edges[i][0], p.Edges[i][1]
	}
	provoking.on = len(p.Edges) > 0
}

// provokedNode returns the node that stands for class, 0 if there is none.
//
//go:norace
func provokedNode(class uint16) int32 {
	if class == 0 {
		return 0
	}
	c := &classes[class]
	n := atomic.LoadInt32(&c.node)
	if n == 0 {
		leave()
		Quiet(true)
		n = provoking.Node(class)
		Quiet(false)
		enter()
		if n == 0 {
			n = -1
		}
		atomic.StoreInt32(&c.node, n)
	}
	if n < 0 {
		return 0
	}
	return n
}

// provoke holds r's goroutine, which is about to acquire l, if what it holds
// besides makes that one of the dependencies to provoke.
//
//go:norace
func (r *record) provoke(l *Lock, mode uint8, pc uintptr) {
	enter()
	e := r.provokedEdge(mode)
	if e == nil {
		leave()
		return
	}
	nth := e.comes.Add(1)
	chance := mix(provoking.Seed, uint64(e.from)<<40|uint64(e.to)<<20|uint64(nth))
	length := provoking.Hold
	if nth > 1 {
		length -= int64(chance>>1) % (length/2 + 1)
	}
	share := provoking.Total / int64(len(provoking.edges))
	if nth > 1 && chance&3 == 0 || e.spent.Load() > 0 && e.spent.Load()+length > share || provoking.spent.Add(length) > provoking.Total {
		leave()
		return
	}
	e.spent.Add(length)
	count(ProvokeHold)
	r.waitHeld = true
	r.blocksOn(l, mode, pc, true)
	later(r.deadlocked(l, mode))
	leave()
	if pending.Load() != nil {
		deliver()
	}
	until := nanotime() + length
	for n := 0; n < fewestYields || nanotime() < until; n++ {
		yield()
	}
	enter()
	r.waitLock.Store(nil)
	r.waitHeld = false
	leave()
}

// provokedEdge returns the dependency to provoke that the innermost lock of r
// makes with one of the others. One that is taken again by its holder is of
// interest to read only: a writer may come between. Written twice it deadlocks
// unaided.
//
//go:norace
func (r *record) provokedEdge(mode uint8) *provoked {
	d := int(r.depth) - 1
	to := provokedNode(r.held[d].class)
	if to == 0 {
		return nil
	}
	for i := d - 1; i >= 0; i-- {
		from := provokedNode(r.held[i].class)
		if from == 0 || r.held[i].inst == r.held[d].inst && (mode != Read || r.held[i].mode != Read) {
			continue
		}
		for k := range provoking.edges {
			if e := &provoking.edges[k]; e.from == from && e.to == to {
				return e
			}
		}
	}
	return nil
}
