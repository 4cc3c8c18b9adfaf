package compile

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// lockOp recognises a direct lock operation.
func (f *flow) lockOp(cc *ssa.CallCommon) (op lockOp, recv ssa.Value, ok bool) {
	var name string
	if cc.IsInvoke() {
		name, recv = cc.Method.Name(), cc.Value
		if !f.c.isLockInterface(recv.Type()) {
			return op, nil, false
		}
	} else {
		callee := cc.StaticCallee()
		if callee == nil || callee.Signature.Recv() == nil || len(cc.Args) == 0 {
			return op, nil, false
		}
		name, recv = callee.Name(), cc.Args[0]
		if !f.c.isLock(callee.Signature.Recv().Type()) {
			return op, nil, false
		}
	}
	op, ok = lockOps[name]
	return op, recv, ok
}

// lockCall acquires or releases a lock.
func (f *flow) lockCall(st *state, op lockOp, recv ssa.Value, pos token.Pos, instr ssa.CallInstruction) []*state {
	l := f.lockRef(recv)
	if op.read {
		l.Mode = lockobj.Read
	}
	if !op.acquire {
		f.release(st, l, pos)
		return []*state{st}
	}
	h := heldLock{class: l.Class, path: l.Path, mode: l.Mode, pos: pos, try: op.try, fresh: f.unpublished(st, l.Path)}
	if f.acquiredIn == nil {
		f.acquiredIn = map[token.Pos]*ssa.BasicBlock{}
	}
	f.acquiredIn[pos] = instr.Block()
	f.record(st, lockobj.Event{Kind: lockobj.Acquire, Lock: l, Try: op.try, Fresh: h.fresh}, pos)
	if !op.try {
		f.acquire(st, h)
		return []*state{st}
	}
	got, not := st, st.clone()
	f.acquire(got, h)
	if v := instr.Value(); v != nil {
		got.setCond(f.valueKey(v), true)
		not.setCond(f.valueKey(v), false)
	}
	return []*state{got, not}
}

// acquire adds a lock, or takes back one of the caller's that was dropped.
func (f *flow) acquire(st *state, h heldLock) {
	f.reveal(st, h.path)
	for i, d := range st.dropped {
		if d.mode == h.mode && sameLock(d.class, d.path, h.class, h.path) {
			st.dropped = append(st.dropped[:i:i], st.dropped[i+1:]...)
			return
		}
	}
	for i, o := range st.held {
		if o.maybe && sameLock(o.class, o.path, h.class, h.path) {
			st.held = append(st.held[:i:i], st.held[i+1:]...) // it was released, then
			break
		}
	}
	st.add(h)
}

// maybeRelease marks a lock that a callee may have released.
func (f *flow) maybeRelease(st *state, l lockobj.Lock, pos token.Pos) {
	i := st.find(l, l.Mode)
	if i < 0 {
		i = st.findLike(l, l.Mode)
	}
	if i < 0 {
		f.release(st, l, pos)
		return
	}
	st.held = slices.Clone(st.held)
	st.held[i].maybe = true
}

// release removes a lock, or notes that the caller's is given up.
func (f *flow) release(st *state, l lockobj.Lock, pos token.Pos) {
	i := st.find(l, l.Mode)
	if i >= 0 {
		h := st.held[i]
		f.noteRelease(pos, l, h.mode != l.Mode && h.in == "" && !h.maybe, h.pos)
		st.spent.set(h.path, certain(h.path) && !h.maybe)
	} else {
		i = st.findLike(l, l.Mode)
		f.noteRelease(pos, l, i < 0 && st.spent.m[l.Path], token.NoPos)
	}
	if i >= 0 {
		st.held = append(st.held[:i:i], st.held[i+1:]...)
		return
	}
	if f.folded && f.deferring {
		return // deferred on another path than the one that comes here
	}
	st.drop(l, pos)
}

// drop notes that a lock of the caller is given up.
func (st *state) drop(l lockobj.Lock, pos token.Pos) {
	for _, d := range st.dropped {
		if sameLock(d.class, d.path, l.Class, l.Path) {
			return
		}
	}
	if len(st.dropped) < maxHeld {
		st.dropped = append(st.dropped, heldLock{class: l.Class, path: l.Path, mode: l.Mode, pos: pos})
	}
}
