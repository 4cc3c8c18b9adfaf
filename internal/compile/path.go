package compile

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"hash/fnv"
	"io"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// pather names the values of one function by access paths.
type pather struct {
	c    *compiler
	fn   *ssa.Function
	memo map[ssa.Value]lockobj.Path
	// cells maps a variable's cell to the only value ever stored in it.
	cells     map[ssa.Value]ssa.Value
	knownMemo map[ssa.Value][]lockobj.Known
}

func newPather(c *compiler, fn *ssa.Function) *pather {
	return &pather{c: c, fn: fn, memo: map[ssa.Value]lockobj.Path{}, cells: map[ssa.Value]ssa.Value{}, knownMemo: map[ssa.Value][]lockobj.Known{}}
}

// path returns the access path of v, or of what v points to.
func (p *pather) path(v ssa.Value) lockobj.Path {
	if q, ok := p.memo[v]; ok {
		return q
	}
	p.memo[v] = lockobj.Path("%" + v.Name()) // for cycles through phis
	q := p.c.normal(p.compute(v))
	p.memo[v] = q
	return q
}

func (p *pather) compute(v ssa.Value) lockobj.Path {
	opaque := lockobj.Path("%" + v.Name())
	switch v := v.(type) {
	case *ssa.Parameter:
		for i, q := range p.fn.Params {
			if q == v {
				return lockobj.Path("p" + strconv.Itoa(i))
			}
		}
	case *ssa.FreeVar:
		for i, q := range p.fn.FreeVars {
			if q == v {
				return lockobj.Path("f" + strconv.Itoa(i))
			}
		}
	case *ssa.Global:
		return lockobj.Path("g{" + globalName(v) + "}")
	case *ssa.Const:
		return constPath(v)
	case *ssa.Alloc:
		return lockobj.Path("a:" + v.Name())
	case *ssa.FieldAddr:
		return p.field(v.X, v.Field)
	case *ssa.Field:
		if isPointerLike(v.Type()) {
			return p.field(v.X, v.Field).Deref()
		}
		return p.field(v.X, v.Field)
	case *ssa.IndexAddr:
		return p.elem(v.X, v.Index)
	case *ssa.Index:
		return derefIf(p.elem(v.X, v.Index), v.Type())
	case *ssa.Lookup:
		return derefIf(p.elem(v.X, v.Index), v.Type())
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if cell, ok := v.X.(*ssa.Alloc); ok {
				if s := p.single(cell); s != nil {
					return p.path(s)
				}
				if !isStructOrArray(deref(cell.Type())) {
					return lockobj.Path("%~" + cell.Name())
				}
				return p.path(cell)
			}
			if fa, ok := v.X.(*ssa.FieldAddr); ok {
				if q := p.knownField(fa); q != "" {
					return q
				}
			}
			if f, ok := v.X.(*ssa.FreeVar); ok {
				if !p.c.capturedOnce(p.fn, f) {
					return lockobj.Path("f" + strconv.Itoa(freeIndex(p.fn, f))).Field("~")
				}
				return p.path(v.X)
			}
			if isPointerLike(v.Type()) {
				return p.path(v.X).Deref()
			}
			return p.path(v.X)
		}
		if v.Op == token.ARROW {
			return opaque
		}
		return opaque
	case *ssa.ChangeType:
		return p.path(v.X)
	case *ssa.ChangeInterface:
		return p.path(v.X)
	case *ssa.MakeInterface:
		return p.path(v.X)
	case *ssa.Convert:
		return p.path(v.X)
	case *ssa.TypeAssert:
		if !v.CommaOk {
			return p.path(v.X)
		}
	case *ssa.Slice:
		return p.path(v.X)
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.TypeAssert:
			if v.Index == 0 {
				return p.path(t.X)
			}
		case *ssa.Lookup:
			if v.Index == 0 {
				return derefIf(p.elem(t.X, t.Index), v.Type())
			}
		case *ssa.Next:
			if r, ok := t.Iter.(*ssa.Range); ok && v.Index == 2 {
				return derefIf(p.elems(r.X, "%"+t.Name()), v.Type())
			}
		case *ssa.Call:
			if q := p.result(t, v.Index); q != "" {
				return q
			}
		}
	case *ssa.Call:
		if q := p.result(v, 0); q != "" {
			return q
		}
	case *ssa.Phi:
		var q lockobj.Path
		for _, e := range v.Edges {
			if k, ok := e.(*ssa.Const); ok && k.IsNil() {
				continue
			}
			if e == v {
				continue
			}
			pe := p.path(e)
			if q == "" {
				q = pe
			} else if q != pe {
				return opaque
			}
		}
		if q != "" && !strings.Contains(string(q), string(opaque)) {
			return q
		}
	}
	return opaque
}

// field names field i of x.
func (p *pather) field(x ssa.Value, i int) lockobj.Path {
	st, ok := deref(x.Type()).Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	f := st.Field(i)
	name := f.Name()
	if p.c.mutable[f] {
		name = "~" + name
	}
	return p.path(x).Field(name)
}

// isPointerLike reports whether a value of the type refers to something else.
func isPointerLike(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map, *types.Slice, *types.Chan, *types.Signature:
		return true
	}
	return false
}

func derefIf(p lockobj.Path, t types.Type) lockobj.Path {
	if isPointerLike(t) {
		return p.Deref()
	}
	return p
}

// knownField is the value of a field of an object made here, if the field is
// assigned once, or of one whose constructor tells.
func (p *pather) knownField(fa *ssa.FieldAddr) lockobj.Path {
	root, steps := p.path(fa.X).Split()
	if steps != "" || !strings.HasPrefix(root, "a:") {
		return ""
	}
	st, ok := deref(fa.X.Type()).Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	at := "." + st.Field(fa.Field).Name() + ">"
	for _, k := range p.known(fa.X) {
		if string(k.At) == at {
			return k.Is
		}
	}
	return ""
}

// maxKnown bounds the fields that are known of one object.
const maxKnown = 8

// known lists the pointer fields of a fresh object that have one value.
func (p *pather) known(obj ssa.Value) []lockobj.Known {
	if k, ok := p.knownMemo[obj]; ok {
		return k
	}
	p.knownMemo[obj] = nil
	k := p.findKnown(obj)
	p.knownMemo[obj] = k
	return k
}

func (p *pather) findKnown(obj ssa.Value) []lockobj.Known {
	for range 4 {
		switch v := obj.(type) {
		case *ssa.UnOp:
			a, ok := v.X.(*ssa.Alloc)
			if !ok {
				return nil
			}
			if isStructOrArray(v.Type()) {
				obj = a // a struct read as a whole
				continue
			}
			if obj = p.single(a); obj == nil {
				return nil
			}
			continue
		case *ssa.MakeInterface:
			obj = v.X
			continue
		}
		break
	}
	switch v := obj.(type) {
	case *ssa.Call:
		return p.knownResult(v, 0)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return p.knownResult(call, v.Index)
		}
	case *ssa.Alloc:
		st, ok := deref(v.Type()).Underlying().(*types.Struct)
		if !ok || v.Referrers() == nil {
			return nil
		}
		vals := map[int]ssa.Value{}
		for _, ref := range *v.Referrers() {
			fa, ok := ref.(*ssa.FieldAddr)
			if !ok || fa.Referrers() == nil || !isPointerLike(st.Field(fa.Field).Type()) {
				continue
			}
			for _, r := range *fa.Referrers() {
				if s, ok := r.(*ssa.Store); ok && s.Addr == fa {
					if _, twice := vals[fa.Field]; twice {
						vals[fa.Field] = nil
					} else {
						vals[fa.Field] = s.Val
					}
				}
			}
		}
		var out []lockobj.Known
		for i := range st.NumFields() {
			if val := vals[i]; val != nil && len(out) < maxKnown {
				if q := p.path(val); q != "" && !strings.HasPrefix(string(q), "%") {
					out = append(out, lockobj.Known{At: lockobj.Path("." + st.Field(i).Name() + ">"), Is: q})
				}
			}
		}
		return out
	}
	return nil
}

// knownResult translates what a constructor says of its result.
func (p *pather) knownResult(call *ssa.Call, i int) []lockobj.Known {
	f := p.c.callee(call.Call.StaticCallee())
	if f == nil || i >= len(f.Results) {
		return nil
	}
	var out []lockobj.Known
	for _, k := range f.Results[i].Known {
		q := substitute(k.Is, func(root string) lockobj.Path {
			if n, ok := index(root, 'p'); ok && n < len(call.Call.Args) {
				return p.path(call.Call.Args[n])
			}
			if strings.HasPrefix(root, "g{") {
				return lockobj.Path(root)
			}
			return ""
		})
		if q != "" {
			out = append(out, lockobj.Known{At: k.At, Is: q})
		}
	}
	return out
}

// elem names the element of x at the given index.
func (p *pather) elem(x, index ssa.Value) lockobj.Path {
	key := string(p.path(index))
	if k, ok := index.(*ssa.Const); ok {
		key = constKey(k)
	}
	if strings.ContainsAny(key, "[]") || key == "" {
		key = "%" + index.Name()
	}
	return p.elems(x, key)
}

// elems names an element of x. The elements of a slice that was filled from
// another container keep the name they have there.
func (p *pather) elems(x ssa.Value, key string) lockobj.Path {
	if from := p.filledFrom(x, 0); from != "" {
		return lockobj.Path(strings.Replace(string(from), "[*]", "["+key+"]", 1))
	}
	return p.path(x).Elem(key)
}

// filledFrom returns the path, with [*] for its index, of the container whose
// elements are all that was ever appended to the local slice x.
func (p *pather) filledFrom(x ssa.Value, depth int) lockobj.Path {
	if depth > 6 {
		return ""
	}
	const none = lockobj.Path("none")
	var walk func(v ssa.Value, seen map[ssa.Value]bool) lockobj.Path
	join := func(a, b lockobj.Path) lockobj.Path {
		if a == none || a == b {
			return b
		}
		if b == none {
			return a
		}
		return ""
	}
	walk = func(v ssa.Value, seen map[ssa.Value]bool) lockobj.Path {
		if seen[v] {
			return none
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Const:
			if v.IsNil() {
				return none
			}
		case *ssa.MakeSlice:
			return none
		case *ssa.Slice:
			if a, ok := v.X.(*ssa.Alloc); ok && len(p.stored(a)) == 0 {
				return none // make of constant size
			}
			return walk(v.X, seen)
		case *ssa.Phi:
			r := none
			for _, e := range v.Edges {
				if r = join(r, walk(e, seen)); r == "" {
					return ""
				}
			}
			return r
		case *ssa.Call:
			b, ok := v.Call.Value.(*ssa.Builtin)
			if !ok || b.Name() != "append" || len(v.Call.Args) != 2 {
				return ""
			}
			r := walk(v.Call.Args[0], seen)
			if r == "" {
				return ""
			}
			sl, ok := v.Call.Args[1].(*ssa.Slice)
			if !ok {
				return ""
			}
			a, ok := sl.X.(*ssa.Alloc)
			if !ok {
				return ""
			}
			for _, val := range p.stored(a) {
				q := p.path(val)
				_, steps := q.Split()
				if !strings.HasSuffix(strings.TrimSuffix(steps, ">"), "]") {
					return ""
				}
				i := strings.LastIndexByte(string(q), '[')
				if r = join(r, q[:i]+"[*]"); r == "" {
					return ""
				}
			}
			return r
		}
		return ""
	}
	switch x.(type) {
	case *ssa.Phi, *ssa.Call:
	default:
		return ""
	}
	if r := walk(x, map[ssa.Value]bool{}); r != none {
		return r
	}
	return ""
}

// stored returns the values stored into elements of a local array.
func (p *pather) stored(a *ssa.Alloc) []ssa.Value {
	var vals []ssa.Value
	for _, ref := range *a.Referrers() {
		ia, ok := ref.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, r := range *ia.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == ia {
				vals = append(vals, s.Val)
			}
		}
	}
	return vals
}

// result names result i of a call, if the callee says where it comes from.
func (p *pather) result(call *ssa.Call, i int) lockobj.Path {
	cc := call.Common()
	if cc.IsInvoke() {
		return ""
	}
	callee := cc.StaticCallee()
	if callee == nil {
		return ""
	}
	if sig := callee.Signature; sig.Recv() != nil && len(cc.Args) > 0 {
		n := named(sig.Recv().Type())
		if n != nil && n.Obj().Pkg() != nil {
			switch {
			case n.Obj().Pkg().Path() == "sync/atomic" && callee.Name() == "Load" && (n.Obj().Name() == "Pointer" || n.Obj().Name() == "Value"):
				return p.path(cc.Args[0]).Deref()
			case callee.Name() == "RLocker" && isPrimitiveLock(n):
				return p.path(cc.Args[0])
			}
		}
	}
	switch originSym(callee) {
	case "slices.Clone", "maps.Clone", "slices.Values", "maps.Values":
		return p.path(cc.Args[0]) // its elements are those of the argument
	}
	f := p.c.callee(callee)
	if f == nil || i >= len(f.Results) {
		return ""
	}
	r := f.Results[i]
	if r.Fresh {
		return lockobj.Path("a:" + call.Name())
	}
	if r.Path == "" {
		return ""
	}
	return substitute(r.Path, func(root string) lockobj.Path {
		if n, ok := index(root, 'p'); ok && n < len(cc.Args) {
			return p.path(cc.Args[n])
		}
		if n, ok := index(root, 'f'); ok {
			if mc, isClosure := cc.Value.(*ssa.MakeClosure); isClosure && n < len(mc.Bindings) {
				return p.binding(mc.Bindings[n])
			}
		}
		if strings.HasPrefix(root, "g{") {
			return lockobj.Path(root)
		}
		return ""
	})
}

// binding names what a closure captures: the cell's only value where there is
// one, else the cell.
func (p *pather) binding(v ssa.Value) lockobj.Path {
	if a, ok := v.(*ssa.Alloc); ok {
		if s := p.single(a); s != nil {
			return p.path(s)
		}
	}
	return p.path(v)
}

// single returns the only value stored into the cell of a variable of pointer,
// interface, function or basic type; nil if there is none, or several.
func (p *pather) single(cell *ssa.Alloc) ssa.Value {
	if v, ok := p.cells[cell]; ok {
		return v
	}
	v := p.c.onlyStore(cell)
	p.cells[cell] = v
	return v
}

// onlyStore finds the one store to a variable's cell, in its function and in
// the closures that capture it.
func (c *compiler) onlyStore(cell ssa.Value) ssa.Value {
	if isStructOrArray(deref(cell.Type())) {
		return nil
	}
	var val ssa.Value
	n := 0
	var scan func(v ssa.Value, depth int) bool
	scan = func(v ssa.Value, depth int) bool {
		if v.Referrers() == nil || depth > 5 {
			return false
		}
		for _, ref := range *v.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Store:
				if ref.Addr != v {
					return false // the cell's address is kept
				}
				if k, ok := ref.Val.(*ssa.Const); ok && k.IsNil() {
					continue
				}
				n++
				val = ref.Val
			case *ssa.MakeClosure:
				fn := ref.Fn.(*ssa.Function)
				for i, b := range ref.Bindings {
					if b == v && i < len(fn.FreeVars) && !scan(fn.FreeVars[i], depth+1) {
						return false
					}
				}
			case *ssa.UnOp, *ssa.DebugRef:
			default:
				return false
			}
		}
		return true
	}
	if !scan(cell, 0) || n != 1 {
		return nil
	}
	if val.Parent() != cell.Parent() {
		return nil
	}
	return val
}

// capturedOnce reports whether the variable behind a free variable has one
// value for as long as the closure lives.
func (c *compiler) capturedOnce(fn *ssa.Function, f *ssa.FreeVar) bool {
	if v, ok := c.onceMemo[f]; ok {
		return v
	}
	c.onceMemo[f] = true
	v := c.captured(fn, f)
	c.onceMemo[f] = v
	return v
}

func (c *compiler) captured(fn *ssa.Function, f *ssa.FreeVar) bool {
	if isStructOrArray(deref(f.Type())) {
		return true
	}
	parent := fn.Parent()
	if parent == nil {
		return true // bound method: the receiver is captured by value
	}
	i := freeIndex(fn, f)
	for _, b := range parent.Blocks {
		for _, instr := range b.Instrs {
			mc, ok := instr.(*ssa.MakeClosure)
			if !ok || mc.Fn != fn || i >= len(mc.Bindings) {
				continue
			}
			switch bind := mc.Bindings[i].(type) {
			case *ssa.Alloc:
				return c.onlyStore(bind) != nil
			case *ssa.FreeVar:
				return c.capturedOnce(parent, bind)
			}
		}
	}
	return true
}

func freeIndex(fn *ssa.Function, f *ssa.FreeVar) int {
	for i, q := range fn.FreeVars {
		if q == f {
			return i
		}
	}
	return 0
}

func isStructOrArray(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

func globalName(g *ssa.Global) string {
	if g.Pkg != nil && g.Pkg.Pkg != nil {
		return g.Pkg.Pkg.Path() + "." + g.Name()
	}
	return g.Name()
}

func constPath(k *ssa.Const) lockobj.Path { return lockobj.Path("%=" + constKey(k)) }

// constKey names a constant: "nil", its value, or what stands for that.
func constKey(k *ssa.Const) string {
	if k.IsNil() {
		return "nil"
	}
	if k.Value == nil {
		return "zero"
	}
	s := k.Value.ExactString()
	switch k.Value.Kind() {
	case constant.Bool, constant.Int:
		return s
	case constant.String:
		if s := constant.StringVal(k.Value); len(s) < 40 && !strings.ContainsAny(s, "[]{}.~'%|") {
			return strconv.Quote(s)
		}
	}
	h := fnv.New64a()
	io.WriteString(h, s)
	return fmt.Sprintf("#%x", h.Sum64())
}

// index parses a root such as p3.
func index(root string, kind byte) (int, bool) {
	if len(root) < 2 || root[0] != kind {
		return 0, false
	}
	n, err := strconv.Atoi(root[1:])
	return n, err == nil
}

// substitute replaces the root of p, and the indices in it, by what at says.
func substitute(p lockobj.Path, at func(root string) lockobj.Path) lockobj.Path {
	return lockobj.Substitute(p, at)
}
