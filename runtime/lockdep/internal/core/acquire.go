package core

// Under is how to acquire a lock whose order among its class is that of a lock
// held above them.
const Under = heldNested

// AtLevel is how to acquire a lock as the n-th, from 1 to 15, of a nest of
// locks of its class.
func AtLevel(n int) uint8 { return uint8(n) << levelShift }

// Acquire notes that the calling goroutine is about to acquire l in mode at pc
// and may block. What it holds already is checked against all that was seen.
// It returns the goroutine's slot for [Lock.Acquired], 0 if nothing is tracked.
// how is 0 or one of Under and AtLevel.
//
//go:norace
func Acquire(l *Lock, mode uint8, pc uintptr, how uint8) uint32 {
	if !on {
		return 0
	}
	enter()
	r := current(true)
	if r == nil || tracked && r.quiet > 0 {
		leave()
		return 0
	}
	if pc = site(pc); r.pcFor != 0 {
		pc = r.pcFor
	}
	if l.addr.Load() != l.place() {
		later(l.moved(r, pc))
	}
	id := l.id.Load()
	inst, class := id&instMask, uint16(id>>classShift)
	flags := how
	if how>>levelShift != 0 {
		class = subclass(class, int(how>>levelShift))
	}
	if mode == Write && classes[class].flags.Load()&classWriter == 0 {
		writerAppeared(class)
	}
	var chain uint64
	if d := r.depth; d == 0 {
		chain = link(0, inst, mode, flags)
	} else {
		chain = link(r.held[d-1].chain, inst, mode, flags)
		if !validated(chain, r.goid) {
			if tracked {
				pc = callerAt(pc)
			}
			r.check(inst, class, mode, flags, pc, chain)
		}
	}
	if pending.Load() != nil {
		leave()
		deliver()
		enter()
		if r = current(true); r == nil {
			leave()
			return 0
		}
	}
	r.push(inst, chain, pc, class, mode, flags)
	if cfg.Stats {
		countClass(class, false)
	}
	n, depth := r.slot, r.depth
	leave()
	if provoking.on {
		provokeLine(pc)
		if depth > 1 {
			r.provoke(l, mode, pc)
		}
	}
	return n
}

// TryAcquired notes that the calling goroutine has acquired l without being
// able to block: that orders nothing before l, but l before what follows.
//
//go:norace
func TryAcquired(l *Lock, mode uint8, pc uintptr) uint32 {
	if !on {
		return 0
	}
	enter()
	r := current(true)
	if r == nil || tracked && r.quiet > 0 {
		leave()
		return 0
	}
	pc = site(pc)
	if l.addr.Load() != l.place() {
		later(l.moved(r, pc))
	}
	id := l.id.Load()
	inst, class := id&instMask, uint16(id>>classShift)
	if mode == Write && classes[class].flags.Load()&classWriter == 0 {
		writerAppeared(class)
	}
	var chain uint64
	if r.depth > 0 {
		chain = r.held[r.depth-1].chain
	}
	r.push(inst, link(chain, inst, mode, heldTry), pc, class, mode, heldTry)
	if cfg.Stats {
		countClass(class, false)
	}
	n := r.slot
	leave()
	if pending.Load() != nil {
		deliver()
	}
	return n
}

// Acquired notes who holds l for writing. It is called by the holder.
//
//go:norace
func (l *Lock) Acquired(slot uint32) { l.holder = slot }

// Releasing is called by who is about to release l, held for writing. It
// returns the holder's slot, for Release. Nobody holding it is a finding, and
// the release will be fatal.
//
//go:norace
func (l *Lock) Releasing(pc uintptr) uint32 {
	h := l.holder
	l.holder = 0
	if h == 0 && on {
		l.notHeld(pc)
	}
	return h
}

//go:norace
func (l *Lock) notHeld(pc uintptr) {
	if FullTable(TableGoroutines) {
		return // its holder may not be known
	}
	enter()
	pc = site(pc)
	if r := current(true); r != nil && !(tracked && r.quiet > 0) {
		later(single(Unlock, uint16(l.id.Load()>>classShift), r, pc))
	}
	leave()
	deliver()
}

// RReleasing is called by who is about to release l, held for reading.
//
//go:norace
func (l *Lock) RReleasing(pc uintptr) {
	if !on {
		return
	}
	enter()
	id := l.id.Load()
	inst := id & instMask
	r := current(false)
	// Of locks that are handed on, which holder gives one up is a guess, and
	// one can be thought to have lost what it holds.
	held := r != nil && r.find(inst) >= 0 || classes[id>>classShift].flags.Load()&classHandoff != 0 || holderOf(inst, Read, r) != nil
	leave()
	if !held {
		l.notHeld(pc)
	}
}

// Release notes that the calling goroutine has released l. holder is what
// Releasing returned, 0 for a read lock.
//
//go:norace
func Release(l *Lock, mode uint8, holder uint32) {
	if !on {
		return
	}
	enter()
	inst := l.id.Load() & instMask
	r := current(false)
	if tracked && r != nil && r.quiet > 0 {
		leave()
		return
	}
	if r != nil && r.depth > 0 {
		d := int(r.depth) - 1
		if r.held[d].inst != inst {
			d = r.findMode(inst, mode)
		}
		if d >= 0 {
			r.drop(d)
			if r.depth == 0 {
				r.idle()
			}
			leave()
			return
		}
	}
	foreign(l, r, mode, holder)
	leave()
	if pending.Load() != nil {
		deliver()
	}
}

// findMode returns the position of the innermost acquisition of inst in mode,
// or -1.
//
//go:norace
func (r *record) findMode(inst uint64, mode uint8) int {
	if r.bloom&bloomBit(inst) == 0 {
		return -1
	}
	for i := int(r.depth) - 1; i >= 0; i-- {
		if r.held[i].inst == inst && r.held[i].mode == mode {
			return i
		}
	}
	return -1
}

// foreign handles the release of a lock that another goroutine acquired. That
// one does not hold it any more; and who waits for the lock waits for what the
// releasing goroutine, r if it has a record, needs on its way here.
//
//go:norace
func foreign(l *Lock, r *record, mode uint8, holder uint32) {
	count(ForeignUnlock)
	id := l.id.Load()
	inst, class := id&instMask, uint16(id>>classShift)
	var other *record
	if s := slotAt(holder); s != nil {
		other = s.rec.Load()
	} else if mode != Write {
		other = holderOf(inst, mode, r)
	}
	if classes[class].flags.Load()&classHandoff == 0 {
		classes[class].flags.Or(classHandoff)
		withdraw(class)
	}
	if other != nil && other != r {
		other.send(inst)
	}
	if cfg.Cross && r != nil {
		r.commit(inst, class, 0)
	}
}

// anyMode stands for a release that does not say what it releases.
const anyMode uint8 = 2

// holderOf returns the record of a goroutine other than r's that holds inst in
// mode.
//
//go:norace
func holderOf(inst uint64, mode uint8, r *record) *record {
	var every everyRecord
	for o := every.next(); o != nil; o = every.next() {
		if o != r && o.has(inst, mode) {
			return o
		}
	}
	return nil
}

// has reports whether another goroutine, r's, holds inst in mode.
//
//go:norace
func (r *record) has(inst uint64, mode uint8) bool {
	view := *r.view.Load()
	n := int(r.depth)
	if n > len(view) {
		n = len(view)
	}
	for i := 0; i < n; i++ {
		if view[i].inst == inst && (view[i].mode == mode || mode == anyMode) {
			if i == n-1 && r.waitLock.Load() != nil {
				continue // it is only waiting for it
			}
			return true
		}
	}
	return false
}

// check compares a chain that was not seen before, what r holds and then inst,
// with all dependencies.
//
//go:norace
func (r *record) check(inst uint64, class uint16, mode, flags uint8, pc uintptr, chain uint64) {
	count(NewChain)
	big.lock()
	shared := true
	for i := 0; i < int(r.depth); i++ {
		h := &r.held[i]
		if h.inst != inst && i < int(r.depth)-maxDirect {
			continue // it comes before those that follow, and they before inst
		}
		if h.inst == inst {
			r.again(h, mode, pc)
			continue
		}
		if class == 0 || h.class == 0 || h.class == class && flags&heldNested != 0 {
			continue
		}
		e := edge{
			from: ident(h.class, h.inst), fromInst: h.inst, fromClass: h.class, fromMode: h.mode, fromPC: h.pc,
			to: ident(class, inst), toInst: inst, toClass: class, toMode: mode, toPC: pc,
			goid1: r.goid, kind: kindHeld,
		}
		if !r.observe(&e, i) {
			shared = false
		}
	}
	validate(chain, r.goid, shared)
	big.unlock()
}

// observe adds one dependency to both graphs and looks for the rings that it
// closes. skip is the position of its first lock among those held, or -1 if
// the others are no gates. It reports whether two goroutines have shown it.
//
//go:norace
func (r *record) observe(e *edge, skip int) bool {
	d := *e
	d.from, d.to, d.goid1 = uint64(e.fromClass), uint64(e.toClass), 0
	d.stack, d.fromStack, e.stack, e.fromStack = -1, -1, -1, -1
	if skip >= 0 {
		r.addGates(e, &d, skip)
	}
	before := deps.used
	at, news := deps.add(&d)
	if at < 0 {
		return true
	}
	if deps.used != before {
		count(NewEdge)
		order(e.fromClass, e.toClass)
		x := deps.edge(at)
		x.goid1 = e.goid1 // for reports only
		x.stack, x.fromStack = r.saveStacks(skip)
	}
	if news {
		count(RingSearch)
		if ring, level := deps.search(at); len(ring) > 0 {
			later(found(&deps, ring, level))
		}
	}
	close := sameComponent(e.fromClass, e.toClass)
	at, news = pairs.add(e)
	x := pairs.edge(at)
	if news {
		count(NewPair)
		if close {
			if x.stack < 0 && len(stacks) < cfg.Stacks/2 {
				x.stack, x.fromStack = r.saveStacks(skip)
			}
			count(RingSearch)
			if ring, level := pairs.search(at); len(ring) > 0 {
				later(found(&pairs, ring, level))
			}
		}
	}
	return x.goid2 != 0
}

// remember keeps a signal that had its lock in an earlier iteration. It is no
// reason for a finding, and takes no part in any search.
//
//go:norace
func (r *record) remember(e *edge) {
	e.stack, e.fromStack = -1, -1
	before := earlier.used
	if at, news := earlier.add(e); news && earlier.used != before && len(stacks) < cfg.Stacks/4 {
		x := earlier.edge(at)
		x.stack, x.fromStack = r.saveStacks(-1)
	}
}

// addGates lists the locks held besides the one at position skip, outermost
// first: by instance for e, by class for d.
//
//go:norace
func (r *record) addGates(e, d *edge, skip int) {
	n := 0
	for i := 0; i < int(r.depth); i++ {
		h := &r.held[i]
		if i == skip || h.inst == e.fromInst || h.inst == e.toInst {
			continue
		}
		if n == maxGates {
			e.manyGates, d.manyGates = true, true
			break
		}
		e.gates[n] = gate(h.inst, h.mode)
		d.gates[n] = gate(uint64(h.class), h.mode)
		n++
	}
	e.ngates, d.ngates = uint8(n), uint8(n)
}

// saveStacks keeps the calling goroutine's stack, and that of the lock at
// position skip if it was kept.
//
//go:norace
func (r *record) saveStacks(skip int) (to, from int32) {
	var buf [stackDepth]uintptr
	to, from = saveStack(buf[:walkStack(buf[:])]), -1
	if cfg.FullStack && skip >= 0 && skip < len(r.stacks) {
		from = saveStack(r.stacks[skip])
	}
	return to, from
}

// twice is a read lock taken again by its holder, in a class that has no
// writer yet.
type twice struct {
	class      uint16
	goid       uint64
	first, pc  uintptr
	stack      int32
	firstStack int32
	inst       uint64
	elsewhere  bool // the function that took it first has returned
}

var readTwice []twice

const maxReadTwice = 64

// again handles a lock that its holder acquires again.
//
//go:norace
func (r *record) again(h *held, mode uint8, pc uintptr) {
	flags := classes[h.class].flags.Load()
	if h.class == 0 || flags&classHandoff != 0 {
		return
	}
	t := twice{class: h.class, goid: r.goid, first: h.pc, pc: pc, inst: h.inst}
	t.stack, t.firstStack = r.saveStacks(-1)
	if s := stackAt(t.stack); len(s) > 0 {
		t.elsewhere = !onStack(s, h.pc, pc)
	}
	if mode == Read && h.mode == Read && flags&classWriter == 0 {
		if len(readTwice) < maxReadTwice {
			readTwice = append(readTwice, t)
		}
		return
	}
	later(recursive(&t, h.mode, mode))
}

// certainty returns how good the evidence is that a lock is taken again by its
// holder: see onStack.
//
//go:norace
func (t *twice) certainty(first uint8) Level {
	if first == Read && t.elsewhere {
		return Medium
	}
	return Strong
}

// writerAppeared is called for the first write lock of a class. Rings through
// two readers of it count from now on.
//
//go:norace
func writerAppeared(class uint16) {
	big.lock()
	if classes[class].flags.Load()&classWriter == 0 {
		classes[class].flags.Or(classWriter)
		n := 0
		for i := range readTwice {
			if readTwice[i].class == class {
				later(recursive(&readTwice[i], Read, Read))
			} else {
				readTwice[n] = readTwice[i]
				n++
			}
		}
		readTwice = readTwice[:n]
		deps.searchReaders(class)
		pairs.searchReaders(class)
	}
	big.unlock()
}

// searchReaders looks again at the rings that go through readers of class.
//
//go:norace
func (g *graph) searchReaders(class uint16) {
	for i := int32(0); i < g.used; i++ {
		e := g.edge(i)
		if e.toClass == class && e.toMode == Read {
			count(RingSearch)
			if ring, level := g.search(i); len(ring) > 0 {
				later(found(g, ring, level))
			}
		}
	}
}
