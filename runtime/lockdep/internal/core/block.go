package core

import (
	"runtime"
	"sync/atomic"
)

// Real deadlocks: a goroutine that is about to block looks at who holds what
// it wants, what that goroutine blocks on, and so on. Only a goroutine that
// holds a lock can close a ring, so most need not look.

// Block notes that the calling goroutine is about to block on l. Only locks
// that could not be had at once come here.
//
//go:norace
func Block(l *Lock, mode uint8, pc uintptr) {
	if !on {
		return
	}
	enter()
	count(Contended)
	if cfg.Stats {
		countClass(uint16(l.id.Load()>>classShift), true)
	}
	r := current(false)
	if r == nil || r.depth == 0 || tracked && r.quiet > 0 {
		leave()
		return
	}
	look := cfg.Deadlocks && (r.depth > 1 || classes[uint16(l.id.Load()>>classShift)].flags.Load()&classRW != 0)
	r.blocksOn(l, mode, site(pc), look)
	if look {
		later(r.deadlocked(l, mode))
	}
	leave()
	if pending.Load() != nil {
		deliver()
	}
}

// blocksOn tells others that r's goroutine blocks on l, and with its stack if
// one of them could have to report it.
//
//go:norace
func (r *record) blocksOn(l *Lock, mode uint8, pc uintptr, stack bool) {
	r.waitMode, r.waitPC = mode, pc
	r.waitAt = r.waitAt[:0]
	if stack {
		if cap(r.waitAt) == 0 {
			r.waitAt = make([]uintptr, stackDepth)
		}
		s := r.waitAt[:stackDepth]
		r.waitAt = s[:walkStack(s)]
	}
	r.waitLock.Store(l)
}

// Unblock notes that the calling goroutine has what it blocked on.
//
//go:norace
func Unblock() {
	if !on {
		return
	}
	enter()
	if r := current(false); r != nil {
		r.waitLock.Store(nil)
	}
	leave()
}

// waits is a path of goroutines, each blocked on a lock the next one holds.
type waits struct {
	r    [maxRing]*record
	l    [maxRing]*Lock
	mode [maxRing]uint8
	n    int
}

//go:norace
func (w *waits) same(o *waits) bool {
	if w.n != o.n {
		return false
	}
	for i := 0; i < w.n; i++ {
		if w.r[i] != o.r[i] || w.l[i] != o.l[i] {
			return false
		}
	}
	return true
}

// deadlocked returns the finding if r, blocking on l, closes a ring.
//
//go:norace
func (r *record) deadlocked(l *Lock, mode uint8) *Finding {
	var w waits
	w.r[0], w.l[0], w.mode[0], w.n = r, l, mode, 1
	if !w.follow(r) {
		return nil
	}
	// Everyone on the path blocks, so a second look that sees the same proves
	// that the first was no mixture of moments.
	again := waits{}
	again.r[0], again.l[0], again.mode[0], again.n = r, l, mode, 1
	if !again.follow(r) || !again.same(&w) {
		return nil
	}
	f := &Finding{Kind: Deadlock, Level: Strong}
	var nodes [maxRing]uint16
	for i := 0; i < w.n; i++ {
		// Who holds what the one before blocks on, and blocks itself.
		o := w.r[i]
		before := w.l[(i+w.n-1)%w.n]
		at := o.position(before.id.Load() & instMask)
		id := w.l[i].id.Load()
		k := Link{To: uint16(id >> classShift), ToInst: id & instMask, ToMode: w.mode[i], ToPC: o.waitPC, Goid: o.goid}
		k.Stack = append(k.Stack, o.waitAt...)
		if at >= 0 {
			h := (*o.view.Load())[at]
			k.From, k.FromInst, k.FromMode, k.FromPC = h.class, h.inst, h.mode, h.pc
		}
		if classes[k.From].flags.Load()&classHandoff != 0 || k.FromMode == Read && k.FromInst != 0 && !onStack(k.Stack, k.FromPC, k.ToPC) {
			return nil // another goroutine may give it up
		}
		nodes[i] = k.From
		f.Links = append(f.Links, k)
	}
	big.lock()
	news := seen.add(mix(ringKey(Deadlock, nodes[:w.n]), w.l[0].id.Load()))
	big.unlock()
	if !news {
		return nil
	}
	return f
}

// onStack reports whether the function that took a lock at pc is on a stack:
// only then is it sure that its goroutine gives the lock up. One that has
// returned may have left that to whoever has the object which it returned; with
// read locks that is common (database/sql holds closemu for a Rows, which a
// context may close). What a stack that was cut off does not show counts as on
// it. now is where the goroutine acquires: the same place in the same function
// is another call of it, unless a third is on the stack.
//
//go:norace
func onStack(stack []uintptr, pc, now uintptr) bool {
	if len(stack) == stackDepth || pc == 0 {
		return true
	}
	f := runtime.FuncForPC(pc - 1)
	if f == nil {
		return true
	}
	calls := 0
	for _, at := range stack {
		if g := runtime.FuncForPC(at - 1); g != nil && g.Name() == f.Name() {
			calls++
		}
	}
	if pc == now {
		calls--
	}
	return calls > 0
}

// position finds inst among what r's goroutine holds, as seen by another.
//
//go:norace
func (r *record) position(inst uint64) int {
	view := *r.view.Load()
	for i := 0; i < int(r.depth) && i < len(view); i++ {
		if view[i].inst == inst {
			return i
		}
	}
	return -1
}

// follow extends the path to whoever its last goroutine waits for, until it
// comes back to first.
//
//go:norace
func (w *waits) follow(first *record) bool {
	l := w.l[w.n-1]
	id := l.id.Load()
	holder := slotAt(atomic.LoadUint32(&l.holder))
	if holder != nil {
		if o := holder.rec.Load(); o != nil && w.step(o, first) {
			return true
		}
	}
	if classes[l.lockClass()].flags.Load()&classRW == 0 {
		return false
	}
	// A writer waits for all readers, and a reader that cannot get the lock
	// for a writer that waits. One that is held back to provoke a deadlock
	// keeps nobody out yet.
	inst := id & instMask
	var every everyRecord
	for o := every.next(); o != nil; o = every.next() {
		if w.mode[w.n-1] == Write {
			if o.depth == 0 || !o.has(inst, Read) {
				continue
			}
		} else if o.waitLock.Load() != l || o.waitMode != Write || o.waitHeld {
			continue
		}
		if w.step(o, first) {
			return true
		}
	}
	return false
}

// step goes to the goroutine of o if that blocks.
//
//go:norace
func (w *waits) step(o, first *record) bool {
	if o == first {
		return true
	}
	l := o.waitLock.Load()
	if l == nil || w.n == maxRing {
		return false
	}
	for i := 0; i < w.n; i++ {
		if w.r[i] == o {
			return false
		}
	}
	w.r[w.n], w.l[w.n], w.mode[w.n] = o, l, o.waitMode
	w.n++
	if w.follow(first) {
		return true
	}
	w.n--
	return false
}
