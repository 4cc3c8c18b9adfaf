package testdeps

import (
	"io"
	"runtime/lockdep"
	"runtime/pprof"
)

// The profile of leaked goroutines, where this Go has it, marks them in all
// stacks.
func init() {
	if p := pprof.Lookup("goroutineleak"); p != nil {
		lockdep.FindLeaked(func() { p.WriteTo(io.Discard, 1) })
	}
}
