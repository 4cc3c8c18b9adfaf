package compile

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// maxVisits bounds how often the fixpoint looks at one block.
const maxVisits = 24

// flow runs one function to a fixpoint over its blocks.
type flow struct {
	*pather
	out *lockobj.Func
	in  map[*ssa.BasicBlock][]*state
	// recording is on in the last pass, over the fixpoint.
	recording  bool
	seen       map[string]bool // recorded events
	exits      []exit
	contains   map[string][]string // fresh container -> fresh contents
	ordered    bool
	limited    bool
	folded     bool // a point had too many disjuncts
	deferring  bool // deferred calls are running
	releases   map[token.Pos]*tally
	acquiredIn map[token.Pos]*ssa.BasicBlock
	loopLeaks  []loopLeak
	leaks      map[token.Pos]bool        // acquisitions that some return leaves held by mistake
	following  map[*ssa.MakeClosure]bool // closures whose captured variables are being followed
	at         ssa.Instruction           // being looked at
	seq        int                       // its number in its block
	deferred   *ssa.Defer                // whose call is being looked at
	places     []place                   // of the recorded events
	cyclic     bool                      // a block may run more than once
	loops      map[*ssa.BasicBlock]*unlocks
	takes      map[string]bool // classes that the function acquires; with loops
	ends       lockobj.Event   // what the end of the goroutine being started signals
}

// exit is a state at a return.
type exit struct {
	st  *state
	ret *ssa.Return
}

func (f *flow) run() {
	fn := f.fn
	f.in = map[*ssa.BasicBlock][]*state{fn.Blocks[0]: {{}}}
	if len(fn.Blocks) > 1 {
		f.fixpoint(fn)
	}
	for _, states := range f.in {
		for _, st := range states {
			f.entry(st)
		}
	}
	f.recording = true
	f.seen = map[string]bool{}
	for _, b := range fn.Blocks {
		f.block(b, func(succ *ssa.BasicBlock, st *state) { f.noteLoop(b, succ, st) })
	}
}

// fixpoint finds the states at the heads of all blocks.
func (f *flow) fixpoint(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		f.cyclic = f.cyclic || slices.ContainsFunc(b.Succs, func(succ *ssa.BasicBlock) bool { return succ.Index <= b.Index })
	}
	visits := make([]int, len(fn.Blocks))
	dirty := map[int]bool{0: true}
	for len(dirty) > 0 {
		// The lowest index first is close to reverse postorder, and the same
		// on every run.
		i := len(fn.Blocks)
		for j := range dirty {
			i = min(i, j)
		}
		delete(dirty, i)
		b := fn.Blocks[i]
		if visits[i]++; visits[i] > maxVisits {
			f.limited = true
			continue
		}
		f.block(b, func(succ *ssa.BasicBlock, st *state) {
			states, changed := join(f.in[succ], st, &f.folded)
			f.in[succ] = states
			if changed {
				dirty[succ.Index] = true
			}
		})
	}
}

// block pushes every disjunct at the head of b through it.
func (f *flow) block(b *ssa.BasicBlock, emit func(*ssa.BasicBlock, *state)) {
	for _, s := range f.in[b] {
		states := []*state{s.clone()}
		for i, instr := range b.Instrs {
			f.at, f.seq = instr, i
			var next []*state
			for _, st := range states {
				for _, o := range f.instr(st, instr) {
					next = f.joinAll(next, o)
				}
			}
			states = next
			if len(states) == 0 {
				break
			}
		}
		for _, st := range states {
			f.succs(b, st, emit)
		}
	}
}

// joinAll is join without the bound: inside a block few states arise.
func (f *flow) joinAll(states []*state, n *state) []*state {
	if len(states) < 2*maxStates {
		return append(states, n)
	}
	states, _ = join(states, n, &f.folded)
	return states
}

// succs sends a state along the edges it can take.
func (f *flow) succs(b *ssa.BasicBlock, st *state, emit func(*ssa.BasicBlock, *state)) {
	if len(b.Instrs) == 0 {
		return
	}
	if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		key, neg, val := f.condKey(br.Cond)
		for i, succ := range b.Succs {
			taken := (i == 0) != neg // value of the key on this edge
			if val != nil {
				if *val != (i == 0) {
					continue
				}
			} else if known, ok := st.cond(key); ok && known != taken {
				continue
			}
			s := st.clone()
			if val == nil && key != "" {
				s.setCond(key, taken)
				f.imply(s, br.Cond, i == 0, 0)
			}
			f.leaveLoop(b, succ, s)
			f.phis(b, succ, s)
			emit(succ, s)
		}
		return
	}
	for _, succ := range b.Succs {
		s := st
		if len(b.Succs) > 1 {
			s = st.clone()
		}
		f.phis(b, succ, s)
		emit(succ, s)
	}
}

// imply records what the value of a condition says of its operands: where a
// conjunction holds, each of them does; where a disjunction fails, none does.
func (f *flow) imply(st *state, cond ssa.Value, val bool, depth int) {
	if u, ok := cond.(*ssa.UnOp); ok && u.Op == token.NOT {
		f.imply(st, u.X, !val, depth)
		return
	}
	if u, ok := cond.(*ssa.UnOp); ok && u.Op == token.MUL {
		// A variable that a closure captures, assigned once.
		if cell, ok := u.X.(*ssa.Alloc); ok {
			if v := f.single(cell); v != nil {
				cond = v
			}
		}
	}
	phi, ok := cond.(*ssa.Phi)
	if !ok || depth > 4 {
		return
	}
	only := -1
	for i, e := range phi.Edges {
		if _, _, c := f.condKey(e); c != nil && *c != val {
			continue
		}
		if only >= 0 {
			return
		}
		only = i
	}
	if only < 0 {
		return
	}
	set := func(v ssa.Value, val bool) {
		if key, neg, c := f.condKey(v); c == nil && key != "" {
			st.setCond(key, val != neg)
			f.imply(st, v, val, depth+1)
		}
	}
	set(phi.Edges[only], val)
	// The operands before it were tested on the way to its block.
	for b := phi.Block().Preds[only]; len(b.Preds) == 1; b = b.Preds[0] {
		br, ok := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
		if !ok {
			return
		}
		set(br.Cond, b.Preds[0].Succs[0] == b)
		if depth++; depth > 4 {
			return
		}
	}
}

// phis gives the phis of succ the values they get on the edge from b.
func (f *flow) phis(b, succ *ssa.BasicBlock, st *state) {
	pred := slices.Index(succ.Preds, b)
	if pred < 0 {
		return
	}
	type set struct {
		key string
		val bool
	}
	var sets []set
	for _, instr := range succ.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		e := phi.Edges[pred]
		name := "%" + phi.Name()
		if isBool(phi.Type()) {
			key, neg, val := f.condKey(e)
			if val != nil {
				sets = append(sets, set{name, *val})
			} else if v, ok := st.cond(key); ok {
				sets = append(sets, set{name, v != neg})
			}
		} else if n := f.nilness(st, e); n != unknown {
			sets = append(sets, set{name + "==nil", n == isNil})
		}
	}
	for _, instr := range succ.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		st.forget("%" + phi.Name())
	}
	for _, s := range sets {
		st.setCond(s.key, s.val)
	}
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

type nilness int

const (
	unknown nilness = iota
	isNil
	notNil
)

// nilness says whether v is nil where that is known.
func (f *flow) nilness(st *state, v ssa.Value) nilness {
	switch v := v.(type) {
	case *ssa.Const:
		if v.IsNil() {
			return isNil
		}
		return unknown
	case *ssa.Alloc, *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Function:
		return notNil
	case *ssa.MakeInterface:
		return notNil
	case *ssa.UnOp:
		// A package's error variable is not nil.
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL && strings.HasPrefix(strings.ToLower(g.Name()), "err") {
			return notNil
		}
	case *ssa.Call:
		if callee := v.Call.StaticCallee(); callee != nil && callee.Pkg != nil {
			switch callee.Pkg.Pkg.Path() + "." + callee.Name() {
			case "errors.New", "fmt.Errorf":
				return notNil
			}
		}
	case *ssa.ChangeInterface:
		return f.nilness(st, v.X)
	}
	if val, ok := st.conds.m[f.valueKey(v)+"==nil"]; ok {
		if val {
			return isNil
		}
		return notNil
	}
	return unknown
}

// condKey returns the key under which a condition is remembered, whether the
// condition is its negation, and its value if it is constant.
func (f *flow) condKey(v ssa.Value) (key string, neg bool, val *bool) {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.Bool {
			b := constant.BoolVal(v.Value)
			return "", false, &b
		}
	case *ssa.UnOp:
		if v.Op == token.NOT {
			k, n, c := f.condKey(v.X)
			if c != nil {
				b := !*c
				return "", false, &b
			}
			return k, !n, nil
		}
	case *ssa.BinOp:
		if v.Op != token.EQL && v.Op != token.NEQ {
			break
		}
		x, y := v.X, v.Y
		if _, ok := x.(*ssa.Const); ok {
			x, y = y, x
		}
		k, ok := y.(*ssa.Const)
		if !ok {
			// Two values compared again are the same comparison.
			a, b := f.valueKey(x), f.valueKey(y)
			if a > b {
				a, b = b, a
			}
			return "eq " + a + " " + b, v.Op == token.NEQ, nil
		}
		if k.Value != nil && k.Value.Kind() == constant.Bool {
			key, neg, val := f.condKey(x)
			if val == nil {
				return key, (neg != (v.Op == token.NEQ)) != !constant.BoolVal(k.Value), nil
			}
		}
		return f.valueKey(x) + "==" + constKey(k), v.Op == token.NEQ, nil
	}
	return f.valueKey(v), false, nil
}

// valueKey names a value for conditions.
func (f *flow) valueKey(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Call:
		return "%" + v.Name() + "#0"
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			return "%" + c.Name() + "#" + string(rune('0'+min(v.Index, 9)))
		}
	case *ssa.ChangeInterface:
		return f.valueKey(v.X)
	case *ssa.BinOp:
		return "%" + v.Name()
	}
	return string(f.path(v))
}

// instr is the transfer function: the states after one instruction.
func (f *flow) instr(st *state, instr ssa.Instruction) []*state {
	if v, ok := instr.(ssa.Value); ok {
		// Nothing can be known of a value before it is made, but in a loop.
		if f.cyclic && st.pub.m["a:"+v.Name()] {
			st.pub.delete("a:" + v.Name())
		}
		if _, isPhi := instr.(*ssa.Phi); f.cyclic && !isPhi && (len(st.held) > 0 || len(st.conds.m) > 0 || len(st.spent.m) > 0) {
			st.forget("%" + v.Name())
			st.forget("a:" + v.Name())
		}
	}
	f.waits(st, instr)
	switch instr := instr.(type) {
	case *ssa.Store:
		f.store(st, instr)
	case *ssa.MapUpdate:
		f.publishInto(st, f.path(instr.Map), instr.Value)
		f.publishInto(st, f.path(instr.Map), instr.Key)
	case *ssa.Send:
		f.publish(st, instr.X)
	case *ssa.MakeClosure:
		for _, b := range instr.Bindings {
			f.contain("%"+instr.Name(), b)
		}
	case *ssa.Defer:
		if !slices.Contains(st.defers, instr) {
			st.defers = append(st.defers, instr)
		}
	case *ssa.RunDefers:
		return f.runDefers(st)
	case *ssa.Call:
		return f.call(st, instr, lockobj.Call)
	case *ssa.Go:
		return f.call(st, instr, lockobj.Go)
	case *ssa.Return:
		if f.recording && instr.Block() != f.fn.Recover {
			f.exits = append(f.exits, exit{st.clone(), instr})
		}
	}
	return []*state{st}
}

// runDefers calls the deferred functions, last first.
func (f *flow) runDefers(st *state) []*state {
	f.deferring = true
	defer func() { f.deferring = false }()
	states := []*state{st}
	for i := len(st.defers) - 1; i >= 0; i-- {
		d := st.defers[i]
		f.deferred = d
		var next []*state
		for _, s := range states {
			s.defers = s.defers[:min(i, len(s.defers))]
			before := slices.Clone(s.held)
			for _, o := range f.call(s, d, lockobj.Call) {
				f.again(o, before, d)
				next = f.joinAll(next, o)
			}
		}
		states = next
	}
	f.deferred = nil
	return states
}

// again releases what the earlier turns of a loop have deferred to release: a
// lock like the one that the deferred call has just released.
func (f *flow) again(st *state, before []heldLock, d *ssa.Defer) {
	if len(st.held) >= len(before) || !reaches(d.Block(), d.Block()) {
		return
	}
	for _, b := range before {
		if certain(b.path) || slices.ContainsFunc(st.held, func(h heldLock) bool { return h.pos == b.pos && h.path == b.path }) {
			continue
		}
		st.held = slices.DeleteFunc(slices.Clone(st.held), func(h heldLock) bool {
			return h.class == b.class && h.mode == b.mode && h.pos == b.pos
		})
	}
}

// store follows assignments: flags kept in variables, and publication.
func (f *flow) store(st *state, s *ssa.Store) {
	var cell string
	switch a := s.Addr.(type) {
	case *ssa.Alloc:
		if !isStructOrArray(deref(a.Type())) {
			cell = "%~" + a.Name()
		}
	case *ssa.FreeVar:
		if !isStructOrArray(deref(a.Type())) {
			cell = string(lockobj.Path(f.path(a)).Field("~"))
			if isBool(deref(a.Type())) {
				st.setCond(late+cell, true)
			}
		}
	}
	if cell == "" {
		cell = string(f.path(s.Addr))
	}
	if cell != "" {
		for k := range st.conds.m {
			if strings.HasPrefix(k, cell) {
				st.conds.delete(k)
			}
		}
		if isBool(s.Val.Type()) {
			if key, neg, val := f.condKey(s.Val); val != nil {
				st.setCond(cell, *val)
			} else if v, ok := st.cond(key); ok {
				st.setCond(cell, v != neg)
			}
		} else if n := f.nilness(st, s.Val); n != unknown {
			st.setCond(cell+"==nil", n == isNil)
		}
	}
	f.publishInto(st, f.path(s.Addr), s.Val)
}
