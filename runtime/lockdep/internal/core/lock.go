package core

import (
	"sync/atomic"
	"unsafe"
)

// A Lock is the engine's part of a tracked lock or event. Its zero value is
// one that was never used. 16 bytes:
//
//	63        48 47                        0
//	+-----------+--------------------------+
//	|   class   |   instance, from 1       |  id; 0: not yet used
//	+-----------+------------+-------------+
//	| address / 8, low bits  |   holder    |  locks
//	| born (see era)         |   count     |  events
//	+------------------------+-------------+
//
// holder is the slot of the goroutine that holds the lock for writing, or 0.
// It is written by the holder only, before it releases the lock; its order
// against other goroutines is that of the lock.
// An address that does not fit shows that the lock was copied.
type Lock struct {
	id     atomic.Uint64
	addr   atomic.Uint32
	holder uint32
}

const (
	classShift = 48
	instMask   = 1<<classShift - 1
	roomInst   = 1 << (classShift - 1) // of the room in a channel, whose other bits are those of what receivers wait for
)

var lastInst atomic.Uint64

// Used reports whether l already has a class and an instance number.
//
//go:norace
func (l *Lock) Used() bool {
	return l.id.Load() != 0
}

// Class returns the class of l, 0 if it has none.
//
//go:norace
func (l *Lock) Class() uint16 {
	enter()
	c := uint16(l.id.Load() >> classShift)
	leave()
	return c
}

// Init makes l an instance of class, unless another goroutine was faster.
//
//go:norace
func (l *Lock) Init(class uint16) {
	enter()
	if l.id.Load() == 0 {
		if classes[class].flags.Load()&Event == 0 {
			l.addr.Store(l.place())
		}
		l.id.CompareAndSwap(0, newID(class))
	}
	leave()
}

// SetClass makes l a new instance of class, whatever it was.
//
//go:norace
func (l *Lock) SetClass(class uint16) {
	enter()
	if classes[class].flags.Load()&Event == 0 {
		l.addr.Store(l.place())
	}
	l.id.Store(newID(class))
	leave()
}

// Held reports whether a goroutine holds l for writing.
//
//go:norace
func (l *Lock) Held() bool { return l.holder != 0 }

//go:norace
func newID(class uint16) uint64 {
	return uint64(class)<<classShift | lastInst.Add(1)&instMask
}

//go:norace
func (l *Lock) place() uint32 { return uint32(uintptr(unsafe.Pointer(l)) >> 3) }

// moved handles a lock that is not where it was first used: a copy. It gets an
// instance number of its own; a copy made while the original was held is a
// finding, because the copy is locked and nobody will unlock it.
//
//go:norace
func (l *Lock) moved(r *record, pc uintptr) *Finding {
	id := l.id.Load()
	class := uint16(id >> classShift)
	l.addr.Store(l.place())
	l.id.Store(newID(class))
	if l.holder == 0 {
		return nil
	}
	l.holder = 0
	return single(Copied, class, r, pc)
}
