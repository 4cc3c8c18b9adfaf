package core

import (
	"runtime"
	"sync/atomic"
	_ "unsafe" // for linkname
)

// This file takes the place of plat_module.go where the engine is compiled into
// GOROOT, below package sync. Package runtime tells what is guessed there.

//go:linkname whoami runtime.lockdepWhoami
func whoami() (key uintptr, goid uint64)

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:linkname getenv runtime.lockdepGetenv
func getenv(key string) string

// goidOffset is not 0: goroutines have a g, which is used again.
const goidOffset = 1

// tracked says that the engine's own callers use tracked locks, see Quiet.
const tracked = true

//go:norace
func pin() int { return procPin() }

//go:norace
func unpin() { procUnpin() }

//go:norace
func yield() { runtime.Gosched() }

//go:norace
func releaseKey(*slot) {}

// The engine starts before the first lock can be used: before the packages that
// read options. It looks for those that it needs itself, which are numbers; the
// package above says what is wrong with the others.
func init() {
	env := getenv("LOCKDEP")
	if option(env, "enabled", 1) == 0 {
		return
	}
	chains := 64
	for chains < option(env, "chains", 1<<15) {
		chains *= 2
	}
	Start(Config{
		Cross:     option(env, "crossrelease", 1) != 0,
		FullStack: option(env, "fullstack", 0) != 0,
		Stats:     option(env, "stats", 0) != 0,
		Pool:      option(env, "pool", 1) != 0,
		Deadlocks: option(env, "deadlock", 1) != 0,
		History:   option(env, "history", 0) != 0,
		Classes:   option(env, "classes", 8191),
		Deps:      option(env, "deps", 1<<16),
		Pairs:     option(env, "pairs", 1<<14),
		Chains:    chains,
		Records:   option(env, "records", 4096),
		Stacks:    option(env, "stacks", 1<<13),
	})
	if cfg.Cross {
		setHooks(chanOp, goroutineEnds)
	} else {
		setHooks(nil, goroutineEnds)
	}
}

// option returns the number that list gives to key, or def.
func option(list, key string, def int) int {
	for list != "" {
		part := list
		list = ""
		for i := range part {
			if part[i] == ',' {
				part, list = part[:i], part[i+1:]
				break
			}
		}
		if len(part) <= len(key)+1 || len(part) > len(key)+9 || part[:len(key)] != key || part[len(key)] != '=' {
			continue
		}
		n, ok := 0, true
		for _, c := range part[len(key)+1:] {
			ok = ok && '0' <= c && c <= '9'
			n = n*10 + int(c-'0')
		}
		if ok {
			def = n
		}
	}
	return def
}

//go:norace
func startPlatform() { setupPool(shards()) }

//go:norace
func shards() int { return max(runtime.NumCPU(), runtime.GOMAXPROCS(0), 8) }

// site returns pc, or the first program counter outside the tracked packages
// if pc is 0 or known to lie in a function that hides the caller.
//
//go:norace
func site(pc uintptr) uintptr {
	if pc != 0 && !hides(pc) {
		return pc
	}
	var pcs [24]uintptr
	for _, pc := range pcs[:runtime.Callers(2, pcs[:])] {
		if f := runtime.FuncForPC(pc - 1); f != nil && !Ours(f.Name()) {
			return pc
		}
	}
	return pc
}

// hiding are the program counters at which functions that hide the caller call
// a lock's method: those that the compiler makes for method values and promoted
// methods. A program has few.
var hiding struct {
	bits atomic.Uint64 // one for each, to tell most others quickly
	n    atomic.Int32
	pcs  [16]uintptr
}

//go:norace
func hides(pc uintptr) bool {
	if hiding.bits.Load()&hidingBit(pc) == 0 {
		return false
	}
	n := hiding.n.Load()
	for i := int32(0); i < n; i++ {
		if hiding.pcs[i] == pc {
			return true
		}
	}
	return false
}

//go:norace
func hidingBit(pc uintptr) uint64 { return 1 << (pc >> 2 & 63) }

// rememberHiding notes that pc lies in a function that hides the caller.
//
//go:norace
func rememberHiding(pc uintptr) {
	classLock.lock()
	if n := hiding.n.Load(); int(n) < len(hiding.pcs) && !hides(pc) {
		hiding.pcs[n] = pc
		hiding.n.Store(n + 1)
		hiding.bits.Or(hidingBit(pc))
	}
	classLock.unlock()
}

// Ours reports whether a function belongs to the engine or to what calls it
// for the program.
//
//go:norace
func Ours(name string) bool {
	return under(name, "sync") || under(name, "internal/lockdep/core") ||
		starts(name, "runtime.lockdep") || starts(name, "runtime.chan") || starts(name, "runtime.selectgo") || starts(name, "runtime.closechan") ||
		wraps(name)
}

// wrapping are packages whose locks have one of package sync inside, which is
// tracked in their place, with the caller's line. What they lock for themselves
// is not.
var wrapping = [...]string{"github.com/sasha-s/go-deadlock", "github.com/linkdata/deadlock"}

// wraps reports whether a function of those packages is one that leads from
// the program to the lock inside.
//
//go:norace
func wraps(name string) bool {
	rest := inWrapping(name)
	return starts(rest, ".(*Mutex)") || starts(rest, ".(*RWMutex)") || starts(rest, ".(*Standard") || starts(rest, ".(*Deadlock") || starts(rest, ".lock")
}

// inWrapping returns the name of a function of those packages without the path,
// "" for any other.
//
//go:norace
func inWrapping(name string) string {
	for _, pkg := range wrapping {
		if under(name, pkg) {
			return name[len(pkg):]
		}
	}
	return ""
}

//go:norace
func starts(name, with string) bool { return len(name) >= len(with) && name[:len(with)] == with }

//go:norace
func under(name, pkg string) bool {
	return len(name) > len(pkg) && name[:len(pkg)] == pkg && (name[len(pkg)] == '.' || name[len(pkg)] == '[')
}

// tracksItself reports whether locks of the code at pc are tracked by other
// means, those inside the drop-in types of this project, or belong to what
// tracks: the package above, and those that wrap locks.
//
//go:norace
func tracksItself(pc uintptr) bool {
	f := runtime.FuncForPC(pc - 1)
	if f == nil {
		return false
	}
	name := f.Name()
	return under(name, "runtime/lockdep") ||
		under(name, "github.com/lockvet/lockvet/runtime/lockdep") ||
		under(name, "github.com/lockvet/lockvet/runtime/lockdep/internal/core") ||
		inWrapping(name) != ""
}

// walkStack fills s with the calling goroutine's return addresses, innermost
// first, and returns their number.
//
//go:norace
func walkStack(s []uintptr) int { return runtime.Callers(3, s) }

// Quiet stops, or resumes, the tracking of what the calling goroutine does: the
// package above uses tracked locks itself. Calls nest.
//
//go:norace
func Quiet(quiet bool) {
	enter()
	if r := current(true); r != nil {
		if quiet {
			r.quiet++
		} else {
			r.quiet--
		}
	}
	leave()
}

// Holding reports whether the calling goroutine holds any lock.
//
//go:norace
func Holding() bool {
	if !on {
		return false
	}
	enter()
	r := current(false)
	holds := r != nil && r.depth > 0
	leave()
	return holds
}
