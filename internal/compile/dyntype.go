package compile

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// The concrete types of an interface value, where all that it can come from is
// in sight: conversions, results of functions with a body, parameters of
// functions that only this package calls, and fields and variables that only
// this package assigns (compare variable type analysis, Sundaresan et al.,
// OOPSLA 2000).

const (
	// maxTypes bounds the concrete types of one value; with more of them it
	// is better to ask who implements the interface.
	maxTypes = 4
	// maxTypeSteps bounds the search for them.
	maxTypeSteps = 64
)

// assigned is what is known of the interface fields and variables of a package.
type assigned struct {
	vals map[*types.Var][]ssa.Value
	open map[*types.Var]bool // assigned in ways that are not followed
	memo map[ssa.Value][]string
}

// findAssigned collects what the package assigns to fields and variables of
// interface type.
func (c *compiler) findAssigned(fns []*ssa.Function) {
	c.assigned = &assigned{vals: map[*types.Var][]ssa.Value{}, open: map[*types.Var]bool{}, memo: map[ssa.Value][]string{}}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				switch instr := instr.(type) {
				case *ssa.FieldAddr:
					if v := fieldVar(instr); v != nil && types.IsInterface(v.Type()) {
						c.assigned.uses(v, instr)
						if !private(v, instr.X.Type()) {
							c.assigned.open[v] = true
						}
					}
				case *ssa.Store:
					if g, ok := instr.Addr.(*ssa.Global); ok && types.IsInterface(instr.Val.Type()) {
						if v, ok := g.Object().(*types.Var); ok {
							c.assigned.vals[v] = append(c.assigned.vals[v], instr.Val)
						}
					}
				}
			}
		}
	}
}

// uses looks at what is done with the address of a field.
func (a *assigned) uses(v *types.Var, addr ssa.Value) {
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == addr {
				a.vals[v] = append(a.vals[v], ref.Val)
				continue
			}
		case *ssa.UnOp, *ssa.DebugRef:
			continue
		}
		a.open[v] = true
	}
}

// private reports whether only the package that declares a field can assign it,
// and its type is no generic one.
func private(v *types.Var, owner types.Type) bool {
	n := named(deref(owner))
	return n != nil && n.TypeArgs().Len() == 0 && n.TypeParams().Len() == 0 && (!v.Exported() || !n.Obj().Exported())
}

// dynamicTypes lists the concrete types that an interface value can have, nil
// if that is not known.
func (c *compiler) dynamicTypes(v ssa.Value) []string {
	if ts, ok := c.assigned.memo[v]; ok {
		return ts
	}
	w := &typeWalk{c: c, seen: map[any]bool{}}
	if !w.value(v) {
		w.found = nil
	}
	slices.Sort(w.found)
	c.assigned.memo[v] = w.found
	return w.found
}

// typeWalk is one search. Its methods return false where something is not known.
type typeWalk struct {
	c     *compiler
	seen  map[any]bool
	found []string
}

// enter reports whether a place is to be looked at, and whether the search may
// go on.
func (w *typeWalk) enter(place any) (fresh, more bool) {
	if w.seen[place] {
		return false, true
	}
	w.seen[place] = true
	return true, len(w.seen) <= maxTypeSteps
}

func (w *typeWalk) add(name string) bool {
	if name == "" {
		return false
	}
	if !slices.Contains(w.found, name) {
		w.found = append(w.found, name)
	}
	return len(w.found) <= maxTypes
}

func (w *typeWalk) all(vs []ssa.Value) bool {
	for _, v := range vs {
		if !w.value(v) {
			return false
		}
	}
	return true
}

func (w *typeWalk) value(v ssa.Value) bool {
	if fresh, more := w.enter(v); !fresh || !more {
		return more
	}
	switch v := v.(type) {
	case *ssa.Const:
		return v.IsNil()
	case *ssa.MakeInterface:
		return w.add(w.c.concrete(v.X.Type()))
	case *ssa.ChangeInterface:
		return w.value(v.X)
	case *ssa.TypeAssert:
		return types.IsInterface(v.AssertedType) && w.value(v.X)
	case *ssa.Phi:
		return w.all(v.Edges)
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.TypeAssert:
			return types.IsInterface(t.AssertedType) && w.value(t.X)
		case *ssa.Call:
			return w.result(&t.Call, v.Index)
		}
	case *ssa.Call:
		return w.result(&v.Call, 0)
	case *ssa.Parameter:
		return w.param(v)
	case *ssa.Field:
		if st, ok := v.X.Type().Underlying().(*types.Struct); ok && private(st.Field(v.Field), v.X.Type()) {
			return w.variable(st.Field(v.Field))
		}
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return false
		}
		switch x := v.X.(type) {
		case *ssa.FieldAddr:
			f := fieldVar(x)
			return f != nil && private(f, x.X.Type()) && w.variable(f)
		case *ssa.Global:
			g, ok := x.Object().(*types.Var)
			return ok && !g.Exported() && w.variable(g)
		case *ssa.Alloc:
			return w.cell(x)
		}
	}
	return false
}

// variable follows a field or variable to what is assigned to it.
func (w *typeWalk) variable(v *types.Var) bool {
	if fresh, more := w.enter(v); !fresh || !more {
		return more
	}
	return v.Pkg() == w.c.pkg && !w.c.assigned.open[v] && w.all(w.c.assigned.vals[v])
}

// cell follows a local variable.
func (w *typeWalk) cell(a *ssa.Alloc) bool {
	if s := w.c.onlyStore(a); s != nil {
		return w.value(s)
	}
	for _, ref := range *a.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr != a || !w.value(ref.Val) {
				return false
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// param follows a parameter to the calls of its function.
func (w *typeWalk) param(v *ssa.Parameter) bool {
	fn := v.Parent()
	sites := w.c.callSites[fn]
	if fn.Signature.Recv() != nil || fn.Parent() != nil || fn.Origin() != nil || exported(fn) || len(sites) == 0 {
		return false
	}
	i := slices.Index(fn.Params, v)
	for _, s := range sites {
		if s == nil || i < 0 || i >= len(s.Common().Args) || !w.value(s.Common().Args[i]) {
			return false
		}
	}
	return true
}

// result follows the result of a call into what can be called.
func (w *typeWalk) result(cc *ssa.CallCommon, i int) bool {
	if !cc.IsInvoke() {
		callee := cc.StaticCallee()
		return callee != nil && callee.Origin() == nil && w.returned(w.c.sym(callee), i)
	}
	if universal(cc.Value.Type()) {
		return false
	}
	ms := w.c.methodSyms(cc.Value.Type(), cc.Method)
	if len(ms) == 0 || len(ms) > maxTypes {
		return false
	}
	for _, m := range ms {
		if !w.returned(m.Sym, i) {
			return false
		}
	}
	return true
}

// returned follows what a function of this package or of a dependency returns.
func (w *typeWalk) returned(sym string, i int) bool {
	type place struct {
		sym string
		i   int
	}
	if fresh, more := w.enter(place{sym, i}); !fresh || !more {
		return more
	}
	fn := w.c.bySym[sym]
	if fn == nil {
		f := w.c.deps.fn(sym)
		return f != nil && i < len(f.Results) && w.add(f.Results[i].Type)
	}
	for _, b := range fn.Blocks {
		if b == fn.Recover || len(b.Instrs) == 0 {
			continue
		}
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && (i >= len(ret.Results) || !w.value(ret.Results[i])) {
			return false
		}
	}
	return true
}

// methodSyms lists the functions that a call of an interface's method may reach
// among the types that this package and its dependencies know.
func (c *compiler) methodSyms(t types.Type, m *types.Func) []lockobj.Method {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	mk := methodKey(m)
	memo := ifaceName(t) + "." + mk
	if out, ok := c.methodMemo[memo]; ok {
		return out
	}
	var out []lockobj.Method
	add := func(sym string, via lockobj.Path) {
		if im := (lockobj.Method{Name: mk, Sym: sym, Via: via}); sym != "" && !slices.Contains(out, im) {
			out = append(out, im)
		}
	}
	for _, ptr := range c.withMethod(m.Name()) {
		if types.Implements(ptr, iface) {
			add(c.methodSym(ptr, m.Name()))
		}
	}
	for _, dm := range c.deps.methods[ifaceName(t)] {
		if dm.Name == mk {
			add(dm.Sym, dm.Via)
		}
	}
	c.methodMemo[memo] = out
	return out
}

// withMethod lists the package's own types, as pointers, that have a method of
// that name. Few do, and to ask whether one implements an interface is slow.
func (c *compiler) withMethod(name string) []types.Type {
	if c.byMethod == nil {
		c.byMethod = map[string][]types.Type{}
		scope := c.pkg.Scope()
		for _, name := range scope.Names() {
			tn, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() {
				continue
			}
			n, ok := tn.Type().(*types.Named)
			if !ok || types.IsInterface(n) || n.TypeParams().Len() > 0 {
				continue
			}
			ptr := types.NewPointer(n)
			ms := types.NewMethodSet(ptr)
			for i := range ms.Len() {
				m := ms.At(i).Obj().Name()
				c.byMethod[m] = append(c.byMethod[m], ptr)
			}
		}
	}
	return c.byMethod[name]
}

// among keeps the implementations of a method that belong to the given types.
func (c *compiler) among(names []string, method string) []*lockobj.Func {
	var out []*lockobj.Func
	for _, name := range names {
		t := c.concretes[name]
		if t == nil {
			return nil
		}
		sym, via := c.methodSym(t, method)
		fn := c.funcBySym(sym)
		if sym == "" || fn == nil {
			return nil
		}
		out = append(out, embedded(fn, via))
	}
	return out
}
