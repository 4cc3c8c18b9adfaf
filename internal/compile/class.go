package compile

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// lockRef names the lock (or event, or function slot) that v is or points to:
// its class as [classOf] says, and its path.
func (p *pather) lockRef(v ssa.Value) lockobj.Lock {
	l := lockobj.Lock{Class: p.classOf(v, 0), Path: p.path(v)}
	if p.isRLocker(v, 0) {
		l.Mode = lockobj.Read
	}
	return l
}

// isRLocker reports whether v is the read side of a RWMutex.
func (p *pather) isRLocker(v ssa.Value, depth int) bool {
	if depth > 8 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Call:
		if callee := v.Call.StaticCallee(); callee != nil && callee.Name() == "RLocker" && callee.Signature.Recv() != nil {
			return true
		}
		if f := p.c.callee(v.Call.StaticCallee()); f != nil && len(f.Results) > 0 {
			return f.Results[0].Read
		}
	case *ssa.MakeInterface:
		return p.isRLocker(v.X, depth+1)
	case *ssa.ChangeInterface:
		return p.isRLocker(v.X, depth+1)
	case *ssa.UnOp:
		if cell, ok := v.X.(*ssa.Alloc); ok {
			if s := p.single(cell); s != nil {
				return p.isRLocker(s, depth+1)
			}
		}
	}
	return false
}

// classOf returns the class of the object that v is or points to, "" where
// only the caller can tell.
func (p *pather) classOf(v ssa.Value, depth int) string {
	if depth > 12 {
		return ""
	}
	switch v := v.(type) {
	case *ssa.Global:
		if name := p.c.classNames[v.Object()]; name != "" {
			return name
		}
		return globalName(v)
	case *ssa.FieldAddr:
		return p.fieldClass(v.X, v.Field, depth)
	case *ssa.Field:
		return p.fieldClass(v.X, v.Field, depth)
	case *ssa.IndexAddr:
		return elemClass(p.classOf(v.X, depth+1))
	case *ssa.Index:
		return elemClass(p.classOf(v.X, depth+1))
	case *ssa.Lookup:
		return elemClass(p.classOf(v.X, depth+1))
	case *ssa.UnOp:
		if v.Op == token.ARROW && !v.CommaOk && isEvent(v.Type()) {
			return elemClass(p.classOf(v.X, depth+1))
		}
		if v.Op != token.MUL {
			return ""
		}
		if cell, ok := v.X.(*ssa.Alloc); ok {
			if s := p.single(cell); s != nil {
				if c := p.classOf(s, depth+1); c != "" {
					return c
				}
				if _, param := s.(*ssa.Parameter); param {
					return ""
				}
			}
		}
		return p.classOf(v.X, depth+1)
	case *ssa.ChangeType:
		return p.classOf(v.X, depth+1)
	case *ssa.ChangeInterface:
		return p.classOf(v.X, depth+1)
	case *ssa.MakeInterface:
		return p.classOf(v.X, depth+1)
	case *ssa.TypeAssert:
		return p.classOf(v.X, depth+1)
	case *ssa.Slice:
		return p.classOf(v.X, depth+1)
	case *ssa.Alloc:
		return p.localClass(v)
	case *ssa.MakeChan:
		return p.c.madeClass(v.Parent(), v.Pos(), v.Name())
	case *ssa.MakeSlice, *ssa.MakeMap:
		return p.c.funcClass(v.Parent()) + "." + v.Name()
	case *ssa.FreeVar:
		return p.freeClass(v, depth)
	case *ssa.Phi:
		class := ""
		for _, e := range v.Edges {
			if k, ok := e.(*ssa.Const); ok && k.IsNil() || e == v {
				continue
			}
			c := p.classOf(e, depth+4)
			if class != "" && c != class {
				return ""
			}
			class = c
		}
		return class
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.TypeAssert:
			return p.classOf(t.X, depth+1)
		case *ssa.Lookup:
			return elemClass(p.classOf(t.X, depth+1))
		case *ssa.Next:
			if r, ok := t.Iter.(*ssa.Range); ok && v.Index == 2 {
				return elemClass(p.classOf(r.X, depth+1))
			}
		case *ssa.Call:
			return p.resultClass(t, v.Index, depth)
		}
	case *ssa.Call:
		return p.resultClass(v, 0, depth)
	}
	return ""
}

func elemClass(c string) string {
	if c == "" {
		return ""
	}
	return c + "[]"
}

// fieldClass names a field after the innermost named struct that declares it;
// a transparent struct takes the name of what holds it.
func (p *pather) fieldClass(x ssa.Value, i int, depth int) string {
	t := deref(x.Type())
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	if name := p.c.classNames[st.Field(i)]; name != "" {
		return name
	}
	if n := named(t); n != nil {
		if p.c.isLock(n) {
			return p.classOf(x, depth+1)
		}
		// The lock of a condition goes by the condition: there are as many.
		if typeName(n) != "sync.Cond" || p.c.pkg.Path() == "sync" {
			return typeName(n) + "." + st.Field(i).Name()
		}
	}
	c := p.classOf(x, depth+1)
	if c == "" {
		return ""
	}
	return c + "." + st.Field(i).Name()
}

// localClass names a local variable after its function.
func (p *pather) localClass(a *ssa.Alloc) string {
	name := a.Comment
	switch name {
	case "new", "complit", "", "slicelit", "makeslice", "varargs":
		name = a.Name()
	}
	return p.c.funcClass(a.Parent()) + "." + name
}

// bareName takes the receiver's decoration off a function's name.
var bareName = strings.NewReplacer("(", "", ")", "", "*", "")

// funcClass is the first part of the class of a local of fn.
func (c *compiler) funcClass(fn *ssa.Function) string {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	pkg := c.pkg.Path()
	name := fn.RelString(c.pkg)
	name = bareName.Replace(name)
	return pkg + "." + name
}

// freeClass follows a captured variable to where the closure is made.
func (p *pather) freeClass(f *ssa.FreeVar, depth int) string {
	fn := f.Parent()
	parent := fn.Parent()
	if parent == nil {
		return ""
	}
	i := freeIndex(fn, f)
	for _, b := range parent.Blocks {
		for _, instr := range b.Instrs {
			mc, ok := instr.(*ssa.MakeClosure)
			if !ok || mc.Fn != fn || i >= len(mc.Bindings) {
				continue
			}
			pp := p.c.pather(parent)
			if a, ok := mc.Bindings[i].(*ssa.Alloc); ok {
				if s := pp.single(a); s != nil {
					return pp.classOf(s, depth+1)
				}
			}
			return pp.classOf(mc.Bindings[i], depth+1)
		}
	}
	return ""
}

// resultClass is the class of what a call returns, where its callee tells.
func (p *pather) resultClass(call *ssa.Call, i int, depth int) string {
	cc := call.Common()
	callee := cc.StaticCallee()
	if callee == nil {
		return ""
	}
	if callee.Signature.Recv() != nil && len(cc.Args) > 0 {
		switch callee.Name() {
		case "RLocker":
			return p.classOf(cc.Args[0], depth+1)
		case "Load":
			if n := named(callee.Signature.Recv().Type()); n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync/atomic" {
				return p.classOf(cc.Args[0], depth+1)
			}
		}
	}
	if class := p.newEvent(call, i); class != "" {
		return class
	}
	f := p.c.callee(callee)
	if f == nil || i >= len(f.Results) {
		return ""
	}
	r := f.Results[i]
	if r.Class != "" || r.Path == "" {
		return r.Class
	}
	if n, ok := index(string(r.Path), 'p'); ok && n < len(cc.Args) {
		return p.classOf(cc.Args[n], depth+1)
	}
	return ""
}
