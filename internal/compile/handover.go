package compile

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// handOver gives locks that a new goroutine releases to that goroutine.
func (f *flow) handOver(st *state, callee *lockobj.Func, instr ssa.CallInstruction, args, bind []ssa.Value) {
	if callee == nil {
		return
	}
	for _, c := range callee.Net {
		for _, r := range slices.Concat(c.Releases, c.Drops) {
			l := f.translate(r, args, bind)
			// Whoever releases the elements of a list releases all that a loop
			// has taken.
			for turn := range maxHeld {
				i := st.find(l, l.Mode)
				if i < 0 {
					i = st.findLike(l, l.Mode)
				}
				if i < 0 {
					if _, spawned := instr.(*ssa.Go); spawned && turn == 0 && l.Path.Outside() != "" {
						st.drop(l, instr.Pos()) // the caller's
					}
					break
				}
				if f.recording {
					f.out.Handoffs = append(f.out.Handoffs, lockobj.Handoff{Lock: st.held[i].lock(), Pos: f.c.pos(instr.Pos()), To: callee.Name})
				}
				st.held = append(st.held[:i:i], st.held[i+1:]...)
				if !strings.Contains(string(r.Path), "[*]") {
					break
				}
			}
		}
	}
}

// handToArgs gives a lock up where a closure that releases it is passed on:
// whoever gets the closure calls it sooner or later.
func (f *flow) handToArgs(st *state, instr ssa.CallInstruction, args []ssa.Value) {
	if len(st.held) == 0 {
		return
	}
	for _, a := range args {
		mc := f.madeClosure(a)
		if mc == nil {
			continue
		}
		if fn := mc.Fn.(*ssa.Function); strings.HasPrefix(fn.Synthetic, "range-over-func") {
			// The body of a loop: what it releases on its way out of the
			// function is still held where the loop ends by itself.
			f.bodyReleases(st, f.c.callee(fn), instr, mc.Bindings)
		} else {
			f.handOver(st, f.c.callee(mc.Fn.(*ssa.Function)), instr, nil, mc.Bindings)
		}
	}
}

// bodyReleases marks the locks that the body of a range-over-func loop releases
// on some way out.
func (f *flow) bodyReleases(st *state, body *lockobj.Func, instr ssa.CallInstruction, bind []ssa.Value) {
	if body == nil {
		return
	}
	for _, nc := range body.Net {
		for _, r := range slices.Concat(nc.Releases, nc.Drops) {
			l := f.translate(r, nil, bind)
			if st.find(l, l.Mode) >= 0 || st.findLike(l, l.Mode) >= 0 {
				f.maybeRelease(st, l, instr.Pos())
			}
		}
	}
}

// handleOf names a call that returns an object beside the locks it takes.
func handleOf(callee *lockobj.Func, call *ssa.Call) string {
	if call == nil {
		return ""
	}
	for i := range callee.Results {
		if callee.Results[i].Fresh || callee.Results[i].Type != "" {
			return call.Name()
		}
	}
	return ""
}

// keepHandle takes the locks that belong to a handle out of the held set when the
// handle is kept in memory that outlives the call.
func (f *flow) keepHandle(st *state, v ssa.Value) {
	if len(st.held) == 0 {
		return
	}
	for range 4 {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.Extract:
			v = x.Tuple
		}
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return
	}
	st.held = slices.DeleteFunc(slices.Clone(st.held), func(h heldLock) bool { return h.handle == call.Name() })
}
