// Package core is the engine of lockdep: which locks each goroutine holds,
// which lock was taken under which, and whether that can deadlock.
//
// In go acquisitions, releases, waits and signals. Out come findings, given
// to one function outside all engine locks. Names, texts and options belong to
// the package above; here a class is a number and a site is a program counter.
//
// The engine never blocks the program: what runs under every lock operation
// touches only the calling goroutine's own record and one word of a shared
// table, and everything slow happens once for each new chain of locks. It
// takes no lock of package sync, starts no goroutine, and keeps no lock
// alive: it knows instances by number, never by pointer.
//
// It imports runtime, sync/atomic and unsafe only, so that the same source can
// be compiled below package sync. What depends on the place it is compiled
// for lies in the files plat_*.go.
//
// Under -race no function here is instrumented (go:norace) and every entry
// point suspends the detector's view of synchronization (enter, leave):
// otherwise the engine's own atomics would order the program's goroutines and
// hide real data races. For the same reason nothing here calls copy or a function
// literal: the runtime instruments the one, the compiler the other.
package core

import "sync/atomic"

// Modes of an acquisition.
const (
	Read  uint8 = 0
	Write uint8 = 1
)

// Config says what the engine does and how much memory it may take. It is
// given once, to [Start].
type Config struct {
	Cross     bool // track waits and signals
	FullStack bool // keep a stack for each held lock, not only its site
	Stats     bool // count events and acquisitions per class
	Pool      bool // reuse goroutine records
	Deadlocks bool // look for real deadlocks when about to block
	History   bool // keep signals whose goroutine needed a lock in an earlier iteration

	Classes int // classes that can exist, at most 65535
	Deps    int // dependencies between classes that are kept
	Pairs   int // pairs of instances that are remembered, oldest forgotten first
	Chains  int // validated chains that are remembered, a power of two
	Records int // goroutine records kept by goroutines that hold nothing
	Stacks  int // stacks kept for dependencies
}

// Limits of fixed structures.
const (
	maxClass   = 1<<16 - 1 // a class fits 16 bits of a Lock
	maxRing    = 16        // longest ring of dependencies that is looked for
	maxSteps   = 20000     // dependencies looked at by one search for rings
	manySteps  = 1 << 22   // by all searches, about a second of time; then each gets a small part
	stackDepth = 32        // program counters kept of a stack
	maxDirect  = 32        // locks held, innermost, that a new one is compared with directly
)

// cfg is written by Start, before the engine is on, and only read afterwards.
var cfg Config

// on is set by Start; until then, and if the program switched lockdep off, no
// operation is tracked.
var on bool

// On reports whether operations are tracked.
//
//go:norace
func On() bool { return on }

// Start allocates the tables and begins tracking. It is called once, before
// the first lock operation that shall be tracked.
//
//go:norace
func Start(c Config) {
	cfg = c
	startPlatform()
	if cfg.Classes > maxClass {
		cfg.Classes = maxClass
	}
	classes = make([]classInfo, cfg.Classes+1)
	for i := range classes {
		classes[i].comp = uint16(i)
		classes[i].order = int32(i)
		classes[i].next = uint16(i)
	}
	classKeys = make([]classKey, keysFor(cfg.Classes))
	chains = make([]atomic.Uint64, cfg.Chains)
	deps.setup(cfg.Deps, false)
	pairs.setup(cfg.Pairs, true)
	if cfg.History {
		earlier.setup(cfg.Pairs, true)
	}
	counters = newCounters()
	if cfg.Stats {
		classCounts = newClassCounts(cfg.Classes + 1)
	}
	on = true
}

//go:norace
func keysFor(classes int) int {
	n := 64
	for n < 8*classes {
		n *= 2
	}
	return n
}

// big guards everything that is not a goroutine's own: the graphs, the classes'
// order, the list of findings. It is taken for new chains only, never across
// a call out of the engine.
var big spin

type spin struct{ word atomic.Uint32 }

//go:norace
func (s *spin) lock() {
	for i := 0; !s.word.CompareAndSwap(0, 1); i++ {
		if i > 30 {
			yield()
		}
	}
}

//go:norace
func (s *spin) tryLock() bool { return s.word.CompareAndSwap(0, 1) }

//go:norace
func (s *spin) unlock() { s.word.Store(0) }

// mix combines two words into a hash whose every bit depends on both (the
// multiply-and-shift finisher of splitmix64).
//
//go:norace
func mix(a, b uint64) uint64 {
	h := a ^ (b+0x9e3779b97f4a7c15)*0xff51afd7ed558ccd
	h ^= h >> 31
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 29
	return h
}

// Reset forgets every dependency, chain and finding. What goroutines hold
// stays known.
//
//go:norace
func Reset() {
	enter()
	big.lock()
	deps.clear()
	pairs.clear()
	earlier.clear()
	for i := range chains {
		chains[i].Store(0)
	}
	for i := range classes {
		classes[i].comp = uint16(i)
		classes[i].order = int32(i)
		classes[i].next = uint16(i)
		forget := classWaited | classHandoff
		if classes[i].flags.Load()&classRW != 0 {
			forget |= classWriter
		}
		classes[i].flags.And(^forget)
	}
	seen = seenSet{}
	searching.total = 0
	readTwice = readTwice[:0]
	big.unlock()
	leave()
}
