package core

import "sync/atomic"

// Kind says what a finding is about.
type Kind uint8

const (
	Inversion Kind = iota
	Nesting
	Recursive
	WaitHeld
	Deadlock
	Unlock
	Leak
	Copied
	Collected
	Assert
	Full     // a table is full
	Withdraw // findings of kind Recursive about the class were wrong
)

// Link is one edge of a finding: To acquired, or awaited, while From is held.
type Link struct {
	From, To         uint16 // classes
	FromInst, ToInst uint64
	FromMode, ToMode uint8
	Wait, Signal     bool
	Earlier          bool // a signal, by a goroutine that needed To in an earlier iteration
	FromPC, ToPC     uintptr
	FromStack, Stack []uintptr // FromStack only with Config.FullStack
	Goid             uint64    // who showed it
}

// A Finding is one problem, as the engine knows it.
type Finding struct {
	Kind  Kind
	Level Level
	Links []Link
	Table int    // of kind Full
	Note  string // of kind Assert

	next *Finding
}

// pending are findings that nobody was told of yet, newest first.
var pending atomic.Pointer[Finding]

// Hook is called for each finding, with no engine lock held, by the goroutine
// that came upon it. Until it is set findings are kept.
var Hook func(*Finding)

// later queues f, which may be nil. It can be called with engine locks held.
//
//go:norace
func later(f *Finding) {
	if f == nil {
		return
	}
	for {
		f.next = pending.Load()
		if pending.CompareAndSwap(f.next, f) {
			return
		}
	}
}

// deliver hands over what is pending, oldest first. A goroutine that does so
// already, or is quiet for another reason, leaves what others found to them: it
// may hold what Hook locks.
//
//go:norace
func deliver() {
	if Hook == nil {
		return // whoever sets it calls Deliver
	}
	enter()
	if r := current(true); tracked && (r == nil || r.quiet > 0) {
		leave()
		return
	}
	f := pending.Swap(nil)
	var first *Finding
	for f != nil {
		f, f.next, first = f.next, first, f
	}
	leave()
	Quiet(true)
	for ; first != nil; first = first.next {
		Hook(first)
	}
	Quiet(false)
}

// Deliver hands over the findings that are pending.
//
//go:norace
func Deliver() {
	if pending.Load() != nil {
		deliver()
	}
}

// single makes a finding about one class at one place.
//
//go:norace
func single(kind Kind, class uint16, r *record, pc uintptr) *Finding {
	var buf [stackDepth]uintptr
	s := buf[:walkStack(buf[:])]
	return &Finding{Kind: kind, Level: Strong, Links: []Link{{
		From: class, To: class, FromPC: pc, ToPC: pc, Goid: r.goid, Stack: append([]uintptr(nil), s...),
	}}}
}

// leaked makes the finding that the goroutine of r ended while it held the
// lock at position i.
//
//go:norace
func leaked(r *record, i int) *Finding {
	h := &r.held[i]
	if h.class == 0 || classes[h.class].flags.Load()&classHandoff != 0 {
		return nil
	}
	return &Finding{Kind: Leak, Level: Strong, Links: []Link{{
		From: h.class, To: h.class, FromInst: h.inst, ToInst: h.inst, FromMode: h.mode, ToMode: h.mode,
		FromPC: h.pc, ToPC: h.pc, Goid: r.goid,
	}}}
}

//go:norace
func recursive(t *twice, first, second uint8) *Finding {
	level := t.certainty(first)
	key := mix(uint64(Recursive)<<32|uint64(level)<<16|uint64(first)<<9|uint64(second)<<8, uint64(t.class))
	if !seen.add(key) {
		return nil
	}
	return &Finding{Kind: Recursive, Level: level, Links: []Link{{
		From: t.class, To: t.class, FromInst: t.inst, ToInst: t.inst, FromMode: first, ToMode: second,
		FromPC: t.first, ToPC: t.pc, Stack: stackAt(t.stack), Goid: t.goid,
	}}}
}

// withdraw takes back what was said about recursive locks of class: its locks
// pass from goroutine to goroutine.
//
//go:norace
func withdraw(class uint16) {
	later(&Finding{Kind: Withdraw, Links: []Link{{From: class, To: class}}})
}

//go:norace
func stackAt(i int32) []uintptr {
	if i < 0 || int(i) >= len(stacks) {
		return nil
	}
	return stacks[i]
}

// found makes the finding for a ring, or nil if it was made before with
// evidence as good.
//
//go:norace
func found(g *graph, ring []int32, level Level) *Finding {
	kind, same := Inversion, true
	var nodes [maxRing]uint16
	for i, at := range ring {
		e := g.edge(at)
		nodes[i] = e.fromClass
		same = same && e.fromClass == e.toClass
		if e.kind != kindHeld {
			kind = WaitHeld
		}
	}
	n := len(ring)
	if same {
		kind, n = Nesting, 1
	}
	key := ringKey(kind, nodes[:n])
	for l := level; l <= Strong; l++ {
		if seen.has(mix(key, uint64(l))) {
			return nil
		}
	}
	if n > 2 && partlyReported(g, ring, level) || !seen.add(mix(key, uint64(level))) {
		return nil
	}
	for _, at := range ring {
		for l := level; l >= Weak; l-- {
			seen.add(edgeKey(g.edge(at), l))
		}
	}
	f := &Finding{Kind: kind, Level: level, Links: make([]Link, 0, len(ring))}
	used := uint64(0)
	for _, at := range ring {
		e := g.edge(at)
		goid := e.goid1
		if goid == used && e.goid2 != 0 {
			goid = e.goid2
		}
		used = goid
		stack, from := e.stack, e.fromStack
		if stack < 0 {
			stack, from = firstStacks(e)
		}
		f.Links = append(f.Links, Link{
			From: e.fromClass, To: e.toClass, FromInst: e.fromInst, ToInst: e.toInst,
			FromMode: e.fromMode, ToMode: e.toMode, Wait: e.kind == kindWait, Signal: e.kind == kindSignal,
			FromPC: e.fromPC, ToPC: e.toPC, Stack: stackAt(stack), FromStack: stackAt(from), Goid: goid,
		})
	}
	return f
}

// partlyReported reports whether the ring shares a dependency with one that was
// reported with evidence as good: one wrong edge in a large graph closes
// hundreds of rings.
//
//go:norace
func partlyReported(g *graph, ring []int32, level Level) bool {
	for _, at := range ring {
		if seen.has(edgeKey(g.edge(at), level)) {
			return true
		}
	}
	return false
}

//go:norace
func edgeKey(e *edge, level Level) uint64 {
	return mix(uint64(e.fromClass)<<32|uint64(e.toClass)<<8|uint64(level), 11)
}

// firstStacks returns the stacks of the dependency by class, if it was first
// seen at the same place.
//
//go:norace
func firstStacks(e *edge) (stack, from int32) {
	for i := *deps.exactHead(uint64(e.fromClass), uint64(e.toClass)); i >= 0; {
		x := deps.edge(i)
		if x.fromClass == e.fromClass && x.toClass == e.toClass && x.toPC == e.toPC {
			return x.stack, x.fromStack
		}
		i = x.nextExact
	}
	return -1, -1
}

// ringKey hashes a ring of classes so that every rotation gives the same.
//
//go:norace
func ringKey(kind Kind, ring []uint16) uint64 {
	best := uint64(0)
	for i := range ring {
		h := uint64(kind) + 1
		for j := range ring {
			h = mix(h, uint64(ring[(i+j)%len(ring)]))
		}
		if i == 0 || h < best {
			best = h
		}
	}
	return best
}

// seen are the keys of findings that were made.
var seen seenSet

type seenSet struct {
	keys [1 << 14]uint64
	n    int
}

//go:norace
func (s *seenSet) has(key uint64) bool {
	for i := key; s.keys[i%uint64(len(s.keys))] != 0; i++ {
		if s.keys[i%uint64(len(s.keys))] == key {
			return true
		}
	}
	return false
}

// add reports whether key is new and there is room for it.
//
//go:norace
func (s *seenSet) add(key uint64) bool {
	if s.has(key) {
		return false
	}
	if s.n >= len(s.keys)/2 {
		full(TableFindings)
		return false
	}
	s.n++
	i := key
	for s.keys[i%uint64(len(s.keys))] != 0 {
		i++
	}
	s.keys[i%uint64(len(s.keys))] = key
	return true
}
