package compile

import (
	"go/types"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// findMutable finds the fields that are assigned after their object was made:
// a path through one may mean another instance at its next reading.
func (c *compiler) findMutable(fns []*ssa.Function) {
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				s, ok := instr.(*ssa.Store)
				if !ok {
					continue
				}
				fa, ok := s.Addr.(*ssa.FieldAddr)
				if !ok || isNilConst(s.Val) || c.made(fa.X) {
					continue
				}
				switch s.Val.Type().Underlying().(type) {
				case *types.Pointer, *types.Interface, *types.Map, *types.Slice:
					if v := fieldVar(fa); v != nil {
						c.mutable[v] = true
					}
				}
			}
		}
	}
}

func isNilConst(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.IsNil()
}

// made reports whether an object was allocated by the function that holds it.
func (c *compiler) made(x ssa.Value) bool {
	for range 8 {
		switch v := x.(type) {
		case *ssa.Alloc:
			return true
		case *ssa.FieldAddr:
			x = v.X
		case *ssa.UnOp:
			a, ok := v.X.(*ssa.Alloc)
			if !ok {
				return false
			}
			s := c.onlyStore(a)
			if s == nil {
				return false
			}
			x = s
		default:
			return false
		}
	}
	return false
}

// findBackPtrs proves fields that lead from an element of a container back to
// the container's owner: every assignment of the field is at an object's
// making or together with its insertion, and every insertion into the
// container is of an object whose field is the owner.
func (c *compiler) findBackPtrs(fns []*ssa.Function) {
	type key struct{ elem, owner *types.Named }
	type cand struct {
		v         *types.Var
		container *types.Var
	}
	// Assignments of pointer fields, by field.
	assigned := map[*types.Var][]*ssa.Store{}
	// Insertions, by container field.
	type insertion struct {
		owner ssa.Value
		elem  ssa.Value
	}
	inserted := map[*types.Var][]insertion{}
	c.callSites = map[*ssa.Function][]ssa.CallInstruction{}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				c.noteCall(instr)
				switch instr := instr.(type) {
				case *ssa.Store:
					fa, ok := instr.Addr.(*ssa.FieldAddr)
					if !ok {
						continue
					}
					v := fieldVar(fa)
					if v == nil || v.Pkg() != c.pkg {
						continue
					}
					if _, ok := v.Type().Underlying().(*types.Pointer); ok && !isNilConst(instr.Val) {
						assigned[v] = append(assigned[v], instr)
					}
					if call, ok := instr.Val.(*ssa.Call); ok {
						if bi, ok := call.Call.Value.(*ssa.Builtin); ok && bi.Name() == "append" {
							for _, e := range variadic(call.Common(), 1) {
								inserted[v] = append(inserted[v], insertion{fa.X, e})
							}
						}
					}
				case *ssa.MapUpdate:
					u, ok := instr.Map.(*ssa.UnOp)
					if !ok {
						continue
					}
					if fa, ok := u.X.(*ssa.FieldAddr); ok {
						if v := fieldVar(fa); v != nil && v.Pkg() == c.pkg {
							inserted[v] = append(inserted[v], insertion{fa.X, instr.Value})
						}
					}
				}
			}
		}
	}
	conts := make([]*types.Var, 0, len(inserted))
	for v := range inserted {
		conts = append(conts, v)
	}
	sort.Slice(conts, func(i, j int) bool { return conts[i].Pos() < conts[j].Pos() })
	backs := make([]*types.Var, 0, len(assigned))
	for v := range assigned {
		backs = append(backs, v)
	}
	sort.Slice(backs, func(i, j int) bool { return backs[i].Pos() < backs[j].Pos() })
	for _, cont := range conts {
		elem := elemNamed(cont.Type())
		if elem == nil {
			continue
		}
		for _, back := range backs {
			if !declares(elem, back) {
				continue
			}
			ok := true
			fromInsert := map[*ssa.Function]bool{}
			for _, in := range inserted[cont] {
				fn := in.owner.Parent()
				p := c.pather(fn)
				if named(in.owner.Type()) == nil || named(back.Type()) == nil || named(in.owner.Type()).Obj() != named(back.Type()).Obj() {
					ok = false
					break
				}
				if !c.leadsBack(p, in.elem, in.owner, back, 0) {
					ok = false
					break
				}
				fromInsert[fn] = true
			}
			for _, s := range assigned[back] {
				fa := s.Addr.(*ssa.FieldAddr)
				if !c.made(fa.X) && !fromInsert[s.Parent()] {
					ok = false
				}
			}
			if ok {
				b := lockobj.BackPtr{Container: cont.Name(), Back: back.Name()}
				c.out.BackPtrs = append(c.out.BackPtrs, b)
			}
		}
	}
	c.backs = append(c.backs, c.out.BackPtrs...)
	// Paths named before the proof may be stale.
	clear(c.pathers)
}

// noteCall indexes the calls of this package's functions; a function used as a
// value has an unknown one.
func (c *compiler) noteCall(instr ssa.Instruction) {
	var callee *ssa.Function
	if call, ok := instr.(ssa.CallInstruction); ok {
		if callee = call.Common().StaticCallee(); callee != nil {
			c.callSites[callee] = append(c.callSites[callee], call)
		}
	}
	for _, op := range instr.Operands(nil) {
		if fn, ok := (*op).(*ssa.Function); ok && fn != callee {
			c.callSites[fn] = append(c.callSites[fn], nil)
		}
	}
}

// leadsBack reports whether a field of elem surely is owner: where the
// function that inserts it tells, or every caller of it.
func (c *compiler) leadsBack(p *pather, elem, owner ssa.Value, back *types.Var, depth int) bool {
	op := p.path(owner)
	if bv := c.backOf(p, elem, back, 0); bv != "" {
		return bv == op
	}
	// What was in a container of the same owner may move.
	if steps, ok := strings.CutPrefix(string(p.path(elem)), string(op)+"."); ok && op != "" && strings.Count(steps, ".") == 0 && strings.Contains(steps, "[") {
		return true
	}
	i, ok1 := index(string(p.path(elem)), 'p')
	j, ok2 := index(string(op), 'p')
	if !ok1 || !ok2 || depth > 2 || exported(p.fn) && p.fn.Signature.Recv() == nil {
		return false
	}
	sites := c.callSites[p.fn]
	for _, s := range sites {
		if s == nil {
			return false
		}
		args := s.Common().Args
		if i >= len(args) || j >= len(args) || !c.leadsBack(c.pather(s.Parent()), args[i], args[j], back, depth+1) {
			return false
		}
	}
	return len(sites) > 0
}

func elemNamed(t types.Type) *types.Named {
	switch t := t.Underlying().(type) {
	case *types.Map:
		return named(t.Elem())
	case *types.Slice:
		return named(t.Elem())
	}
	return nil
}

func declares(n *types.Named, v *types.Var) bool {
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if st.Field(i) == v {
			return true
		}
	}
	return false
}

// backOf is the path of what the field of an object was set to, as far as the
// function that has it, or the one that made it, tells.
func (c *compiler) backOf(p *pather, obj ssa.Value, field *types.Var, depth int) lockobj.Path {
	if depth > 4 {
		return ""
	}
	switch v := obj.(type) {
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok {
			if s := p.single(a); s != nil {
				return c.backOf(p, s, field, depth+1)
			}
		}
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return c.madeWith(p, call, v.Index, field, depth)
		}
	case *ssa.Call:
		return c.madeWith(p, v, 0, field, depth)
	}
	want := p.path(obj)
	var out lockobj.Path
	for _, b := range p.fn.Blocks {
		for _, instr := range b.Instrs {
			s, ok := instr.(*ssa.Store)
			if !ok {
				continue
			}
			fa, ok := s.Addr.(*ssa.FieldAddr)
			if !ok || fieldVar(fa) != field || p.path(fa.X) != want {
				continue
			}
			if isNilConst(s.Val) {
				continue
			}
			q := p.path(s.Val)
			if out != "" && out != q {
				return ""
			}
			out = q
		}
	}
	return out
}

// madeWith follows an object into the constructor that returned it.
func (c *compiler) madeWith(p *pather, call *ssa.Call, i int, field *types.Var, depth int) lockobj.Path {
	callee := call.Call.StaticCallee()
	if callee == nil || !c.own(callee) {
		return ""
	}
	cp := c.pather(callee)
	var out lockobj.Path
	for _, b := range callee.Blocks {
		for _, instr := range b.Instrs {
			ret, ok := instr.(*ssa.Return)
			if !ok || i >= len(ret.Results) || isNilConst(ret.Results[i]) {
				continue
			}
			q := c.backOf(cp, ret.Results[i], field, depth+1)
			if q == "" {
				// An element of a container of the owner, found again.
				root, steps := cp.path(ret.Results[i]).Split()
				if strings.Count(steps, ".") == 1 && strings.Contains(steps, "[") {
					q = lockobj.Path(root)
				}
			}
			if q == "" || out != "" && out != q {
				return ""
			}
			out = q
		}
	}
	n, ok := index(string(out), 'p')
	if !ok || n >= len(call.Call.Args) {
		return ""
	}
	return p.path(call.Call.Args[n])
}
