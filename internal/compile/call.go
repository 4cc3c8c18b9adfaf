package compile

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// call is the transfer function of a call, go statement or deferred call.
func (f *flow) call(st *state, instr ssa.CallInstruction, kind lockobj.EventKind) []*state {
	cc := instr.Common()
	pos := instr.Pos()
	if b, ok := cc.Value.(*ssa.Builtin); ok {
		if b.Name() == "panic" {
			return nil
		}
		if b.Name() == "close" {
			f.closes(st, cc, instr, kind)
		}
		return []*state{st}
	}
	if op, recv, ok := f.lockOp(cc); ok && kind != lockobj.Go {
		return f.lockCall(st, op, recv, pos, instr)
	}
	if callee := cc.StaticCallee(); callee == nil || !isStdFunc(callee) {
		for p := range st.spent.m {
			st.spent.set(p, false)
		}
	}
	if cc.IsInvoke() {
		if kind == lockobj.Call && noReturnNames[cc.Method.FullName()] {
			return nil // what is known of functions is in the SSA form
		}
		return f.invoke(st, instr, kind)
	}
	callee := cc.StaticCallee()
	if callee == nil {
		return f.dynamic(st, instr, kind)
	}
	if f.eventCall(st, cc, instr, kind) {
		return []*state{st}
	}
	f.newEvents(instr)
	if m := stdModel(callee); m != nil {
		return f.modelled(st, m, instr, kind)
	}
	args := f.args(st, cc.Args)
	ev := lockobj.Event{Kind: kind, Callee: f.static(callee, cc.Value, st), Args: args}
	return f.finish(st, ev, instr, f.c.callee(callee), cc.Args, f.closureBindings(cc.Value))
}

// isStdFunc reports whether a function is the standard library's, which takes
// none of the program's locks.
func isStdFunc(fn *ssa.Function) bool {
	return fn.Pkg != nil && lockobj.IsStd(fn.Pkg.Pkg.Path())
}

// finish records a call whose callee is known and applies its net effect.
func (f *flow) finish(st *state, ev lockobj.Event, instr ssa.CallInstruction, callee *lockobj.Func, args []ssa.Value, bind []ssa.Value) []*state {
	f.record(st, ev, instr.Pos())
	f.handToArgs(st, instr, args)
	if ev.Kind == lockobj.Go {
		f.handOver(st, callee, instr, args, bind)
		for _, a := range args {
			f.publish(st, a)
		}
		for _, b := range bind {
			f.publish(st, b)
			if a, ok := b.(*ssa.Alloc); ok {
				f.publishRoot(st, "a:"+a.Name(), 0)
			}
		}
		if mc, ok := instr.Common().Value.(*ssa.MakeClosure); ok {
			f.publish(st, mc)
		}
		return []*state{st}
	}
	if callee == nil {
		if fn := instr.Common().StaticCallee(); fn != nil {
			f.givenAway(fn, instr.Common().Args)
		}
		return []*state{st}
	}
	for i, a := range args {
		if i < 64 && callee.Publishes&(1<<i) != 0 {
			if f.recording {
				f.keep(a, "*")
			}
			f.publish(st, a)
		}
	}
	if len(callee.Net) == 0 {
		return []*state{st}
	}
	return f.apply(st, callee, instr, args, bind)
}

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
	for _, d := range st.dropped {
		if sameLock(d.class, d.path, l.Class, l.Path) {
			return
		}
	}
	if len(st.dropped) < maxHeld {
		st.dropped = append(st.dropped, heldLock{class: l.Class, path: l.Path, mode: l.Mode, pos: pos})
	}
}

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
			for range maxHeld {
				i := st.find(l, l.Mode)
				if i < 0 {
					i = st.findLike(l, l.Mode)
				}
				if i < 0 {
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

// apply makes the disjuncts that a callee's net effect leads to.
func (f *flow) apply(st *state, callee *lockobj.Func, instr ssa.CallInstruction, args, bind []ssa.Value) []*state {
	var out []*state
	v := instr.Value()
	for _, nc := range callee.Net {
		s := st.clone()
		feasible := true
		for _, w := range nc.When {
			key, val, known := f.caseKey(w, v, args, bind)
			if known {
				if val != w.Val {
					feasible = false
				}
				continue
			}
			if key == "" {
				continue
			}
			neg := val
			want := w.Val != neg
			if have, ok := s.conds.m[key]; ok && have != want {
				feasible = false
				break
			}
			s.setCond(key, want)
		}
		if !feasible {
			continue
		}
		for _, r := range nc.Releases {
			f.release(s, f.translate(r, args, bind), instr.Pos())
		}
		for _, r := range nc.Drops {
			f.maybeRelease(s, f.translate(r, args, bind), instr.Pos())
		}
		for _, a := range nc.Acquires {
			l := f.translate(a.Lock, args, bind)
			if a.Lock.Path == "" || l.Path == "" {
				l.Path = lockobj.Path("%" + nameOf(instr))
			}
			f.acquire(s, heldLock{class: l.Class, path: l.Path, mode: l.Mode, pos: instr.Pos(), in: callee.Name, try: a.Try, fresh: f.unpublished(s, l.Path), handle: handleOf(callee, v)})
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return []*state{st}
	}
	if f.deferring {
		// A deferred function that a flag controls: where the flag is not
		// known, it releases.
		least := len(out[0].held)
		for _, s := range out {
			least = min(least, len(s.held))
		}
		out = slices.DeleteFunc(out, func(s *state) bool { return len(s.held) > least })
	}
	return out
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

func nameOf(instr ssa.CallInstruction) string {
	if v := instr.Value(); v != nil {
		return v.Name()
	}
	return "call" + strconv.Itoa(int(instr.Pos()))
}

// caseKey translates a callee's condition: to a key of the caller's (then val
// says whether it is negated), or to a known value.
func (f *flow) caseKey(w lockobj.Cond, v *ssa.Call, args, bind []ssa.Value) (key string, val, known bool) {
	root, rest := lockobj.Path(w.Key).Split()
	suffix := ""
	if i := strings.Index(root, "=="); i >= 0 {
		root, suffix = root[:i], root[i:]
	} else if i := strings.Index(rest, "=="); i >= 0 {
		rest, suffix = rest[:i], rest[i:]
	}
	if n, ok := index(root, 'r'); ok {
		if v == nil {
			return "", false, false
		}
		return "%" + v.Name() + "#" + string(rune('0'+min(n, 9))) + suffix, false, false
	}
	at := func(vals []ssa.Value, n int) (string, bool, bool) {
		if n >= len(vals) {
			return "", false, false
		}
		a := vals[n]
		if rest == ".~" {
			switch a := a.(type) {
			case *ssa.Alloc:
				return "%~" + a.Name() + suffix, false, false
			case *ssa.FreeVar:
				return string(f.path(a)) + ".~" + suffix, false, false
			}
			return "", false, false
		}
		if al, ok := a.(*ssa.Alloc); ok && rest == "" {
			if s := f.single(al); s != nil {
				a = s
			}
		}
		if rest == "" && suffix == "" {
			k, neg, c := f.condKey(a)
			if c != nil {
				return "", *c, true
			}
			return k, neg, false
		}
		if k, ok := a.(*ssa.Const); ok && rest == "" {
			return "", "=="+constKey(k) == suffix, true
		}
		if rest == "" {
			if suffix == "==nil" {
				switch a.(type) {
				case *ssa.Alloc, *ssa.MakeClosure, *ssa.Function, *ssa.MakeInterface:
					return "", false, true
				}
			}
			return f.valueKey(a) + suffix, false, false
		}
		q := f.path(a)
		if q == "" {
			return "", false, false
		}
		return string(q) + rest + suffix, false, false
	}
	if n, ok := index(root, 'p'); ok {
		return at(args, n)
	}
	if n, ok := index(root, 'f'); ok {
		return at(bind, n)
	}
	if strings.HasPrefix(root, "g{") {
		return w.Key, false, false
	}
	return "", false, false
}

// translate puts a callee's lock in terms of the caller.
func (f *flow) translate(l lockobj.Lock, args, bind []ssa.Value) lockobj.Lock {
	out := lockobj.Lock{Class: l.Class, Mode: l.Mode}
	at := func(root string) (ssa.Value, bool) {
		if n, ok := index(root, 'p'); ok && n < len(args) {
			return args[n], false
		}
		if n, ok := index(root, 'f'); ok && n < len(bind) {
			return bind[n], true
		}
		return nil, false
	}
	out.Path = f.c.normal(substitute(l.Path, func(root string) lockobj.Path {
		if strings.HasPrefix(root, "g{") {
			return lockobj.Path(root)
		}
		v, captured := at(root)
		if v == nil {
			return ""
		}
		if captured {
			return f.binding(v)
		}
		return f.path(v)
	}))
	root, steps := l.Path.Split()
	v, captured := at(root)
	if v != nil && l.Class == "" && steps == "" {
		if captured {
			if a, ok := v.(*ssa.Alloc); ok {
				if s := f.single(a); s != nil {
					v = s
				}
			}
		}
		ref := f.lockRef(v)
		out.Class = ref.Class
		if ref.Mode == lockobj.Read {
			out.Mode = lockobj.Read
		}
	}
	if v != nil && strings.Contains(out.Class, "[") {
		out.Class = instantiate(out.Class, deref(v.Type()))
	}
	return out
}

// instantiate replaces the type parameters in a class by the arguments of t,
// if the class is of t's origin.
func instantiate(class string, t types.Type) string {
	n := named(t)
	if n == nil || n.TypeArgs().Len() == 0 {
		return class
	}
	open := typeName(n.Origin())
	if rest, ok := strings.CutPrefix(class, open+"."); ok {
		return typeName(n) + "." + rest
	}
	return class
}

// closureBindings returns what a closure made in place captures.
func (f *flow) closureBindings(v ssa.Value) []ssa.Value {
	if mc := f.madeClosure(v); mc != nil {
		return mc.Bindings
	}
	return nil
}

// madeClosure finds the closure that v is.
func (p *pather) madeClosure(v ssa.Value) *ssa.MakeClosure {
	for range 6 {
		switch x := v.(type) {
		case *ssa.MakeClosure:
			return x
		case *ssa.ChangeType:
			v = x.X
		case *ssa.UnOp:
			a, ok := x.X.(*ssa.Alloc)
			if !ok {
				return nil
			}
			if v = p.single(a); v == nil {
				return nil
			}
		default:
			return nil
		}
	}
	return nil
}

// dynamic is a call of a function value.
func (f *flow) dynamic(st *state, instr ssa.CallInstruction, kind lockobj.EventKind) []*state {
	cc := instr.Common()
	ev := lockobj.Event{Kind: kind, Args: f.args(st, cc.Args)}
	if kind == lockobj.Go {
		for _, a := range cc.Args {
			f.publish(st, a)
		}
	}
	if ref := f.funcRef(st, cc.Value); ref != nil {
		switch {
		case ref.Param > 0:
			ev.Callee = lockobj.Callee{Kind: lockobj.ParamFunc, Index: ref.Param - 1}
		case ref.Free > 0:
			ev.Callee = lockobj.Callee{Kind: lockobj.FreeFunc, Index: ref.Free - 1}
			if fn, binds := f.c.capturedFunc(f.fn, ref.Free-1); fn != nil {
				// The captured closure is known: apply its net effect, with
				// captures named by our own free variables where possible.
				return f.knownValue(st, ev, instr, fn, binds)
			}
		default:
			ev.Callee = lockobj.Callee{Kind: lockobj.Static, Sym: ref.Sym, Bind: ref.Bind}
			return f.knownValue(st, ev, instr, f.c.funcBySym(ref.Sym), ref.Bind)
		}
		f.record(st, ev, instr.Pos())
		return []*state{st}
	}
	ev.Callee = f.stored(cc.Value)
	ev.Maybe = f.nilChecked(st, cc.Value)
	f.record(st, ev, instr.Pos())
	f.handToArgs(st, instr, cc.Args)
	return []*state{st}
}

// knownValue calls a function value that is known, with bindings as paths.
func (f *flow) knownValue(st *state, ev lockobj.Event, instr ssa.CallInstruction, callee *lockobj.Func, bind []lockobj.Arg) []*state {
	f.record(st, ev, instr.Pos())
	if callee == nil || ev.Kind == lockobj.Go {
		return []*state{st}
	}
	args := instr.Common().Args
	tr := func(l lockobj.Lock) lockobj.Lock {
		root, steps := l.Path.Split()
		n, ok := index(root, 'f')
		if !ok {
			return f.translate(l, args, nil)
		}
		if n >= len(bind) {
			l.Path = ""
			return l
		}
		if l.Class == "" && steps == "" {
			l.Class = bind[n].Class
			if bind[n].Read {
				l.Mode = lockobj.Read
			}
		}
		l.Path = substitute(l.Path, func(string) lockobj.Path { return bind[n].Path })
		return l
	}
	// Conditions on captured values cannot be told here: take what all cases
	// agree on, and releases of any.
	if len(callee.Net) == 0 {
		return []*state{st}
	}
	for _, nc := range callee.Net {
		for _, r := range nc.Releases {
			f.release(st, tr(r), instr.Pos())
		}
		for _, r := range nc.Drops {
			f.maybeRelease(st, tr(r), instr.Pos())
		}
	}
	if len(callee.Net) == 1 {
		for _, a := range callee.Net[0].Acquires {
			l := tr(a.Lock)
			f.acquire(st, heldLock{class: l.Class, path: l.Path, mode: l.Mode, pos: instr.Pos(), in: callee.Name, try: a.Try})
		}
	}
	return []*state{st}
}

// nilChecked reports whether the value is known not to be nil from a branch.
func (f *flow) nilChecked(st *state, v ssa.Value) bool {
	val, ok := st.conds.m[f.valueKey(v)+"==nil"]
	return ok && !val
}

// idle reports whether an event can tell the linker nothing: a call into the
// standard library that gets no function.
func (f *flow) idle(ev *lockobj.Event) bool {
	if ev.Kind != lockobj.Call && ev.Kind != lockobj.Go || ev.Callee.Kind != lockobj.Static || std || f.c.funcs[ev.Callee.Sym] != nil {
		return false
	}
	for _, a := range ev.Args {
		if a.Func != nil {
			return false
		}
	}
	pkg := strings.TrimLeft(ev.Callee.Sym, "(*")
	slash := strings.LastIndexByte(pkg, '/')
	if dot := strings.IndexByte(pkg[slash+1:], '.'); dot >= 0 {
		pkg = pkg[:slash+1+dot]
	}
	return lockobj.IsStd(pkg)
}

// record adds an event, once per held set.
func (f *flow) record(st *state, ev lockobj.Event, pos token.Pos) {
	if ev.Kind == lockobj.Go && f.ends.Op != lockobj.OpNone {
		ev.Op, ev.Lock = f.ends.Op, f.ends.Lock
	}
	if !f.recording || f.idle(&ev) {
		return
	}
	key := strconv.Itoa(int(pos)) + ev.Lock.Class + "|" + string(ev.Lock.Path) + "|" + ev.Callee.Sym + ev.Callee.Method + strconv.Itoa(int(ev.Op)) + "|" + st.lockKey()
	if ev.Fresh {
		key += "f"
	}
	for _, h := range st.held {
		if h.fresh && f.unpublished(st, h.path) {
			key += "f"
		} else {
			key += "-"
		}
	}
	for _, a := range ev.Args {
		if a.Fresh {
			key += "f"
		} else {
			key += a.Const + "."
		}
	}
	ev.When = st.visible()
	for _, w := range ev.When {
		key += w.Key + strconv.FormatBool(w.Val)
	}
	if f.seen[key] {
		return
	}
	f.seen[key] = true
	ev.Pos = f.c.pos(pos)
	for _, h := range st.held {
		ev.Held = append(ev.Held, lockobj.Held{Lock: h.lock(), Pos: f.c.pos(h.pos), In: h.in, Try: h.try, Fresh: h.fresh && f.unpublished(st, h.path), Maybe: h.maybe})
	}
	for _, d := range st.dropped {
		ev.Dropped = append(ev.Dropped, d.lock())
	}
	// A lock that the caller must hold, released here and not held again, is
	// held by nobody, however often it went to and fro before.
	for _, l := range f.out.Entry {
		if _, released := st.spent.m[l.Path]; released && st.find(l, l.Mode) < 0 && !slices.Contains(ev.Dropped, l) {
			ev.Dropped = append(ev.Dropped, l)
		}
	}
	ev.Ordered = f.ordered
	f.out.Events = append(f.out.Events, ev)
	f.places = append(f.places, f.here())
}

// problem records a finding that needs nothing but this function.
func (f *flow) problem(category string, l lockobj.Lock, pos, at token.Pos, fix []lockobj.Edit) {
	f.out.Problems = append(f.out.Problems, lockobj.Problem{Category: category, Lock: l, Pos: f.c.pos(pos), At: f.c.pos(at), Fix: fix})
}
