package core

import "sync/atomic"

// Provoking: a goroutine that is about to take the second lock of a dependency
// on a known ring, or the lock that it needs before it can signal, is held for a
// moment, so that the goroutines of the other
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
	Lines []uint64   // hashes of lines that acquire a lock, see HashLine
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

// provoked is one dependency or line of a Provocation.
type provoked struct {
	from, to int32         // 0 of a line
	line     uint64        // 0 of a dependency
	comes    atomic.Uint32 // how often a goroutine came here
	spent    atomic.Int64  // of its share of the total
}

// Provoke begins to hold goroutines.
//
//go:norace
func Provoke(p Provocation) {
	provoking.Provocation = p
	provoking.edges = make([]provoked, 0, len(p.Edges)+len(p.Lines))
	for _, e := range p.Edges {
		provoking.edges = append(provoking.edges, provoked{from: e[0], to: e[1]})
	}
	for _, line := range p.Lines {
		provoking.edges = append(provoking.edges, provoked{line: line})
	}
	provoking.on = len(provoking.edges) > 0
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
	length := e.hold()
	if length == 0 {
		leave()
		return
	}
	r.waitHeld = true
	r.blocksOn(l, mode, pc, true)
	later(r.deadlocked(l, mode))
	leave()
	if pending.Load() != nil {
		deliver()
	}
	stay(length)
	enter()
	r.waitLock.Store(nil)
	r.waitHeld = false
	leave()
}

// provokeLine holds the calling goroutine, which is about to acquire a lock at
// pc, if that is one of the lines to hold at: a goroutine that will signal, and
// needs a lock before, comes too late for one that waits with that lock held.
// It counts as blocked by nobody: who else could end the wait is not known.
//
//go:norace
func provokeLine(pc uintptr) {
	if len(provoking.Lines) == 0 {
		return
	}
	enter()
	if tracked {
		pc = callerAt(pc)
	}
	line := siteLine(site(pc))
	var length int64
	for k := range provoking.edges {
		if e := &provoking.edges[k]; e.line == line {
			length = e.hold()
			break
		}
	}
	leave()
	stay(length)
}

// hold returns for how long a goroutine that came to e is held, 0 if it is not.
//
//go:norace
func (e *provoked) hold() int64 {
	nth := e.comes.Add(1)
	chance := mix(provoking.Seed^e.line, uint64(e.from)<<40|uint64(e.to)<<20|uint64(nth))
	length := provoking.Hold
	if nth > 1 {
		length -= int64(chance>>1) % (length/2 + 1)
	}
	share := provoking.Total / int64(len(provoking.edges))
	if nth > 1 && chance&3 == 0 || e.spent.Load() > 0 && e.spent.Load()+length > share || provoking.spent.Add(length) > provoking.Total {
		return 0
	}
	e.spent.Add(length)
	count(ProvokeHold)
	return length
}

// stay keeps the calling goroutine for a time in nanoseconds.
//
//go:norace
func stay(length int64) {
	if length == 0 {
		return
	}
	until := nanotime() + length
	for n := 0; n < fewestYields || nanotime() < until; n++ {
		yield()
	}
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
		if r.held[i].inst == r.held[d].inst && (mode != Read || r.held[i].mode != Read) {
			continue
		}
		if e := provokedFrom(r.held[i].class, to); e != nil {
			return e
		}
	}
	return nil
}

// provokedFrom returns the dependency to provoke from a class to a node.
//
//go:norace
func provokedFrom(class uint16, to int32) *provoked {
	from := provokedNode(class)
	if from == 0 {
		return nil
	}
	for k := range provoking.edges {
		if e := &provoking.edges[k]; e.from == from && e.to == to {
			return e
		}
	}
	return nil
}
