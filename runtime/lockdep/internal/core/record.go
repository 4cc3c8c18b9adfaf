package core

import "sync/atomic"

// A record is what the engine knows about one goroutine. Only its goroutine
// writes it, apart from the inbox; others look at it when they are about to
// block, or when somebody asks.
type record struct {
	goid  uint64
	slot  uint32
	depth int32
	seq   uint32 // acquisitions so far, tells a lock kept from one retaken
	bloom uint32 // of the instances held since depth was last 0
	home  *slot

	held []held // held[:depth], innermost last
	view atomic.Pointer[[]held]

	waitLock hidden // the lock this goroutine blocks on
	waitMode uint8
	waitHeld bool // it does not block yet, see provoke
	waitPC   uintptr
	waitAt   []uintptr // its stack
	pcFor    uintptr   // site to use instead of the caller's, inside Cond.Wait
	quiet    int32     // see Quiet

	inbox  atomic.Uint32 // messages below, from goroutines that released a lock held here
	letter [8]atomic.Uint64
	spilt  atomic.Uint32 // 1: there were more messages than letters

	win      window
	owes     uint64 // WaitGroup that the goroutine has last added to, see AddCount
	owesFrom uint32 // era of that

	stacks [][]uintptr // of held, with Config.FullStack

	nextFree *record
	first    [8]held
}

// held is one acquisition that was not yet released.
type held struct {
	inst  uint64
	chain uint64 // hash of the chain up to here
	pc    uintptr
	seq   uint32
	era   uint32 // when it was acquired, see era
	class uint16
	mode  uint8
	flags uint8
}

const (
	heldTry    = 1 << iota // taken by a try: it could not block
	heldNested             // ordered by annotation under another of its class

	levelShift = 4 // the upper half is the level in a nest
)

//go:norace
func (r *record) init() {
	r.held = r.first[:]
	view := r.held
	r.view.Store(&view)
}

// push notes an acquisition. The room is grown before it is needed.
//
//go:norace
func (r *record) push(inst, chain uint64, pc uintptr, class uint16, mode, flags uint8) {
	d := int(r.depth)
	if d == len(r.held) {
		r.grow()
	}
	r.seq++
	h := &r.held[d]
	h.inst, h.chain, h.pc, h.seq, h.class, h.mode, h.flags = inst, chain, pc, r.seq, class, mode, flags
	if cfg.Cross {
		h.era = era.Load()
		if flags&heldTry == 0 {
			r.win.add(h)
		}
	}
	r.bloom |= bloomBit(inst)
	r.depth = int32(d + 1)
	if cfg.FullStack {
		r.keepStack(d)
	}
}

//go:norace
func (r *record) grow() {
	bigger := make([]held, 2*len(r.held))
	for i := range r.held {
		bigger[i] = r.held[i]
	}
	r.held = bigger
	r.view.Store(&bigger)
}

//go:norace
func (r *record) keepStack(d int) {
	for len(r.stacks) <= d {
		r.stacks = append(r.stacks, make([]uintptr, stackDepth))
	}
	s := r.stacks[d][:stackDepth]
	r.stacks[d] = s[:walkStack(s)]
}

//go:norace
func bloomBit(inst uint64) uint32 { return 1 << (inst & 31) }

// find returns the position of the innermost acquisition of inst, or -1.
//
//go:norace
func (r *record) find(inst uint64) int {
	if r.bloom&bloomBit(inst) == 0 {
		return -1
	}
	for i := int(r.depth) - 1; i >= 0; i-- {
		if r.held[i].inst == inst {
			return i
		}
	}
	return -1
}

// drop removes the acquisition at position i; those inside it get the hash of
// the shorter chain.
//
//go:norace
func (r *record) drop(i int) {
	d := int(r.depth) - 1
	if i != d {
		for j := i; j < d; j++ {
			r.held[j] = r.held[j+1]
		}
		if cfg.FullStack {
			gone := r.stacks[i]
			for j := i; j < d; j++ {
				r.stacks[j] = r.stacks[j+1]
			}
			r.stacks[d] = gone
		}
		chain := uint64(0)
		if i > 0 {
			chain = r.held[i-1].chain
		}
		for j := i; j < d; j++ {
			h := &r.held[j]
			h.chain = link(chain, h.inst, h.mode, h.flags)
			chain = h.chain
		}
	}
	r.depth = int32(d)
	if d == 0 {
		r.bloom = 0
	}
}

// send tells the record's goroutine that inst was released elsewhere. A letter
// has the instance, and above it how many more of its acquisitions it means.
//
//go:norace
func (r *record) send(inst uint64) {
	const more = 1 << classShift
	for i := range r.letter {
		old := r.letter[i].Load()
		if old&instMask == inst && old < ^uint64(0)-more && r.letter[i].CompareAndSwap(old, old+more) {
			return
		}
	}
	for i := range r.letter {
		if r.letter[i].CompareAndSwap(0, inst) {
			r.inbox.Add(1)
			return
		}
	}
	count(LetterLost)
	if r.spilt.CompareAndSwap(0, 1) {
		r.inbox.Add(1)
	}
}

//go:norace
func (r *record) drain() {
	for i := range r.letter {
		letter := r.letter[i].Swap(0)
		if letter == 0 {
			continue
		}
		r.inbox.Add(^uint32(0))
		for n := letter>>classShift + 1; n > 0; n-- {
			at := r.findOldest(letter & instMask)
			if at < 0 {
				break
			}
			r.drop(at)
		}
	}
	if r.spilt.CompareAndSwap(1, 0) {
		r.inbox.Add(^uint32(0))
		// Which ones is not known: of classes that are handed on, all.
		for i := int(r.depth) - 1; i >= 0; i-- {
			if classes[r.held[i].class].flags.Load()&classHandoff != 0 {
				r.drop(i)
			}
		}
	}
}

//go:norace
func (r *record) findOldest(inst uint64) int {
	for i := 0; i < int(r.depth); i++ {
		if r.held[i].inst == inst {
			return i
		}
	}
	return -1
}

// takeOver gives the record of a goroutine that is gone to a later one on the
// same g. What the first still held is lost for good.
//
//go:norace
func (r *record) takeOver(goid uint64) {
	if r.inbox.Load() != 0 {
		r.drain()
	}
	for i := 0; i < int(r.depth); i++ {
		later(leaked(r, i))
		lose(r.held[i].inst)
	}
	r.depth = 0
	r.bloom = 0
	r.win.clear()
	r.owes = 0
	r.pcFor = 0
	r.quiet = 0
	r.waitLock.Store(nil)
	r.goid = goid
}

// idle is called when the goroutine holds nothing any more. Its record stays
// with it, for its window and for speed, as long as there are not too many;
// then it goes back to the pool. Where goroutines have no g that is used again,
// it always does, because nobody tells when they end.
//
//go:norace
func (r *record) idle() {
	if recordsMade.Load() > int64(cfg.Records) || goidOffset == 0 {
		r.retire()
	}
}

//go:norace
func (r *record) retire() {
	r.win.clear()
	r.pcFor = 0
	home := r.home
	r.home = nil
	home.rec.Store(nil)
	releaseKey(home)
	putRecord(r)
}
