package core

// HeldLock is one lock a goroutine holds.
type HeldLock struct {
	Class uint16
	Inst  uint64
	Mode  uint8
	PC    uintptr
	Seq   uint32
	Goid  uint64
}

// Holds reports whether the calling goroutine holds l, and how: in the mode of
// its innermost acquisition.
//
//go:norace
func Holds(l *Lock) (h HeldLock, ok bool) {
	if !on {
		return h, false
	}
	enter()
	if r := current(false); r != nil {
		if i := r.find(l.id.Load() & instMask); i >= 0 {
			h, ok = r.held[i].export(r), true
		}
	}
	leave()
	return h, ok
}

//go:norace
func (h *held) export(r *record) HeldLock {
	return HeldLock{h.class, h.inst, h.mode, h.pc, h.seq, r.goid}
}

// EachHeld calls f for every lock held by any goroutine, as far as another
// goroutine can see it: exact for goroutines that are blocked or gone.
//
//go:norace
func EachHeld(f func(HeldLock)) {
	enter()
	var all []HeldLock
	var every everyRecord
	for r := every.next(); r != nil; r = every.next() {
		if r.inbox.Load() != 0 {
			continue // its goroutine has yet to learn what it lost
		}
		view := *r.view.Load()
		waiting := r.waitLock.Load() != nil
		for i := 0; i < int(r.depth) && i < len(view); i++ {
			if waiting && i == int(r.depth)-1 {
				break
			}
			all = append(all, view[i].export(r))
		}
	}
	leave()
	for _, h := range all {
		f(h)
	}
}

// ReportLost reports the locks held by goroutines that have ended, and forgets
// them. alive returns the ids of the goroutines that live when it is called.
//
//go:norace
func ReportLost(alive func() map[uint64]bool) {
	type suspect struct {
		r    *record
		goid uint64
	}
	var suspects []suspect
	enter()
	var every everyRecord
	for r := every.next(); r != nil; r = every.next() {
		if r.depth > 0 {
			suspects = append(suspects, suspect{r, r.goid})
		}
	}
	leave()
	// Who held a lock before and is not alive now has ended; and holds it
	// still, if its record says so now.
	living := alive()
	for _, s := range suspects {
		if living[s.goid] {
			continue
		}
		enter()
		if s.r.goid == s.goid && s.r.depth > 0 {
			if s.r.inbox.Load() != 0 {
				s.r.drain()
			}
			for i := 0; i < int(s.r.depth); i++ {
				later(leaked(s.r, i))
				lose(s.r.held[i].inst)
			}
			s.r.depth, s.r.bloom = 0, 0
		}
		leave()
	}
	Deliver()
}

// ReportCollected reports inst if a goroutine holds it. It is called when the
// garbage collector has dropped the lock.
//
//go:norace
func ReportCollected(inst uint64) {
	enter()
	var every everyRecord
	for r := every.next(); r != nil; r = every.next() {
		if i := r.position(inst); i >= 0 && r.inbox.Load() == 0 {
			h := (*r.view.Load())[i]
			later(&Finding{Kind: Collected, Level: Strong, Links: []Link{{
				From: h.class, To: h.class, FromInst: inst, ToInst: inst,
				FromPC: h.pc, ToPC: h.pc, Goid: r.goid,
			}}})
		}
	}
	leave()
	Deliver()
}

// Inst returns the instance number of l.
//
//go:norace
func (l *Lock) Inst() uint64 {
	enter()
	inst := l.id.Load() & instMask
	leave()
	return inst
}

// Fail reports a failed assertion about class.
//
//go:norace
func Fail(class uint16, pc uintptr, note string) {
	enter()
	if r := current(true); r != nil {
		f := single(Assert, class, r, pc)
		f.Note = note
		later(f)
	}
	leave()
	Deliver()
}

// EachDep calls f for each dependency between classes.
//
//go:norace
func EachDep(f func(Link)) {
	enter()
	big.lock()
	all := make([]Link, 0, deps.used)
	for i := int32(0); i < deps.used; i++ {
		all = append(all, deps.edge(i).link())
	}
	big.unlock()
	leave()
	for _, l := range all {
		f(l)
	}
}

//go:norace
func (e *edge) link() Link {
	return Link{
		From: e.fromClass, To: e.toClass, FromInst: e.fromInst, ToInst: e.toInst,
		FromMode: e.fromMode, ToMode: e.toMode,
		Wait: e.kind == kindWait, Signal: e.kind == kindSignal || e.kind == kindEarlier, Earlier: e.kind == kindEarlier,
		FromPC: e.fromPC, ToPC: e.toPC, Stack: stackAt(e.stack), Goid: e.goid1,
	}
}
