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
		switch b.Name() {
		case "close":
			f.closes(st, cc, instr, kind)
		case "append":
			if to := f.path(cc.Args[0]); to.Outside() != "" && len(cc.Args) == 2 {
				f.publishInto(st, to, cc.Args[1])
			}
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
	if kind == lockobj.Call {
		f.flagsOf(st, &ev.Callee, cc.Value)
	}
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

// apply makes the disjuncts that a callee's net effect leads to.
func (f *flow) apply(st *state, callee *lockobj.Func, instr ssa.CallInstruction, args, bind []ssa.Value) []*state {
	var out []*state
	var taken []lockobj.NetCase
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
			if have, ok := s.cond(key); ok && have != want {
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
		taken = append(taken, nc)
	}
	if len(out) == 0 {
		return []*state{st}
	}
	for i, s := range out {
		for _, r := range unsure(taken, i, used(v)) {
			l := f.translate(r, args, bind)
			if s.find(l, l.Mode) >= 0 || s.findLike(l, l.Mode) >= 0 {
				f.maybeRelease(s, l, instr.Pos())
			} else {
				s.drop(l, instr.Pos())
			}
		}
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

// unsure lists the locks that a case does not give up and another one does,
// where nothing that the caller sees tells the two apart: it depends on what only
// the callee knows.
func unsure(cases []lockobj.NetCase, i int, used bool) []lockobj.Lock {
	var out []lockobj.Lock
	for _, other := range cases {
		if used && apartByResult(cases[i], other) {
			continue
		}
		for _, r := range slices.Concat(other.Releases, other.Drops) {
			if !slices.Contains(cases[i].Releases, r) && !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// used reports whether the caller looks at what a call returns.
func used(v *ssa.Call) bool {
	return v != nil && slices.ContainsFunc(*v.Referrers(), func(ref ssa.Instruction) bool {
		_, debug := ref.(*ssa.DebugRef)
		return !debug
	})
}

// apartByResult is apart for what the callee returns.
func apartByResult(a, b lockobj.NetCase) bool {
	result := func(nc lockobj.NetCase) lockobj.NetCase {
		nc.When = slices.DeleteFunc(slices.Clone(nc.When), func(w lockobj.Cond) bool { return w.Key[0] != 'r' })
		return nc
	}
	return apart(result(a), result(b))
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
			return "", slices.Contains(strings.Split(strings.TrimPrefix(suffix, "=="), "|"), constKey(k)), true
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
	for _, b := range ev.Callee.Bind {
		if b.Const != "" {
			key += b.Const + ","
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
