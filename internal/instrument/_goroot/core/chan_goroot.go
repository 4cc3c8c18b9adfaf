package core

import _ "unsafe" // for linkname

// Channels, which only package runtime can track. A channel is two events: what
// its receivers wait for, and what its senders wait for.

// chanState is lockdepChan of package runtime.
type chanState struct {
	pc         uintptr
	recv, send Lock
}

const (
	opMake = iota
	opSend
	opRecv
	opClose
	opSelectSend
	opSelectRecv
	opSelectEnds
)

//go:linkname setHooks runtime.lockdepSetHooks
func setHooks(chanOp func(op int, s *chanState, pc uintptr, blocks bool), exit func())

// chanOp notes an operation on a channel, before it happens. Whoever arrives
// makes the other side's event happen, and then waits for its own. A send that
// fits the buffer does not wait, nor does an operation beside a default case,
// which is not seen at all. A select waits for none of its cases in
// particular, so that it adds no wait; but it begins a new iteration.
//
//go:norace
func chanOp(op int, s *chanState, pc uintptr, blocks bool) {
	switch op {
	case opMake:
		enter()
		born := era.Add(1)
		s.recv.addr.Store(born)
		s.send.addr.Store(born)
		leave()
		return
	case opSelectEnds:
		iterationEnds()
		return
	case opSelectSend, opSelectRecv:
		if s.recv.id.Load() == 0 {
			s.first(0)
		}
	default:
		if s.recv.id.Load() == 0 {
			s.first(pc)
		}
		Learn(&s.recv, pc)
		Learn(&s.send, pc)
	}
	switch op {
	case opSend:
		Signal(&s.recv)
		if blocks {
			Wait(&s.send, pc)
		}
	case opClose:
		Signal(&s.recv)
	case opRecv:
		Signal(&s.send)
		Wait(&s.recv, pc)
	case opSelectSend:
		Signal(&s.recv)
	case opSelectRecv:
		Signal(&s.send)
	}
}

// first gives the channel its class: the one that the site table has for pc, or
// the line that made it.
//
//go:norace
func (s *chanState) first(pc uintptr) {
	enter()
	var recv, send uint16
	name, ok := "", false
	if pc != 0 && siteNames.Load() != nil {
		name, ok = siteName(siteLine(pc))
	}
	if ok {
		recv = classFor(mix(hashString(name), uint64(Event)), Source{Name: name}, Event)
		send = classFor(mix(hashString(name), uint64(Event|Room)), Source{Name: name}, Event|Room)
	} else {
		recv = ClassBySite(s.pc, Event)
		send = ClassBySite(s.pc, Event|Room)
	}
	s.send.id.CompareAndSwap(0, newID(send)|roomInst)
	s.recv.id.CompareAndSwap(0, uint64(recv)<<classShift|s.send.id.Load()&instMask&^roomInst)
	leave()
}

// iterationEnds is called by a goroutine that may block in a select.
//
//go:norace
func iterationEnds() {
	enter()
	if r := current(false); r != nil {
		r.win.iterate()
	}
	leave()
}

// goroutineEnds is called by a goroutine at its end. What it still holds it will
// never release.
//
//go:norace
func goroutineEnds() {
	enter()
	r := current(false)
	if r != nil && r.depth > 0 {
		for i := 0; i < int(r.depth); i++ {
			later(leaked(r, i))
			lose(r.held[i].inst)
		}
		r.depth, r.bloom = 0, 0
	}
	leave()
	if pending.Load() != nil {
		deliver()
	}
}
