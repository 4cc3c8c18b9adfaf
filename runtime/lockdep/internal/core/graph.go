package core

// Two graphs of the same form. deps has classes as nodes; it never forgets,
// and when it is full no dependency is added. pairs has instances as nodes
// (or classes that the user named); it is a history, and forgets the oldest.
// A ring in deps is a reason to look at pairs; a ring in pairs is evidence.
var deps, pairs graph

// earlier has instances as nodes too: signals whose goroutine had needed a lock
// in an earlier iteration. That is no evidence by itself, but it can confirm
// what a static analysis knows of the code between. Only with Config.History.
var earlier graph

// An edge says that to was acquired, or waited for, while from was held; or
// that from is signalled by a goroutine that needs to on the way.
type edge struct {
	from, to  uint64
	gates     [maxGates]uint64 // other locks held, see gate
	goid1     uint64           // goroutines that showed it, at most two
	goid2     uint64
	fromPC    uintptr
	toPC      uintptr
	fromInst  uint64
	toInst    uint64
	fromClass uint16
	toClass   uint16
	fromMode  uint8
	toMode    uint8
	kind      uint8
	flags     uint8
	stack     int32 // into stacks, or -1
	fromStack int32
	nextExact int32 // same hash of from and to
	nextOut   int32 // same hash of from
	prevOut   int32
	nextIn    int32 // same hash of to; deps only
	ngates    uint8
	manyGates bool // more than fit
	_         [2]byte
}

const (
	maxGates    = 4
	maxVariants = 16 // edges kept for one pair of instances, with other gates or goroutines
)

// Kinds of an edge.
const (
	kindHeld    = iota // a lock acquired under a lock
	kindWait           // an event awaited under a lock
	kindSignal         // a lock needed on the way to a signal
	kindEarlier        // the same, in an earlier iteration of the signaller
)

// A gate is a lock held besides from, with its mode in bit 0.
//
//go:norace
func gate(id uint64, mode uint8) uint64 { return id<<1 | uint64(mode) }

// exclude reports whether two edges cannot happen at the same time: both under
// one lock that at least one holds for writing. A wait keeps no signaller
// out, so edges over events have no gates.
//
//go:norace
func exclude(a, b *edge) bool {
	for i := 0; i < int(a.ngates); i++ {
		for j := 0; j < int(b.ngates); j++ {
			x, y := a.gates[i], b.gates[j]
			if x>>1 == y>>1 && (x|y)&1 != 0 {
				return true
			}
		}
	}
	return false
}

// covers reports whether a makes b superfluous: it happens wherever b does, by
// the same goroutines.
//
//go:norace
func covers(a, b *edge) bool {
	if a.goid2 == 0 && a.goid1 != b.goid1 {
		return false
	}
	return sameOrFewerGates(a, b)
}

//go:norace
func sameOrFewerGates(a, b *edge) bool {
	if a.manyGates && !b.manyGates {
		return false
	}
next:
	for i := 0; i < int(a.ngates); i++ {
		for j := 0; j < int(b.ngates); j++ {
			x, y := a.gates[i], b.gates[j]
			// A gate held for reading excludes less than one held for writing.
			if x == y || x>>1 == y>>1 && x&1 == 0 {
				continue next
			}
		}
		return false
	}
	return true
}

// keepCommonGates drops the gates of x that e does not have, and reports
// whether there were any.
//
//go:norace
func (x *edge) keepCommonGates(e *edge) bool {
	n := 0
	for i := 0; i < int(x.ngates); i++ {
		for j := 0; j < int(e.ngates); j++ {
			a, b := x.gates[i], e.gates[j]
			if a>>1 == b>>1 {
				x.gates[n] = a & b // read if either is
				n++
				break
			}
		}
	}
	fewer := n < int(x.ngates)
	x.ngates = uint8(n)
	return fewer
}

// graph keeps its edges in chunks that are allocated as it fills, so that a
// small program pays for few.
type graph struct {
	chunks  [][]edge
	limit   int
	used    int32 // edges in use, those before at when wrapped
	at      int32 // next to write
	forgets bool
	exact   []int32 // heads, by hash of from and to
	out     []int32 // heads, by hash of from
	in      []int32 // heads, by hash of to
}

const chunkBits = 8

//go:norace
func (g *graph) setup(limit int, forgets bool) {
	g.limit = limit
	g.forgets = forgets
	size := 64
	for size < limit {
		size *= 2
	}
	g.exact = make([]int32, size)
	g.out = make([]int32, size)
	if !forgets {
		g.in = make([]int32, size)
	}
	g.chunks = make([][]edge, (limit+1<<chunkBits-1)>>chunkBits)
	g.clear()
}

//go:norace
func (g *graph) clear() {
	for i := range g.exact {
		g.exact[i], g.out[i] = -1, -1
	}
	for i := range g.in {
		g.in[i] = -1
	}
	g.used, g.at = 0, 0
}

//go:norace
func (g *graph) edge(i int32) *edge { return &g.chunks[i>>chunkBits][i&(1<<chunkBits-1)] }

//go:norace
func (g *graph) exactHead(from, to uint64) *int32 {
	return &g.exact[mix(from, to)>>20&uint64(len(g.exact)-1)]
}

//go:norace
func (g *graph) outHead(from uint64) *int32 {
	return &g.out[mix(from, 1)>>20&uint64(len(g.out)-1)]
}

//go:norace
func (g *graph) inHead(to uint64) *int32 {
	return &g.in[mix(to, 2)>>20&uint64(len(g.in)-1)]
}

// similar reports whether two edges differ in gates and goroutines only.
//
//go:norace
func similar(a, b *edge) bool {
	return a.from == b.from && a.to == b.to && a.fromMode == b.fromMode && a.toMode == b.toMode && a.kind == b.kind
}

// add notes an observation. It returns the edge that holds it now and whether
// that says anything new; -1 if there is no room.
//
//go:norace
func (g *graph) add(e *edge) (at int32, news bool) {
	head := g.exactHead(e.from, e.to)
	variants := 0
	for i := *head; i >= 0; {
		x := g.edge(i)
		if similar(x, e) {
			if !g.forgets {
				return i, x.keepCommonGates(e)
			}
			if covers(x, e) {
				return i, false
			}
			if x.goid2 == 0 && sameOrFewerGates(x, e) && sameOrFewerGates(e, x) {
				x.goid2 = e.goid1
				return i, true
			}
			if covers(e, x) {
				x.gates, x.ngates, x.manyGates = e.gates, e.ngates, e.manyGates
				x.fromPC, x.toPC, x.stack, x.fromStack = e.fromPC, e.toPC, e.stack, e.fromStack
				return i, true
			}
			if variants++; variants == maxVariants {
				return i, false
			}
		}
		i = x.nextExact
	}
	if int(g.at) == g.limit {
		if !g.forgets {
			full(TableDeps)
			return -1, false
		}
		g.at = 0
		count(HistoryWrap)
	}
	i := g.at
	g.at++
	if c := i >> chunkBits; g.chunks[c] == nil {
		g.chunks[c] = make([]edge, 1<<chunkBits)
	}
	if i < g.used {
		g.remove(i)
		head = g.exactHead(e.from, e.to)
	} else {
		g.used = i + 1
	}
	x := g.edge(i)
	*x = *e
	x.nextExact = *head
	*head = i
	out := g.outHead(e.from)
	x.nextOut, x.prevOut = *out, -1
	if *out >= 0 {
		g.edge(*out).prevOut = i
	}
	*out = i
	if g.in != nil {
		in := g.inHead(e.to)
		x.nextIn = *in
		*in = i
	}
	return i, true
}

//go:norace
func (g *graph) remove(i int32) {
	x := g.edge(i)
	for p := g.exactHead(x.from, x.to); ; {
		if *p == i {
			*p = x.nextExact
			break
		}
		p = &g.edge(*p).nextExact
	}
	if x.prevOut >= 0 {
		g.edge(x.prevOut).nextOut = x.nextOut
	} else {
		*g.outHead(x.from) = x.nextOut
	}
	if x.nextOut >= 0 {
		g.edge(x.nextOut).prevOut = x.prevOut
	}
}

// stacks of dependencies, kept for reports.
var stacks [][]uintptr

// saveStack keeps a copy of s and returns its number.
//
//go:norace
func saveStack(s []uintptr) int32 {
	if len(s) == 0 {
		return -1
	}
	if len(stacks) >= cfg.Stacks {
		full(TableStacks)
		return -1
	}
	c := make([]uintptr, len(s))
	for i := range c {
		c[i] = s[i]
	}
	stacks = append(stacks, c)
	return int32(len(stacks) - 1)
}
