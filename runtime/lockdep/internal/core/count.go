package core

import "sync/atomic"

// Events the engine counts when Config.Stats is set.
const (
	NewChain = iota
	NewEdge
	NewPair
	RingSearch
	SearchCut
	Contended
	CrossCommit
	CrossWait
	ForeignUnlock
	WindowWrap
	HistoryWrap
	LetterLost
	PoolGet
	PoolPut
	PoolNew
	PoolRefill
	PoolDrain
	PoolBusy
	PoolSkip
	TableFull
	ProvokeHold
	NumEvents
)

// EventNames has a name and a meaning for each event, in their order.
var EventNames = [NumEvents][2]string{
	{"new chain", "a chain of locks that was not validated before"},
	{"new edge", "a dependency between two classes seen for the first time"},
	{"new pair", "a dependency between two instances seen for the first time"},
	{"ring search", "searches for a ring, by class or by instance"},
	{"search cut", "searches that were given up after their share of steps"},
	{"contended acquire", "acquisitions that had to block"},
	{"cross commit", "locks of a signaller's window tied to the event"},
	{"cross wait", "waits with a lock held"},
	{"foreign unlock", "locks released by a goroutine that did not acquire them"},
	{"window wrap", "acquisitions pushed out of a goroutine's window"},
	{"history wrap", "times the table of instance pairs began to forget"},
	{"letter lost", "foreign unlocks that could not be told to the holder"},
	{"pool get", "goroutine records taken from a processor's cache"},
	{"pool put", "goroutine records given back"},
	{"pool new", "goroutine records allocated"},
	{"pool refill", "batches taken from the shared list"},
	{"pool drain", "batches given to the shared list"},
	{"pool busy", "refills skipped because the shared list was busy"},
	{"pool skip", "drains skipped because the shared list was busy"},
	{"table full", "times something was not recorded for want of room"},
	{"provoke hold", "goroutines held back to provoke a deadlock"},
}

// eventCounts is one processor's share.
type eventCounts struct {
	n [NumEvents]atomic.Uint64
	_ [64]byte
}

var counters []eventCounts

//go:norace
func newCounters() []eventCounts {
	if !cfg.Stats {
		return nil
	}
	return make([]eventCounts, shards())
}

// count adds one to an event.
//
//go:norace
func count(event int) {
	if len(counters) == 0 {
		return
	}
	p := pin()
	unpin()
	countAt(p, event)
}

//go:norace
func countAt(p, event int) {
	if len(counters) == 0 {
		return
	}
	counters[p%len(counters)].n[event].Add(1)
}

// Counts returns the events so far, and the records that exist.
//
//go:norace
func Counts() (events [NumEvents]uint64, records int64) {
	enter()
	for i := range counters {
		for j := range events {
			events[j] += counters[i].n[j].Load()
		}
	}
	records = recordsMade.Load()
	leave()
	return events, records
}

// classCount is what one processor saw of one class.
type classCount struct {
	acquired, contended atomic.Uint64
}

var classCounts [][]classCount

//go:norace
func newClassCounts(n int) [][]classCount {
	c := make([][]classCount, shards())
	for i := range c {
		c[i] = make([]classCount, n)
	}
	return c
}

//go:norace
func countClass(class uint16, contended bool) {
	p := pin()
	unpin()
	c := &classCounts[p%len(classCounts)][class]
	if contended {
		c.contended.Add(1)
	} else {
		c.acquired.Add(1)
	}
}

// ClassCounts returns how often locks of class were acquired, and how often
// that had to block. Both are 0 unless Config.Stats is set.
//
//go:norace
func ClassCounts(class uint16) (acquired, contended uint64) {
	enter()
	for i := range classCounts {
		c := &classCounts[i][class]
		acquired += c.acquired.Load()
		contended += c.contended.Load()
	}
	leave()
	return acquired, contended
}

// Tables that can fill up.
const (
	TableClasses = iota
	TableDeps
	TableGoroutines
	TableStacks
	TableFindings
	NumTables
)

// TableNames names them as options do.
var TableNames = [NumTables]string{"classes", "deps", "goroutines", "stacks", "findings"}

var tablesFull [NumTables]atomic.Bool

// full notes that a table is full; it is reported once.
//
//go:norace
func full(table int) {
	count(TableFull)
	if tablesFull[table].Load() || tablesFull[table].Swap(true) {
		return
	}
	later(&Finding{Kind: Full, Table: table})
}

// FullTable reports whether a table has been full.
//
//go:norace
func FullTable(table int) bool {
	enter()
	f := tablesFull[table].Load()
	leave()
	return f
}
