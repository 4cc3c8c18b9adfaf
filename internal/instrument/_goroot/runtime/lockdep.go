package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// What internal/lockdep/core needs to know of the runtime.

// lockdepWhoami returns the address and the id of the calling goroutine.
//
//go:linkname lockdepWhoami
func lockdepWhoami() (uintptr, uint64) {
	gp := getg()
	return uintptr(unsafe.Pointer(gp)), gp.goid
}

// lockdepPanicHook is called when a panic ends the program, before that is
// printed.
var lockdepPanicHook func()

//go:linkname lockdepOnPanic
func lockdepOnPanic(f func()) { lockdepPanicHook = f }

func lockdepPanicking() {
	if f := lockdepPanicHook; f != nil {
		lockdepPanicHook = nil // it may panic itself
		f()
	}
}

//go:linkname lockdepGetenv
func lockdepGetenv(key string) string { return gogetenv(key) }

// lockdepChan is what the engine keeps in a channel. It has the layout of
// chanState in internal/lockdep/core.
type lockdepChan struct {
	pc         uintptr // where it was made
	recv, send lockdepEvent
}

type lockdepEvent struct {
	id   atomic.Uint64
	rest [2]uint32
}

// Operations on a channel, numbered as in internal/lockdep/core.
const (
	lockdepMake = iota
	lockdepSend
	lockdepRecv
	lockdepClose
	lockdepSelectSend
	lockdepSelectRecv
	lockdepSelectEnds
)

// Hooks, set by the engine when it starts.
var (
	lockdepChanHook func(op int, s *lockdepChan, pc uintptr, blocks bool)
	lockdepExitHook func()
)

//go:linkname lockdepSetHooks
func lockdepSetHooks(chanOp func(op int, s *lockdepChan, pc uintptr, blocks bool), exit func()) {
	lockdepChanHook, lockdepExitHook = chanOp, exit
}

// lockdepChanOp tells the engine what the calling goroutine is about to do with
// a channel. Timers send on the system stack, and their channels are no
// events that a goroutine makes happen.
//
// It does nothing for channels of the runtime itself, which it uses while it
// starts a garbage collection: perhaps one that the engine has caused, when it
// allocated under its own lock.
func lockdepChanOp(op int, c *hchan, pc uintptr) {
	h := lockdepChanHook
	if h == nil || c == nil || c.lockdep.pc == 0 || c.timer != nil || !lockdepUser() {
		return
	}
	h(op, &c.lockdep, pc, c.dataqsiz == 0 || c.qcount == c.dataqsiz)
}

// lockdepUser reports whether this is a goroutine that may be preempted.
func lockdepUser() bool {
	gp := getg()
	return gp.m.curg == gp && gp.m.locks == 0
}

// lockdepMade is called for each new channel. Those that the runtime makes
// before the engine starts, or as a goroutine that may not be preempted, are
// its own.
func lockdepMade(c *hchan, pc uintptr) {
	if h := lockdepChanHook; h != nil && lockdepUser() {
		c.lockdep.pc = pc
		h(lockdepMake, &c.lockdep, pc, false)
	}
}

// lockdepSelect is lockdepChanOp for the cases of a select. One that can block
// begins a new iteration of its goroutine.
func lockdepSelect(scases []scase, nsends int, block bool, pc uintptr) {
	h := lockdepChanHook
	if h == nil || !lockdepUser() {
		return
	}
	for i := range scases {
		if i < nsends {
			lockdepChanOp(lockdepSelectSend, scases[i].c, pc)
		} else {
			lockdepChanOp(lockdepSelectRecv, scases[i].c, pc)
		}
	}
	if block {
		h(lockdepSelectEnds, nil, pc, true)
	}
}

// lockdepExiting is called by a goroutine that ends.
func lockdepExiting() {
	if h := lockdepExitHook; h != nil {
		h()
	}
}
