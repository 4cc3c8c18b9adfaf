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

// Waits and signals: operations on channels, sync.WaitGroup, sync.Cond,
// errgroup.Group and semaphore.Weighted. sync.Once is a lock to this analysis.
//
// A channel operation is one event for both ends: a Wait where it blocks until
// the other end comes, else a Signal. What always ends by itself (timers), what
// others can end (contexts), and what cannot be named is not recorded.

const (
	groupPath = "golang.org/x/sync/errgroup"
	semPath   = "golang.org/x/sync/semaphore"
)

// eventNames are the methods of event types, so that most calls need no look
// at the table.
var eventNames = map[string]bool{
	"Wait": true, "Done": true, "Add": true, "Signal": true, "Broadcast": true,
	"Acquire": true, "TryAcquire": true, "Release": true,
}

type eventCall struct {
	kind lockobj.EventKind
	op   lockobj.Op
}

var eventCalls = map[string]eventCall{
	"(*sync.WaitGroup).Wait":                 {lockobj.Wait, lockobj.OpGroupWait},
	"(*sync.WaitGroup).Done":                 {lockobj.Signal, lockobj.OpGroupDone},
	"(*sync.WaitGroup).Add":                  {lockobj.Signal, lockobj.OpGroupAdd},
	"(*sync.Cond).Wait":                      {lockobj.Wait, lockobj.OpCondWait},
	"(*sync.Cond).Signal":                    {lockobj.Signal, lockobj.OpCondSignal},
	"(*sync.Cond).Broadcast":                 {lockobj.Signal, lockobj.OpCondSignal},
	"(*" + groupPath + ".Group).Wait":        {lockobj.Wait, lockobj.OpGroupWait},
	"(*" + semPath + ".Weighted).Acquire":    {lockobj.Wait, lockobj.OpSemAcquire},
	"(*" + semPath + ".Weighted).TryAcquire": {lockobj.Signal, lockobj.OpSemAcquire},
	"(*" + semPath + ".Weighted).Release":    {lockobj.Signal, lockobj.OpSemRelease},
}

// eventMakers are functions that return a new event.
var eventMakers = map[string]bool{
	"sync.NewCond": true, semPath + ".NewWeighted": true, groupPath + ".WithContext": true,
}

// isEvent reports whether values of t are, or point to, events.
func isEvent(t types.Type) bool {
	if _, ok := t.Underlying().(*types.Chan); ok {
		return true
	}
	n := named(t)
	if n == nil || n.Obj().Pkg() == nil {
		return false
	}
	switch n.Obj().Pkg().Path() {
	case "sync":
		return n.Obj().Name() == "WaitGroup" || n.Obj().Name() == "Cond"
	case groupPath:
		return n.Obj().Name() == "Group"
	case semPath:
		return n.Obj().Name() == "Weighted"
	}
	return false
}

// waits handles the instructions that wait and signal without a call.
func (f *flow) waits(st *state, instr ssa.Instruction) {
	if !f.recording {
		return
	}
	switch instr := instr.(type) {
	case *ssa.Send:
		f.keep(instr.X, "*")
		f.event(st, lockobj.Event{Kind: lockobj.Wait, Op: lockobj.OpSend}, instr.Chan, instr.Pos())
		f.flowInto(elemClass(f.classOf(instr.Chan, 0)), instr.X)
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			op := lockobj.OpRecv
			if instr.Block().Comment == "rangechan.loop" {
				op = lockobj.OpRange
			}
			f.event(st, lockobj.Event{Kind: lockobj.Wait, Op: op}, instr.X, instr.Pos())
		}
	case *ssa.Select:
		f.selects(st, instr)
	case *ssa.MakeChan:
		capacity := 0
		if k, ok := instr.Size.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.Int {
			if n, exact := constant.Int64Val(k.Value); exact && n < 1<<30 {
				capacity = int(n) + 1
			}
		}
		f.c.makes(f.classOf(instr, 0), capacity)
	case *ssa.MakeInterface:
		f.escape(instr.X, instr.X.Type())
	case *ssa.MapUpdate:
		f.keep(instr.Value, "*")
		if isEvent(instr.Value.Type()) {
			f.flowInto(elemClass(f.classOf(instr.Map, 0)), instr.Value)
		}
	case *ssa.Store:
		f.eventStore(st, instr)
	case *ssa.Return:
		if f.out.Exported {
			for i, r := range instr.Results {
				f.escape(r, f.fn.Signature.Results().At(i).Type())
			}
		}
	}
}

// event records a wait or signal on the object that v is or points to, if it
// has a name, and reports whether it has.
func (f *flow) event(st *state, ev lockobj.Event, v ssa.Value, pos token.Pos) bool {
	ev.Lock = lockobj.Lock{Class: f.classOf(v, 0), Path: f.path(v)}
	if !f.follows(ev.Lock) {
		return false
	}
	if ev.Kind == lockobj.Wait {
		if ev.Op == lockobj.OpSend {
			ev.Count = f.sends(ev.Lock.Class, pos)
		}
		if len(st.held) > 0 {
			ev.After = f.awaited()
		}
	}
	ev.Last = ev.Kind == lockobj.Signal && lastOfSeveral(f.at.Block())
	f.record(st, ev, pos)
	return true
}

// follows reports whether an event has a name, here or in callers, and is not
// one of the standard library's own.
func (f *flow) follows(k lockobj.Lock) bool {
	if p := f.c.pkg.Path(); p == groupPath || p == semPath {
		return false // modelled
	}
	if k.Class == "" {
		root, steps := k.Path.Split()
		_, p := index(root, 'p')
		_, c := index(root, 'f')
		return (p || c) && steps == ""
	}
	pkg := k.Class
	slash := strings.LastIndexByte(pkg, '/')
	if dot := strings.IndexByte(pkg[slash+1:], '.'); dot >= 0 {
		pkg = pkg[:slash+1+dot]
	}
	return std || !lockobj.IsStd(pkg)
}

// selects records the cases of a select. It waits if no case ends it for
// reasons of its own, as a timer or a context does.
func (f *flow) selects(st *state, sel *ssa.Select) {
	kind := lockobj.Wait
	group := 0
	if !sel.Blocking {
		kind = lockobj.Signal
	}
	for _, s := range sel.States {
		if !f.follows(lockobj.Lock{Class: f.classOf(s.Chan, 0), Path: f.path(s.Chan)}) {
			kind = lockobj.Signal
		}
	}
	if kind == lockobj.Wait {
		group = 1 + sel.Block().Index
	}
	for _, s := range sel.States {
		op := lockobj.OpRecv
		if s.Dir == types.SendOnly {
			op = lockobj.OpSend
			f.flowInto(elemClass(f.classOf(s.Chan, 0)), s.Send)
		}
		f.event(st, lockobj.Event{Kind: kind, Op: op, Group: group}, s.Chan, sel.Pos())
	}
}

// eventCall records a call of an event's method, and reports whether it is one.
func (f *flow) eventCall(st *state, cc *ssa.CallCommon, instr ssa.CallInstruction, kind lockobj.EventKind) bool {
	callee := cc.StaticCallee()
	if callee == nil || callee.Signature.Recv() == nil || !eventNames[callee.Name()] || len(cc.Args) == 0 || !isEvent(cc.Args[0].Type()) {
		return false
	}
	ec, ok := eventCalls[originSym(callee)]
	if !ok {
		return false
	}
	if !f.recording {
		return true
	}
	ev := lockobj.Event{Kind: ec.kind, Op: ec.op}
	switch ec.op {
	case lockobj.OpGroupAdd:
		if k, ok := cc.Args[1].(*ssa.Const); ok && k.Value != nil && constant.Sign(k.Value) < 0 {
			ev.Op = lockobj.OpGroupDone
		}
	case lockobj.OpSemAcquire:
		if ev.Kind == lockobj.Wait && !endless(cc.Args[1]) {
			ev.Kind = lockobj.Signal // the context can end the wait
		}
	}
	if kind == lockobj.Go {
		if ev.Kind == lockobj.Wait {
			return true // nobody waits for that goroutine here
		}
		ev.Kind = lockobj.Go
	}
	f.event(st, ev, cc.Args[0], instr.Pos())
	return true
}

// lastOfSeveral reports whether a block runs only where a counter was counted
// down to zero.
func lastOfSeveral(b *ssa.BasicBlock) bool {
	for d := b.Idom(); d != nil; d = d.Idom() {
		br, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If)
		if !ok || len(d.Succs[0].Preds) != 1 || !d.Succs[0].Dominates(b) {
			continue
		}
		if cmp, ok := br.Cond.(*ssa.BinOp); ok && (cmp.Op == token.EQL || cmp.Op == token.LEQ) && zero(cmp.Y) && countsDown(cmp.X) {
			return true
		}
	}
	return false
}

func zero(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.Value != nil && k.Value.Kind() == constant.Int && constant.Sign(k.Value) == 0
}

// countsDown reports whether v is what is left of a counter in memory after
// something was taken off it: counter.Add(-1), or counter-- and a look at it.
func countsDown(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Call:
		callee := v.Call.StaticCallee()
		if callee == nil || callee.Pkg == nil || callee.Pkg.Pkg.Path() != "sync/atomic" || !strings.HasPrefix(callee.Name(), "Add") || len(v.Call.Args) != 2 {
			return false
		}
		k, ok := v.Call.Args[1].(*ssa.Const)
		return ok && k.Value != nil && constant.Sign(k.Value) < 0
	case *ssa.BinOp:
		return takesOne(v)
	case *ssa.UnOp:
		// The last store before the load in its block.
		if v.Op != token.MUL {
			return false
		}
		at, ok := v.X.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		for _, instr := range slices.Backward(v.Block().Instrs[:slices.Index(v.Block().Instrs, ssa.Instruction(v))]) {
			if s, ok := instr.(*ssa.Store); ok {
				return sameField(s.Addr, at) && takesOne(s.Val)
			}
		}
	}
	return false
}

// sameField reports whether two addresses are that of one field of one object.
func sameField(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok := a.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	y, ok := b.(*ssa.FieldAddr)
	return ok && x.Field == y.Field && sameField(x.X, y.X)
}

// takesOne reports whether v is a field's value less a constant.
func takesOne(v ssa.Value) bool {
	op, ok := v.(*ssa.BinOp)
	if !ok || op.Op != token.SUB {
		return false
	}
	load, ok := op.X.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	_, field := load.X.(*ssa.FieldAddr)
	_, k := op.Y.(*ssa.Const)
	return field && k
}

// endless reports whether a context is one that is never cancelled.
func endless(ctx ssa.Value) bool {
	call, ok := ctx.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return false
	}
	switch originSym(call.Call.StaticCallee()) {
	case "context.Background", "context.TODO":
		return true
	}
	return false
}

// closes records close(ch).
func (f *flow) closes(st *state, cc *ssa.CallCommon, instr ssa.CallInstruction, kind lockobj.EventKind) {
	ev := lockobj.Event{Kind: lockobj.Signal, Op: lockobj.OpClose}
	if kind == lockobj.Go {
		ev.Kind = lockobj.Go
	}
	if f.recording {
		f.event(st, ev, cc.Args[0], instr.Pos())
	}
}

// awaited lists what the function surely waited for before the instruction at
// hand: the receives in what dominates it.
func (f *flow) awaited() []lockobj.Lock {
	var out []lockobj.Lock
	for b := f.at.Block(); b != nil; b = b.Idom() {
		for _, instr := range b.Instrs {
			if instr == f.at {
				break
			}
			if u, ok := instr.(*ssa.UnOp); ok && u.Op == token.ARROW {
				k := lockobj.Lock{Class: f.classOf(u.X, 0), Path: f.path(u.X)}
				if k.Class != "" && f.follows(k) && len(out) < maxWhen {
					out = append(out, k)
				}
			}
		}
	}
	return out
}

// sends counts the sends on channels of a class, 0 if a loop without a
// constant bound has one, EachTurn if each turn of such a loop has another
// channel, as the elements of a list of tasks have.
func (f *flow) sends(class string, pos token.Pos) int {
	var at *ssa.BasicBlock
	var all []*ssa.Send
	for _, b := range f.fn.Blocks {
		for _, instr := range b.Instrs {
			if s, ok := instr.(*ssa.Send); ok && f.classOf(s.Chan, 0) == class {
				all = append(all, s)
				if s.Pos() == pos {
					at = b
				}
			}
		}
	}
	total := 0
	for _, s := range all {
		b := s.Block()
		if at != nil && b != at && !reaches(b, at) && !reaches(at, b) {
			continue // another branch
		}
		n := turns(b)
		if n == 0 && varies(f.c, s.Chan, b, 0) && len(all) == 1 {
			return lockobj.EachTurn
		}
		if n == 0 {
			return 0
		}
		total += n
	}
	return max(total, 1)
}

// varies reports whether v, used in block b of a loop, may be another in each
// turn. Where that is not clear it may.
func varies(c *compiler, v ssa.Value, b *ssa.BasicBlock, depth int) bool {
	instr, ok := v.(ssa.Instruction)
	if !ok || instr.Block() == nil {
		return false // a parameter, variable, constant or function
	}
	if at := instr.Block(); at != b && !(reaches(at, b) && reaches(b, at)) {
		return false // made before the loop
	}
	if depth > 8 {
		return true
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		if f := fieldVar(v); f == nil || c.mutable[f] {
			return true
		}
		return varies(c, v.X, b, depth+1)
	case *ssa.UnOp:
		switch v.X.(type) {
		case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar:
			return v.Op != token.MUL || varies(c, v.X, b, depth+1)
		}
		return true
	case *ssa.ChangeType:
		return varies(c, v.X, b, depth+1)
	case *ssa.IndexAddr:
		return varies(c, v.X, b, depth+1) || varies(c, v.Index, b, depth+1)
	}
	return true
}

// turns is how often a block runs: 1 outside loops, the bound of a loop that
// counts to a constant, 0 if that is not known.
func turns(b *ssa.BasicBlock) int {
	if !reaches(b, b) {
		return 1
	}
	for h := b.Idom(); h != nil; h = h.Idom() {
		if !reaches(b, h) {
			break
		}
		br, ok := h.Instrs[len(h.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cmp, ok := br.Cond.(*ssa.BinOp)
		if !ok || cmp.Op != token.LSS {
			continue
		}
		k, ok := cmp.Y.(*ssa.Const)
		if !ok || k.Value == nil || k.Value.Kind() != constant.Int {
			continue
		}
		if n, exact := constant.Int64Val(k.Value); exact && n > 0 && n < 1<<30 && !reachesWithout(h, h, b) {
			return int(n)
		}
	}
	return 0
}

func reaches(from, to *ssa.BasicBlock) bool { return reachesWithout(from, to, nil) }

// reachesWithout reports whether a path of at least one edge leads from one
// block to another around a third.
func reachesWithout(from, to, without *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	stack := []*ssa.BasicBlock{from}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, s := range b.Succs {
			if s == to {
				return true
			}
			if s != without && !seen[s] {
				seen[s] = true
				stack = append(stack, s)
			}
		}
	}
	return false
}
