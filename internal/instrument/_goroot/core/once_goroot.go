package core

// Touch is Acquire followed by Release at once: for a Once that is done, where
// nothing is held or blocks, but could have been. Mostly it finds that the
// chain was seen before.
//
//go:norace
func Touch(l *Lock, pc uintptr) {
	if !on {
		return
	}
	enter()
	r := current(false)
	if r == nil || r.depth == 0 || r.quiet > 0 {
		leave()
		return
	}
	id := l.id.Load()
	inst := id & instMask
	chain := link(r.held[r.depth-1].chain, inst, Write, 0)
	if !validated(chain, r.goid) {
		r.check(inst, uint16(id>>classShift), Write, 0, site(pc), chain)
	}
	leave()
	if pending.Load() != nil {
		deliver()
	}
}
