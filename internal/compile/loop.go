package compile

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// Loops over what is locked: one takes the locks of all elements, another gives
// them up. Both run as often, which no state says.

// unlocks are the locks of elements that a loop gives up and does not take
// itself, and the blocks of the loop.
type unlocks struct {
	body  map[*ssa.BasicBlock]bool
	locks []lockobj.Lock
}

// leaveLoop changes the state on an edge out of a loop, at its head, to what it
// is after some turns: without the locks that another loop has taken, or that
// the caller holds, and this one gives up.
func (f *flow) leaveLoop(head, succ *ssa.BasicBlock, st *state) {
	u := f.unlocksOf(head)
	if u == nil || u.body[succ] {
		return
	}
	for _, l := range u.locks {
		held := false
		st.held = slices.DeleteFunc(slices.Clone(st.held), func(h heldLock) bool {
			if h.class != l.Class || h.mode != l.Mode {
				return false
			}
			held = true
			b := f.acquiredIn[h.pos]
			return !certain(h.path) && (b == nil || !u.body[b] && reaches(b, b))
		})
		if !held && !f.takes[l.Class] {
			st.drop(l, head.Instrs[len(head.Instrs)-1].Pos())
		}
	}
}

// unlocksOf finds out what a loop gives up, nil if the block is no loop's head
// or it gives up nothing.
func (f *flow) unlocksOf(head *ssa.BasicBlock) *unlocks {
	if !f.cyclic || !slices.ContainsFunc(head.Preds, head.Dominates) {
		return nil
	}
	if u, ok := f.loops[head]; ok {
		return u
	}
	if f.loops == nil {
		f.loops = map[*ssa.BasicBlock]*unlocks{}
		f.takes = map[string]bool{}
		for _, b := range f.fn.Blocks {
			for _, l := range f.effects(b, true) {
				f.takes[l.Class] = true
			}
		}
	}
	u := &unlocks{body: naturalLoop(head)}
	taken := map[string]bool{}
	for _, b := range f.fn.Blocks {
		if u.body[b] {
			for _, l := range f.effects(b, true) {
				taken[l.Class] = true
			}
		}
	}
	for _, b := range f.fn.Blocks {
		if u.body[b] {
			for _, l := range f.effects(b, false) {
				if l.Class != "" && !certain(l.Path) && !taken[l.Class] && !slices.Contains(u.locks, l) {
					u.locks = append(u.locks, l)
				}
			}
		}
	}
	if len(u.locks) == 0 {
		u = nil
	}
	f.loops[head] = u
	return u
}

// naturalLoop returns the blocks that a loop's head dominates and from which it
// is reached.
func naturalLoop(head *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	body := map[*ssa.BasicBlock]bool{head: true}
	var stack []*ssa.BasicBlock
	for _, p := range head.Preds {
		if head.Dominates(p) {
			stack = append(stack, p)
		}
	}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !body[b] {
			body[b] = true
			stack = append(stack, b.Preds...)
		}
	}
	return body
}

// effects lists the locks that the calls of a block acquire, or else release,
// directly or by what a called function always does.
func (f *flow) effects(b *ssa.BasicBlock, acquire bool) []lockobj.Lock {
	var out []lockobj.Lock
	for _, instr := range b.Instrs {
		call, ok := instr.(*ssa.Call)
		if !ok {
			continue
		}
		if op, recv, ok := f.lockOp(&call.Call); ok {
			if op.acquire == acquire {
				l := f.lockRef(recv)
				if op.read {
					l.Mode = lockobj.Read
				}
				out = append(out, l)
			}
			continue
		}
		callee := f.c.callee(call.Call.StaticCallee())
		if callee == nil || !acquire && len(callee.Net) != 1 {
			continue
		}
		for _, nc := range callee.Net {
			if acquire {
				for _, h := range nc.Acquires {
					out = append(out, f.translate(h.Lock, call.Call.Args, nil))
				}
				continue
			}
			for _, l := range nc.Releases {
				out = append(out, f.translate(l, call.Call.Args, nil))
			}
		}
	}
	return out
}
