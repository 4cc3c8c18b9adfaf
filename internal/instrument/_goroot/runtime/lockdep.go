package runtime

import "unsafe"

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
