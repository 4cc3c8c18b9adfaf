package sync

import (
	"internal/lockdep/core"
	"internal/runtime/sys"
)

// The methods here stand in front of the package's own, which are renamed to
// plain…. Each has its caller's program counter, and is therefore not inlined.

// lockdepFirst gives a lock that was never used the class of the line at pc.
func lockdepFirst(l *core.Lock, pc uintptr, props uint32) {
	if !l.Used() && core.On() {
		l.Init(core.ClassBySite(pc, props))
		if props&core.Event != 0 {
			l.Born()
		}
	}
}

// Lock locks m.
// If the lock is already in use, the calling goroutine
// blocks until the mutex is available.
//
//go:noinline
func (m *Mutex) Lock() {
	if !core.On() {
		m.plainLock()
		return
	}
	pc := sys.GetCallerPC()
	lockdepFirst(&m.lockdep, pc, 0)
	slot := core.Acquire(&m.lockdep, core.Write, pc, 0)
	if !m.plainTryLock() {
		core.Block(&m.lockdep, core.Write, pc)
		m.plainLock()
		core.Unblock()
	}
	m.lockdep.Acquired(slot)
}

// TryLock tries to lock m and reports whether it succeeded.
//
//go:noinline
func (m *Mutex) TryLock() bool {
	if !m.plainTryLock() {
		return false
	}
	if core.On() {
		pc := sys.GetCallerPC()
		lockdepFirst(&m.lockdep, pc, 0)
		m.lockdep.Acquired(core.TryAcquired(&m.lockdep, core.Write, pc))
	}
	return true
}

// Unlock unlocks m.
// It is a run-time error if m is not locked on entry to Unlock.
//
//go:noinline
func (m *Mutex) Unlock() {
	holder := m.lockdep.Releasing(sys.GetCallerPC())
	m.plainUnlock()
	core.Release(&m.lockdep, core.Write, holder)
}

// Lock locks rw for writing.
// If the lock is already locked for reading or writing,
// Lock blocks until the lock is available.
//
//go:noinline
func (rw *RWMutex) Lock() {
	if !core.On() {
		rw.plainLock()
		return
	}
	pc := sys.GetCallerPC()
	l := &rw.w.lockdep
	lockdepFirst(l, pc, core.RW)
	slot := core.Acquire(l, core.Write, pc, 0)
	if !rw.plainTryLock() {
		core.Block(l, core.Write, pc)
		rw.plainLock()
		core.Unblock()
	}
	l.Acquired(slot)
}

// TryLock tries to lock rw for writing and reports whether it succeeded.
//
//go:noinline
func (rw *RWMutex) TryLock() bool {
	if !rw.plainTryLock() {
		return false
	}
	if core.On() {
		pc := sys.GetCallerPC()
		lockdepFirst(&rw.w.lockdep, pc, core.RW)
		rw.w.lockdep.Acquired(core.TryAcquired(&rw.w.lockdep, core.Write, pc))
	}
	return true
}

// Unlock unlocks rw for writing. It is a run-time error if rw is
// not locked for writing on entry to Unlock.
//
//go:noinline
func (rw *RWMutex) Unlock() {
	holder := rw.w.lockdep.Releasing(sys.GetCallerPC())
	rw.plainUnlock()
	core.Release(&rw.w.lockdep, core.Write, holder)
}

// RLock locks rw for reading.
//
//go:noinline
func (rw *RWMutex) RLock() { rw.lockdepRLock(sys.GetCallerPC()) }

func (rw *RWMutex) lockdepRLock(pc uintptr) {
	if !core.On() {
		rw.plainRLock()
		return
	}
	l := &rw.w.lockdep
	lockdepFirst(l, pc, core.RW)
	core.Acquire(l, core.Read, pc, 0)
	if !rw.plainTryRLock() {
		core.Block(l, core.Read, pc)
		rw.plainRLock()
		core.Unblock()
	}
}

// TryRLock tries to lock rw for reading and reports whether it succeeded.
//
//go:noinline
func (rw *RWMutex) TryRLock() bool {
	if !rw.plainTryRLock() {
		return false
	}
	if core.On() {
		pc := sys.GetCallerPC()
		lockdepFirst(&rw.w.lockdep, pc, core.RW)
		core.TryAcquired(&rw.w.lockdep, core.Read, pc)
	}
	return true
}

// RUnlock undoes a single [RWMutex.RLock] call;
// it does not affect other simultaneous readers.
//
//go:noinline
func (rw *RWMutex) RUnlock() { rw.lockdepRUnlock(sys.GetCallerPC()) }

func (rw *RWMutex) lockdepRUnlock(pc uintptr) {
	rw.w.lockdep.RReleasing(pc)
	rw.plainRUnlock()
	core.Release(&rw.w.lockdep, core.Read, 0)
}

//go:noinline
func (r *rlocker) Lock() { (*RWMutex)(r).lockdepRLock(sys.GetCallerPC()) }

//go:noinline
func (r *rlocker) Unlock() { (*RWMutex)(r).lockdepRUnlock(sys.GetCallerPC()) }

// Do calls the function f if and only if Do is being called for the
// first time for this instance of [Once].
//
//go:noinline
func (o *Once) Do(f func()) {
	if !core.On() || o.done.Load() && !core.Holding() {
		o.plainDo(f)
		return
	}
	pc := sys.GetCallerPC()
	l := &o.m.lockdep
	lockdepFirst(l, pc, 0)
	if o.done.Load() {
		core.Touch(l, pc) // it could have been the first
		return
	}
	slot := core.Acquire(l, core.Write, pc, 0)
	defer core.Release(l, core.Write, slot)
	if l.Held() {
		core.Block(l, core.Write, pc)
		defer core.Unblock()
	}
	o.plainDo(func() {
		l.Acquired(slot)
		defer l.Acquired(0)
		f()
	})
}

// Add adds delta, which may be negative, to the [WaitGroup] task counter.
//
//go:noinline
func (wg *WaitGroup) Add(delta int) {
	wg.lockdepAdd(delta, sys.GetCallerPC())
	wg.plainAdd(delta)
}

func (wg *WaitGroup) lockdepAdd(delta int, pc uintptr) {
	if !core.On() {
		return
	}
	lockdepFirst(&wg.lockdep, pc, core.Event)
	wg.lockdep.AddCount(delta)
	if delta < 0 {
		core.Signal(&wg.lockdep)
	}
}

// Wait blocks until the [WaitGroup] task counter is zero.
//
//go:noinline
func (wg *WaitGroup) Wait() {
	if core.On() {
		pc := sys.GetCallerPC()
		lockdepFirst(&wg.lockdep, pc, core.Event)
		core.Learn(&wg.lockdep, pc)
		core.Wait(&wg.lockdep, pc)
	}
	wg.plainWait()
}

// Go calls f in a new goroutine and adds that task to the [WaitGroup].
// When f returns, the task is removed from the WaitGroup.
//
//go:noinline
func (wg *WaitGroup) Go(f func()) {
	lockdepFirst(&wg.lockdep, sys.GetCallerPC(), core.Event)
	wg.plainGo(f)
}

// Wait atomically unlocks c.L and suspends execution
// of the calling goroutine. After later resuming execution,
// Wait locks c.L before returning.
//
//go:noinline
func (c *Cond) Wait() {
	pc := sys.GetCallerPC()
	lockdepFirst(&c.lockdep, pc, core.Event)
	core.Learn(&c.lockdep, pc)
	core.Relock(pc)
	c.plainWait()
	core.Relock(0)
}

// lockdepWaits is called by plainWait between giving up c.L and waiting.
func (c *Cond) lockdepWaits() { core.Wait(&c.lockdep, 0) }

// Signal wakes one goroutine waiting on c, if there is any.
//
//go:noinline
func (c *Cond) Signal() {
	lockdepFirst(&c.lockdep, sys.GetCallerPC(), core.Event)
	core.Signal(&c.lockdep)
	c.plainSignal()
}

// Broadcast wakes all goroutines waiting on c.
//
//go:noinline
func (c *Cond) Broadcast() {
	lockdepFirst(&c.lockdep, sys.GetCallerPC(), core.Event)
	core.Signal(&c.lockdep)
	c.plainBroadcast()
}
