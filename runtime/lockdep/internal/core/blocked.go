package core

import (
	"sync/atomic"
	"unsafe"
)

// hidden is a pointer to a lock that keeps it from no garbage collection: what
// a goroutine blocks on is alive while it blocks, and one that blocks for good
// shall be recognised as such by the runtime, which asks who can still reach
// the lock. Who follows the pointer may find a lock that is gone, whose memory
// can hold anything: see lockClass.
type hidden struct{ word atomic.Uintptr }

//go:norace
func (h *hidden) Load() *Lock {
	w := h.word.Load()
	if w == 0 {
		return nil
	}
	w = ^w
	return *(**Lock)(unsafe.Pointer(&w))
}

//go:norace
func (h *hidden) Store(l *Lock) {
	if l == nil {
		h.word.Store(0)
		return
	}
	h.word.Store(^uintptr(unsafe.Pointer(l)))
}

// lockClass returns the class of a lock that may be gone, 0 if it is.
//
//go:norace
func (l *Lock) lockClass() uint16 {
	class := l.id.Load() >> classShift
	if class >= uint64(len(classes)) {
		return 0
	}
	return uint16(class)
}

// lost are the locks whose holder ended, the first of them.
var lost struct {
	n    atomic.Int32
	inst [256]atomic.Uint64
}

//go:norace
func lose(inst uint64) {
	if n := int(lost.n.Add(1)) - 1; n < len(lost.inst) {
		lost.inst[n].Store(inst)
	}
}

//go:norace
func isLost(inst uint64) bool {
	for i := range lost.inst {
		if lost.inst[i].Load() == inst {
			return true
		}
	}
	return false
}

// Waiting is a goroutine that blocks on a lock.
type Waiting struct {
	Goid  uint64
	Class uint16
	Inst  uint64
	Mode  uint8
	PC    uintptr
	Seq   uint32   // changes when the goroutine goes on
	Lost  bool     // the holder of the lock ended
	For   []uint64 // goroutines any of which keeps the lock from it
}

// EachWaiting calls f for each goroutine that blocks on a lock, as far as
// another goroutine can see it. Locks that pass from goroutine to goroutine are
// left out: nobody knows who could release them.
//
//go:norace
func EachWaiting(f func(Waiting)) {
	enter()
	var all []Waiting
	var every everyRecord
	for r := every.next(); r != nil; r = every.next() {
		l := r.waitLock.Load()
		if l == nil || r.waitHeld {
			continue
		}
		id, class := l.id.Load(), l.lockClass()
		if class == 0 || classes[class].flags.Load()&classHandoff != 0 {
			continue
		}
		w := Waiting{Goid: r.goid, Class: class, Inst: id & instMask, Mode: r.waitMode, PC: r.waitPC, Seq: r.seq, Lost: isLost(id & instMask)}
		if s := slotAt(atomic.LoadUint32(&l.holder)); s != nil {
			if o := s.rec.Load(); o != nil && o != r && o.has(w.Inst, Write) {
				w.For = append(w.For, o.goid)
			}
		}
		var others everyRecord
		for o := others.next(); o != nil && len(w.For) == 0; o = others.next() {
			if w.Mode == Write && o.depth > 0 && o.has(w.Inst, Read) ||
				w.Mode == Read && o != r && o.waitLock.Load() == l && o.waitMode == Write {
				w.For = append(w.For, o.goid)
			}
		}
		all = append(all, w)
	}
	leave()
	for _, w := range all {
		f(w)
	}
}
