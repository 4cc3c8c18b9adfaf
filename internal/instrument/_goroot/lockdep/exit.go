package lockdep

import (
	"internal/runtime/exithook"
	_ "unsafe" // for linkname
)

//go:linkname onPanic runtime.lockdepOnPanic
func onPanic(f func())

// FindLeaked sets what makes the runtime look for goroutines that are blocked
// for good. Package testdeps does it: this one does not import runtime/pprof.
func FindLeaked(f func()) { setFindLeaked(f) }

// With LOCKDEPDIR set the observed graph is written when the program ends, by
// os.Exit, by return from main or by a panic.
func init() {
	if dumpDir != "" && Enabled() {
		exithook.Add(exithook.Hook{F: dumpAtExit, RunOnFailure: true})
		onPanic(dumpAtExit)
	}
}
