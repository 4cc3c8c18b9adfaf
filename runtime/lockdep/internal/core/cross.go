package core

import "sync/atomic"

// Cross-release: what a goroutine waits for is made to happen by another one.
// A wait for X with A held is the dependency A -> X. A signal of X by a
// goroutine that needed B on its way there is X -> B. "On its way" is the
// goroutine's current iteration: what it acquired since its own last wait,
// but not before X was born.

// era counts births of events. It tells an acquisition before the birth of an
// event from one after it; it stands still while no event is born.
var era atomic.Uint32

const windowSize = 16

// window is the ring of a goroutine's latest blocking acquisitions.
type window struct {
	n    uint32 // entries of the current iteration
	all  uint32 // and of earlier ones
	last uint32 // position of the latest
	e    [windowSize]needed
}

// iterate begins a new iteration.
//
//go:norace
func (w *window) iterate() { w.n = 0 }

// clear forgets earlier iterations too.
//
//go:norace
func (w *window) clear() { w.n, w.all, w.last = 0, 0, 0 }

// needed is a lock that was acquired by blocking.
type needed struct {
	inst  uint64
	pc    uintptr
	era   uint32
	class uint16
	mode  uint8
}

//go:norace
func (w *window) add(h *held) {
	if w.all > 0 {
		if l := &w.e[w.last]; l.inst == h.inst && l.mode == h.mode {
			l.era, l.pc = h.era, h.pc
			if w.n == 0 {
				w.n = 1
			}
			return
		}
		w.last = (w.last + 1) % windowSize
	}
	if w.all < windowSize {
		w.all++
	}
	if w.n < windowSize {
		w.n++
	} else if cfg.Stats {
		count(WindowWrap)
	}
	w.e[w.last] = needed{h.inst, h.pc, h.era, h.class, h.mode}
}

// Born notes that the event l begins its life, at its first use.
//
//go:norace
func (l *Lock) Born() {
	if !on || !cfg.Cross {
		return
	}
	enter()
	l.addr.Store(era.Add(1))
	leave()
}

// AddCount adds to the count of a WaitGroup. Where that leaves 0 the event is
// born; else the calling goroutine owes the signal from here on: what it needed
// before delays nobody.
//
//go:norace
func (l *Lock) AddCount(n int) {
	enter()
	v := atomic.AddUint32(&l.holder, uint32(n))
	if on && cfg.Cross && n > 0 {
		if int32(v) == int32(n) {
			l.addr.Store(era.Add(1))
		} else if r := current(false); r != nil && (r.win.all > 0 || r.depth > 0) {
			r.owes, r.owesFrom = l.id.Load()&instMask, era.Add(1)
		}
	}
	leave()
}

// Wait notes that the calling goroutine is about to wait for the event l
// without a bound on the time.
//
//go:norace
func Wait(l *Lock, pc uintptr) { waitID(l.id.Load(), pc, true) }

// wait checks a wait for id against what r holds.
//
//go:norace
func (r *record) wait(id uint64, pc uintptr) {
	inst, class := id&instMask, uint16(id>>classShift)
	if r.depth == 0 || class == 0 {
		return
	}
	chain := mix(r.held[r.depth-1].chain, inst<<12|15)
	if validated(chain, r.goid) {
		return
	}
	if pc = site(pc); r.pcFor != 0 {
		pc = r.pcFor
	}
	r.checkWait(inst, class, pc, chain)
}

//go:norace
func (r *record) checkWait(inst uint64, class uint16, pc uintptr, chain uint64) {
	count(CrossWait)
	big.lock()
	if classes[class].flags.Load()&classWaited == 0 {
		classes[class].flags.Or(classWaited)
	}
	shared := true
	for i := 0; i < int(r.depth); i++ {
		h := &r.held[i]
		if h.class == 0 {
			continue
		}
		e := edge{
			from: ident(h.class, h.inst), fromInst: h.inst, fromClass: h.class, fromMode: h.mode, fromPC: h.pc,
			to: ident(class, inst), toInst: inst, toClass: class, toMode: Write, toPC: pc,
			goid1: r.goid, kind: kindWait,
		}
		if !r.observe(&e, -1) {
			shared = false
		}
	}
	validate(chain, r.goid, shared)
	big.unlock()
}

// Signal notes that the calling goroutine makes the event l happen.
//
//go:norace
func Signal(l *Lock) {
	if !on || !cfg.Cross {
		return
	}
	enter()
	if r := current(false); r != nil && !(tracked && r.quiet > 0) {
		id := l.id.Load()
		if class := uint16(id >> classShift); class != 0 {
			born := l.addr.Load()
			if r.owes == id&instMask && int32(r.owesFrom-born) > 0 {
				born = r.owesFrom
			}
			r.commit(id&instMask, class, born)
		}
	}
	leave()
	if pending.Load() != nil {
		deliver()
	}
}

// commit ties the locks that r's goroutine needed in this iteration, and after
// the event was born, to the event. Those of earlier iterations go to a history
// of their own, with Config.History.
//
//go:norace
func (r *record) commit(inst uint64, class uint16, born uint32) {
	for i := uint32(0); i < r.win.n; i++ {
		h := &r.win.e[(r.win.last+windowSize-i)%windowSize]
		if born == 0 || int32(h.era-born) >= 0 {
			r.commitOne(inst, class, *h, kindSignal)
		}
	}
	if cfg.History {
		for i := r.win.n; i < r.win.all; i++ {
			h := &r.win.e[(r.win.last+windowSize-i)%windowSize]
			if born == 0 || int32(h.era-born) >= 0 {
				r.commitOne(inst, class, *h, kindEarlier)
			}
		}
	}
	for i := 0; i < int(r.depth); i++ {
		h := &r.held[i]
		if h.flags&heldTry == 0 && (born == 0 || int32(h.era-born) >= 0) {
			r.commitOne(inst, class, needed{h.inst, h.pc, h.era, h.class, h.mode}, kindSignal)
		}
	}
}

// commitOne adds the dependency inst -> h. While nobody has waited for an event
// of the class with a lock held, the first pair of instances is enough.
//
//go:norace
func (r *record) commitOne(inst uint64, class uint16, h needed, kind uint8) {
	if h.class == 0 || h.inst == inst {
		return
	}
	key := mix(inst<<12|14, h.inst<<1|uint64(h.mode))
	if classes[class].flags.Load()&(classWaited|classHandoff) == 0 {
		key = mix(uint64(class)<<32|uint64(h.class)<<8|uint64(h.mode), 3)
	}
	if kind == kindEarlier {
		key = mix(key, 4)
	}
	if validated(key, r.goid) {
		return
	}
	count(CrossCommit)
	big.lock()
	e := edge{
		from: ident(class, inst), fromInst: inst, fromClass: class, fromMode: Write, fromPC: h.pc,
		to: ident(h.class, h.inst), toInst: h.inst, toClass: h.class, toMode: h.mode, toPC: h.pc,
		goid1: r.goid, kind: kind,
	}
	shared := true
	if kind == kindEarlier {
		r.remember(&e)
	} else {
		shared = r.observe(&e, -1)
	}
	validate(key, r.goid, shared)
	big.unlock()
}

// Relock sets the site that acquisitions of the calling goroutine have until
// it is set to 0: those inside Cond.Wait belong to its caller.
//
//go:norace
func Relock(pc uintptr) {
	if !on {
		return
	}
	enter()
	if r := current(pc != 0); r != nil {
		r.pcFor = pc
	}
	leave()
}
