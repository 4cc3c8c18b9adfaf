package compile

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// lockPackages are the packages whose types named in lockTypes are locks,
// with the methods of sync.
var lockPackages = map[string]bool{
	"sync":                           true,
	"internal/sync":                  true,
	"github.com/sasha-s/go-deadlock": true,
	"github.com/linkdata/deadlock":   true,
	"github.com/lockvet/lockvet/runtime/lockdep": true,
}

var lockTypes = map[string]bool{
	"Mutex": true, "RWMutex": true, "DeadlockMutex": true, "DeadlockRWMutex": true,
	"MutexOf": true, "RWMutexOf": true, "Locker": true,
}

// lockOp is what a lock method does.
type lockOp struct {
	acquire bool
	read    bool
	try     bool
}

var lockOps = map[string]lockOp{
	"Lock":       {acquire: true},
	"Unlock":     {},
	"RLock":      {acquire: true, read: true},
	"RUnlock":    {read: true},
	"TryLock":    {acquire: true, try: true},
	"TryRLock":   {acquire: true, read: true, try: true},
	"LockNested": {acquire: true},
}

// deref returns the element type of a pointer type, or t.
func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// named returns the named type that t is, or points to.
func named(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// typeName returns the full name of a named type, with its type arguments or,
// inside its own methods, its type parameters.
func typeName(n *types.Named) string {
	obj := n.Obj()
	s := obj.Name()
	if p := obj.Pkg(); p != nil {
		s = p.Path() + "." + s
	}
	var parts []string
	for i := range n.TypeArgs().Len() {
		parts = append(parts, types.TypeString(n.TypeArgs().At(i), func(p *types.Package) string { return p.Name() }))
	}
	if parts == nil {
		for i := range n.TypeParams().Len() {
			parts = append(parts, n.TypeParams().At(i).Obj().Name())
		}
	}
	if parts != nil {
		s += "[" + strings.Join(parts, ",") + "]"
	}
	return s
}

func hasTypeParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return hasTypeParam(t.Elem())
	case *types.Slice:
		return hasTypeParam(t.Elem())
	case *types.Array:
		return hasTypeParam(t.Elem())
	case *types.Map:
		return hasTypeParam(t.Key()) || hasTypeParam(t.Elem())
	case *types.Chan:
		return hasTypeParam(t.Elem())
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			if hasTypeParam(t.TypeArgs().At(i)) {
				return true
			}
		}
	}
	return false
}

// isPrimitiveLock reports whether t (or what it points to) is a lock type of a
// lock package.
func isPrimitiveLock(t types.Type) bool {
	n := named(t)
	return n != nil && n.Obj().Pkg() != nil && lockPackages[n.Obj().Pkg().Path()] && lockTypes[n.Obj().Name()]
}

// isLock reports whether values of t, or what they point to, are treated as
// one lock: primitive ones, lock interfaces, transparent wrappers, and
// lock-like types whose bodies cannot be seen.
func (c *compiler) isLock(t types.Type) bool {
	if isPrimitiveLock(t) {
		return true
	}
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		return hasMethods(tp, "Lock", "Unlock")
	}
	n := named(t)
	if n == nil {
		return false
	}
	if n = n.Origin(); c.lockMemo != nil {
		if v, ok := c.lockMemo[n]; ok {
			return v
		}
	}
	v := c.wrapsLock(n)
	c.lockMemo[n] = v
	return v
}

// wrapsLock decides isLock for a named type that is not primitive.
func (c *compiler) wrapsLock(n *types.Named) bool {
	c.lockMemo[n] = false // for recursive types
	if types.IsInterface(n) {
		return hasMethods(n, "Lock", "Unlock") && n.Underlying().(*types.Interface).NumMethods() <= 8
	}
	ptr := types.NewPointer(n)
	if !hasMethods(ptr, "Lock", "Unlock") {
		return false
	}
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	if c.depTransparent[typeName(n)] {
		return true
	}
	declared := map[string]*types.Func{}
	for i := range n.NumMethods() {
		declared[n.Method(i).Name()] = n.Method(i)
	}
	if declared["Lock"] == nil && declared["Unlock"] == nil {
		// Promoted: transparent if the embedded lock is all there is.
		locks := 0
		for i := range st.NumFields() {
			f := st.Field(i)
			switch {
			case f.Embedded() && c.isLock(f.Type()):
				locks++
			case f.Name() == "_":
			default:
				return false
			}
		}
		return locks == 1
	}
	if n.Obj().Pkg() != c.pkg {
		// A lock-like type with no visible body, unless its object says
		// what its methods do.
		return c.deps.fn("(*"+typeName(n.Origin())+").Lock") == nil && c.deps.fn("("+typeName(n.Origin())+").Lock") == nil && !c.deps.has(n.Obj().Pkg().Path())
	}
	for _, name := range []string{"Lock", "Unlock"} {
		m := declared[name]
		if m == nil || !c.forwards(m, name) {
			return false
		}
	}
	return true
}

// forwards reports whether the method does nothing with locks but call the
// method of that name on one lock inside its receiver.
func (c *compiler) forwards(m *types.Func, name string) bool {
	fn := c.prog.FuncValue(m)
	if fn == nil || len(fn.Blocks) == 0 || len(fn.Params) == 0 {
		return false
	}
	found := 0
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			cc := call.Common()
			switch {
			case cc.IsInvoke():
				if cc.Method.Name() == name && c.isLock(cc.Value.Type()) && rootedAt(cc.Value, fn.Params[0]) {
					found++
				}
			case cc.StaticCallee() != nil:
				callee := cc.StaticCallee()
				if callee.Signature.Recv() == nil || len(cc.Args) == 0 || !c.isLock(callee.Signature.Recv().Type()) {
					continue
				}
				if callee.Name() == name && rootedAt(cc.Args[0], fn.Params[0]) {
					found++
				} else if _, isOp := lockOps[callee.Name()]; isOp {
					return false
				}
			}
		}
	}
	return found == 1
}

// rootedAt reports whether v is a field, at any depth, of base.
func rootedAt(v, base ssa.Value) bool {
	for range 10 {
		if v == base {
			return true
		}
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Field:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		default:
			return false
		}
	}
	return false
}

func hasMethods(t types.Type, names ...string) bool {
	ms := types.NewMethodSet(t)
	for _, name := range names {
		sel := ms.Lookup(nil, name)
		if sel == nil {
			return false
		}
		sig, ok := sel.Obj().Type().(*types.Signature)
		if !ok || sig.Params().Len() != 0 || sig.Results().Len() != 0 {
			return false
		}
	}
	return true
}
