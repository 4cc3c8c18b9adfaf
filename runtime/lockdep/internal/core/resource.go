package core

// Resources are locks and events of which only the id is stored, where the
// owner of the object keeps it. Who holds one is not known.

// NewID returns the id of a new instance of class, 0 if class is 0.
//
//go:norace
func NewID(class uint16) uint64 {
	if class == 0 {
		return 0
	}
	enter()
	id := newID(class)
	leave()
	return id
}

// AcquireID is Acquire for a resource. One of a class of events is waited for
// rather than held.
//
//go:norace
func AcquireID(id uint64, mode uint8, pc uintptr) {
	if isEvent(id) {
		waitID(id, pc, false)
		return
	}
	l := Lock{}
	l.id.Store(id)
	l.addr.Store(l.place())
	Acquire(&l, mode, pc, 0)
}

// TryAcquiredID is TryAcquired for a resource.
//
//go:norace
func TryAcquiredID(id uint64, mode uint8, pc uintptr) {
	if isEvent(id) {
		return
	}
	l := Lock{}
	l.id.Store(id)
	l.addr.Store(l.place())
	TryAcquired(&l, mode, pc)
}

//go:norace
func isEvent(id uint64) bool { return classes[id>>classShift].flags.Load()&Event != 0 }

// ReleaseID is Release for a resource, by anyone.
//
//go:norace
func ReleaseID(id uint64) {
	if isEvent(id) {
		SignalID(id)
		return
	}
	enter()
	inst := id & instMask
	r := current(false)
	if r != nil {
		if at := r.find(inst); at >= 0 {
			r.drop(at)
			if r.depth == 0 {
				r.idle()
			}
			leave()
			return
		}
	}
	l := Lock{}
	l.id.Store(id)
	foreign(&l, r, anyMode, 0)
	leave()
	if pending.Load() != nil {
		deliver()
	}
}

// WaitID is Wait for a resource.
//
//go:norace
func WaitID(id uint64, pc uintptr) { waitID(id, pc, true) }

//go:norace
func waitID(id uint64, pc uintptr, ends bool) {
	if !on || !cfg.Cross {
		return
	}
	enter()
	if r := current(false); r != nil && !(tracked && r.quiet > 0) {
		r.wait(id, pc)
		// What was acquired before the wait is no part of the next iteration;
		// what is held still is found among the held.
		if ends {
			r.win.iterate()
		}
	}
	leave()
	if pending.Load() != nil {
		deliver()
	}
}

// SignalID is Signal for a resource.
//
//go:norace
func SignalID(id uint64) {
	if !on || !cfg.Cross {
		return
	}
	enter()
	if r := current(false); r != nil {
		r.commit(id&instMask, uint16(id>>classShift), 0)
	}
	leave()
	if pending.Load() != nil {
		deliver()
	}
}
