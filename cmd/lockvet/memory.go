package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	smallHeap = 256 << 20  // below it the collector need not run
	largeHeap = 1100 << 20 // from here on memory counts for more than time
)

// paceGC sets the garbage collector for a process that analyses one package
// and ends: it may use memory freely up to largeHeap, where the default pace
// would spend a third of the time on a large package's syntax and types, which
// stay alive anyway.
func paceGC() {
	debug.SetGCPercent(100 * smallHeap / (4 << 20)) // of the 4 MB that the runtime starts from
	runtime.SetFinalizer(new(cycle), nextGoal)
}

// A cycle is garbage that tells by its finalizer when a collection has ended.
type cycle struct{ _ *cycle }

// nextGoal sets the goal of the collection after the one that has ended.
func nextGoal(c *cycle) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(gcPercent(live[0].Value.Uint64()))
	runtime.SetFinalizer(c, nextGoal)
}

// gcPercent is how much the heap may grow, in percent of the live bytes, before
// the next collection.
func gcPercent(live uint64) int {
	live = max(live, 1<<20)
	goal := max(smallHeap, min(3*live, largeHeap), live+live/3)
	return int((goal - live) * 100 / live)
}
