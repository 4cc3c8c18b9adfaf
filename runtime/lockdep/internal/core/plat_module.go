package core

import (
	"runtime"
	_ "unsafe" // for linkname
)

// This file and the plat_* beside it are the only ones that differ when the
// engine is compiled into the runtime instead of a module: there the record
// hangs in the g, and the caller's program counter, the processor and the
// stack walk are the runtime's own.

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

//go:linkname nanotime runtime.nanotime
func nanotime() int64

// pin keeps the calling goroutine on its processor and returns that one's
// number.
//
//go:norace
func pin() int { return procPin() }

//go:norace
func unpin() { procUnpin() }

//go:norace
func yield() { runtime.Gosched() }

// goidOffset is the offset of the goroutine id in a g, found by findOffset; 0
// means that goroutines are told apart by the text of their stack.
var goidOffset uintptr

// callerMode says what Caller returns.
var callerMode uint8 = callerSlow

const (
	callerFast  = iota // the return address of its caller
	callerSlow         // 0: frame pointers cannot be relied on
	callerLearn        // its own return address
)

// wrapperReturn is the return address of Caller if it was called from another
// package: there a wrapper that the linker makes lies between, with a frame of
// its own.
var wrapperReturn uintptr

// callerValue calls Caller as other packages do.
var callerValue = Caller

//go:norace
func startPlatform() {
	if haveAsm {
		goidOffset = findOffset()
		callerMode = callerLearn
		wrapperReturn = callerValue()
		callerMode = callerFast
		if !callerWorks() {
			callerMode = callerSlow
		}
	}
	setupPool(shards())
}

// shards is the number of processors that get a share of pools and counters
// of their own.
//
//go:norace
func shards() int {
	n := runtime.NumCPU()
	if p := runtime.GOMAXPROCS(0); p > n {
		n = p
	}
	if n < 8 {
		n = 8
	}
	return n
}

// whoami returns the calling goroutine's key, which no other goroutine alive
// has, and its id.
//
//go:norace
func whoami() (key uintptr, goid uint64) {
	if goidOffset != 0 {
		return where(goidOffset)
	}
	goid = slowGoid()
	return uintptr(goid) << 5, goid
}

// slowGoid reads the goroutine id from the first line of the stack's text,
// "goroutine 7 [running]:", which is the same on every platform.
//
//go:norace
func slowGoid() uint64 {
	var buf [32]byte
	n := runtime.Stack(buf[:], false)
	id := uint64(0)
	for _, c := range buf[len("goroutine "):n] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}

// releaseKey gives up the slot of a goroutine that has no record any more,
// where keys are never used again.
//
//go:norace
func releaseKey(s *slot) {
	if goidOffset == 0 {
		s.key.Store(tombstone)
	}
}

// findOffset looks for the goroutine id in the g: the one word that has the
// value that the stack's text shows, in several goroutines. 0 if there is not
// exactly one.
func findOffset() uintptr {
	const words = 64 // a g is larger than this on every release since Go 1.4
	var candidates [words]bool
	for i := range candidates {
		candidates[i] = i >= 16 // the stack bounds and saved registers come first
	}
	check := func() {
		id := slowGoid()
		for i := range candidates {
			if candidates[i] {
				_, got := where(uintptr(i) * 8)
				candidates[i] = got == id
			}
		}
	}
	check()
	for range 3 {
		done := make(chan bool)
		go func() {
			check()
			close(done)
		}()
		<-done
	}
	found := uintptr(0)
	for i, ok := range candidates {
		if ok {
			if found != 0 {
				return 0
			}
			found = uintptr(i) * 8
		}
	}
	return found
}

// callerWorks checks Caller, called in both ways, against the runtime's own
// answer.
func callerWorks() bool {
	direct, wrapped, slow := probeCaller()
	return direct == slow && wrapped == slow
}

//go:noinline
func probeCaller() (direct, wrapped, slow uintptr) {
	var pcs [1]uintptr
	runtime.Callers(2, pcs[:])
	return Caller(), callerValue(), pcs[0]
}

// pkgPath is the package whose functions are not the site of an operation.
const pkgPath = "github.com/lockvet/lockvet/runtime/lockdep"

// site returns pc, or the first program counter outside the engine and its
// drop-in types if pc is 0.
//
//go:norace
func site(pc uintptr) uintptr {
	if pc != 0 {
		return pc
	}
	var pcs [16]uintptr
	for _, pc := range pcs[:runtime.Callers(2, pcs[:])] {
		if f := runtime.FuncForPC(pc - 1); f != nil && !Ours(f.Name()) {
			return pc
		}
	}
	return 0
}

// Ours reports whether a function belongs to the engine or to what calls it
// for the program.
//
//go:norace
func Ours(name string) bool {
	if len(name) <= len(pkgPath) || name[:len(pkgPath)] != pkgPath {
		return false
	}
	rest := name[len(pkgPath):]
	const below = "/internal/core."
	return rest[0] == '.' || len(rest) > len(below) && rest[:len(below)] == below
}

// tracked says that the engine's own callers use tracked locks, see Quiet.
const tracked = false

// Quiet is for the overlay form, where the package above uses tracked locks.
func Quiet(bool) {}

// rememberHiding notes that pc lies in a function that hides the caller. Here callers
// are found otherwise.
func rememberHiding(uintptr) {}

// tracksItself reports whether locks of the code at pc are tracked by other
// means, which only the overlay form can meet.
func tracksItself(uintptr) bool { return false }

// walkStack fills s with the calling goroutine's return addresses, innermost
// first, and returns their number.
//
//go:norace
func walkStack(s []uintptr) int {
	if callerMode == callerSlow {
		return runtime.Callers(3, s)
	}
	return walk(&s[0], len(s))
}
