package compile

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// Identity of events: where they are made, which names they go by, and whether
// somebody else may have them.

// eventIndex collects what the package tells of its events.
type eventIndex struct {
	classes map[string]*lockobj.EventClass
	flows   map[lockobj.EventFlow]bool
	names   map[token.Pos]string // variables that hold what a call makes, by its opening parenthesis
}

func newEventIndex(files []*ast.File) *eventIndex {
	return &eventIndex{
		classes: map[string]*lockobj.EventClass{},
		flows:   map[lockobj.EventFlow]bool{},
		names:   madeNames(files),
	}
}

// madeNames maps make and New… calls to the variable that they initialise.
func madeNames(files []*ast.File) map[token.Pos]string {
	names := map[token.Pos]string{}
	note := func(lhs, rhs ast.Expr) {
		call, ok := ast.Unparen(rhs).(*ast.CallExpr)
		if !ok {
			return
		}
		id, ok := lhs.(*ast.Ident)
		if !ok || id.Name == "_" {
			return
		}
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			if fun.Name == "make" {
				names[call.Lparen] = id.Name
			}
		case *ast.SelectorExpr:
			switch fun.Sel.Name {
			case "NewCond", "NewWeighted", "WithContext":
				names[call.Lparen] = id.Name
			}
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Rhs) == 1 || len(n.Lhs) == len(n.Rhs) {
					for i, r := range n.Rhs {
						note(n.Lhs[i], r)
					}
				}
			case *ast.ValueSpec:
				for i, v := range n.Values {
					if i < len(n.Names) {
						note(n.Names[i], v)
					}
				}
			}
			return true
		})
	}
	return names
}

// madeClass is the class of what is made at a place: the variable that it
// initialises, or a number.
func (c *compiler) madeClass(fn *ssa.Function, pos token.Pos, number string) string {
	if name := c.events.names[pos]; name != "" {
		number = name
	}
	return c.funcClass(fn) + "." + number
}

// newEvent is the class of what a call makes, if that is an event.
func (p *pather) newEvent(call *ssa.Call, i int) string {
	callee := call.Call.StaticCallee()
	if i != 0 || callee == nil {
		return ""
	}
	switch callee.Name() {
	case "NewCond", "NewWeighted", "WithContext":
		if !eventMakers[originSym(callee)] {
			return ""
		}
	default:
		return ""
	}
	return p.c.madeClass(call.Parent(), call.Pos(), call.Name())
}

func (c *compiler) eventClass(class string) *lockobj.EventClass {
	ec := c.events.classes[class]
	if ec == nil {
		ec = &lockobj.EventClass{Class: class}
		c.events.classes[class] = ec
	}
	return ec
}

// makes notes that an event of the class is made here.
func (c *compiler) makes(class string, capacity int) {
	if class == "" {
		return
	}
	ec := c.eventClass(class)
	if !ec.Made {
		ec.Made, ec.Cap = true, capacity
		return
	}
	ec.Cap = min(ec.Cap, capacity)
}

// condLock notes which lock a condition has.
func (c *compiler) condLock(cond, lock string) {
	if cond == "" {
		return
	}
	ec := c.eventClass(cond)
	if lock == "" || ec.Lock != "" && ec.Lock != lock {
		lock = "?" // not known, or one of several
	}
	ec.Lock = lock
}

// flowInto notes that v is kept under the class to.
func (f *flow) flowInto(to string, v ssa.Value) {
	if to == "" || !isEvent(v.Type()) || isNilConst(v) {
		return
	}
	from := f.classOf(v, 0)
	switch {
	case from == to:
	case from != "":
		f.c.events.flows[lockobj.EventFlow{From: from, To: to}] = true
	default:
		if n, ok := index(string(f.path(v)), 'p'); ok {
			f.c.events.flows[lockobj.EventFlow{To: to, In: f.out.Sym, Param: n + 1}] = true
			if !f.out.Exported {
				return
			}
		}
		// Somebody else has the other end.
		f.c.eventClass(to).Escapes |= lockobj.EscapeRecv | lockobj.EscapeSend
	}
}

// hasEvent reports whether t is an event, or is or points to a struct that has
// one.
func hasEvent(t types.Type) bool {
	if isEvent(t) {
		return true
	}
	st, ok := deref(t).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if isEvent(st.Field(i).Type()) {
			return true
		}
	}
	return false
}

// keep notes where an object with events goes that is made here.
func (f *flow) keep(v ssa.Value, field string) {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	if !hasEvent(v.Type()) {
		return
	}
	root, steps := f.path(v).Split()
	if k := (lockobj.Kept{Root: root, Field: field}); steps == "" && strings.HasPrefix(root, "a:") && !slices.Contains(f.out.Kept, k) {
		f.out.Kept = append(f.out.Kept, k)
	}
}

// eventStore follows an assignment of an event, or of a condition's lock.
func (f *flow) eventStore(st *state, s *ssa.Store) {
	switch a := s.Addr.(type) {
	case *ssa.FieldAddr:
		if v := fieldVar(a); v != nil {
			f.keep(s.Val, v.Name())
		}
	case *ssa.Alloc:
	default:
		f.keep(s.Val, "*")
	}
	if fa, ok := s.Addr.(*ssa.FieldAddr); ok && isEvent(deref(fa.X.Type())) {
		if v := fieldVar(fa); v != nil && v.Name() == "L" {
			f.c.condLock(f.classOf(fa.X, 0), f.classOf(s.Val, 0))
		}
		return
	}
	if !isEvent(s.Val.Type()) {
		return
	}
	if a, ok := s.Addr.(*ssa.Alloc); ok && f.single(a) != nil {
		return // the variable goes by what it holds
	}
	f.flowInto(f.classOf(s.Addr, 0), s.Val)
	if k := (lockobj.Lock{Class: f.classOf(s.Addr, 0), Path: f.path(s.Addr)}); f.remakes(s) && !k.Path.Local() && f.follows(k) {
		f.record(st, lockobj.Event{Kind: lockobj.Signal, Op: lockobj.OpMake, Lock: k}, s.Pos())
	}
}

// remakes reports whether a store gives a field a channel that is new in
// whatever the function does later on.
func (f *flow) remakes(s *ssa.Store) bool {
	v := s.Val
	if t, ok := v.(*ssa.ChangeType); ok {
		v = t.X
	}
	_, made := v.(*ssa.MakeChan)
	_, field := s.Addr.(*ssa.FieldAddr)
	if !made || !field {
		return false
	}
	b := s.Block()
	seen := map[*ssa.BasicBlock]bool{}
	after := slices.Clone(b.Succs)
	for len(after) > 0 {
		x := after[len(after)-1]
		after = after[:len(after)-1]
		if seen[x] {
			continue
		}
		if x == b || !b.Dominates(x) {
			return false
		}
		seen[x] = true
		after = append(after, x.Succs...)
	}
	return true
}

// escape notes that code which is not seen gets v, as a t.
func (f *flow) escape(v ssa.Value, t types.Type) {
	if !isEvent(v.Type()) || isNilConst(v) {
		return
	}
	class := f.classOf(v, 0)
	if class == "" {
		return
	}
	esc := lockobj.EscapeRecv | lockobj.EscapeSend
	if ch, ok := t.Underlying().(*types.Chan); ok {
		switch ch.Dir() {
		case types.RecvOnly:
			esc = lockobj.EscapeRecv
		case types.SendOnly:
			esc = lockobj.EscapeSend
		}
	}
	f.c.eventClass(class).Escapes |= esc
}

// givenAway notes the events among the arguments of a function without a body.
func (f *flow) givenAway(callee *ssa.Function, args []ssa.Value) {
	if !f.recording || f.c.own(callee) {
		return
	}
	off := len(args) - callee.Signature.Params().Len()
	for i, a := range args {
		if i < off || !isEvent(a.Type()) {
			continue
		}
		f.escape(a, callee.Signature.Params().At(i-off).Type())
	}
}

// newEvents handles calls that make events.
func (f *flow) newEvents(call ssa.CallInstruction) {
	v := call.Value()
	if v == nil || !f.recording {
		return
	}
	class := f.newEvent(v, 0)
	if class == "" {
		return
	}
	f.c.makes(class, 0)
	if args := call.Common().Args; originSym(call.Common().StaticCallee()) == "sync.NewCond" && len(args) == 1 {
		f.c.condLock(class, f.keptClass(args[0]))
	}
}

// keptClass is the class of a condition's lock. One that is made here and put
// into a field goes by the name of that field, and has none if it is also used
// in other ways.
func (f *flow) keptClass(v ssa.Value) string {
	lock := v
	if mi, ok := v.(*ssa.MakeInterface); ok {
		lock = mi.X
	}
	own := f.lockRef(v).Class
	made, ok := lock.(*ssa.Alloc)
	if !ok {
		return own
	}
	kept, others := "", false
	for _, ref := range *made.Referrers() {
		switch ref := ref.(type) {
		case *ssa.MakeInterface, *ssa.DebugRef:
		case *ssa.Store:
			class := ""
			if fa, ok := ref.Addr.(*ssa.FieldAddr); ok && ref.Val == lock {
				class = f.classOf(fa, 0)
			}
			others = others || class == "" || kept != "" && kept != class
			kept = class
		default:
			others = true
		}
	}
	switch {
	case kept == "":
		return own
	case others:
		return "" // several names
	}
	return kept
}

// writeEvents puts the collection into the object.
func (c *compiler) writeEvents() {
	for _, class := range sortedKeys(c.events.classes) {
		c.out.Events = append(c.out.Events, *c.events.classes[class])
	}
	for fl := range c.events.flows {
		c.out.Flows = append(c.out.Flows, fl)
	}
	slices.SortFunc(c.out.Flows, func(a, b lockobj.EventFlow) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From), cmp.Compare(a.In, b.In), cmp.Compare(a.Param, b.Param))
	})
}
