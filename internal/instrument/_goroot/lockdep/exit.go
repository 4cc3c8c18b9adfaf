package lockdep

import (
	"internal/runtime/exithook"
	_ "unsafe" // for linkname
)

//go:linkname onPanic runtime.lockdepOnPanic
func onPanic(f func())

// With LOCKDEPDIR set the observed graph is written when the program ends, by
// os.Exit, by return from main or by a panic.
func init() {
	if dumpDir != "" && Enabled() {
		exithook.Add(exithook.Hook{F: dumpAtExit, RunOnFailure: true})
		onPanic(dumpAtExit)
	}
}
