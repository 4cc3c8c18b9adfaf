package compile

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// This file says what is known of values given to calls: arguments, function
// values, and interfaces made from concrete types.

// static names a callee that is known.
func (f *flow) static(fn *ssa.Function, v ssa.Value, st *state) lockobj.Callee {
	c := lockobj.Callee{Kind: lockobj.Static, Sym: f.c.sym(fn)}
	for _, b := range f.closureBindings(v) {
		c.Bind = append(c.Bind, f.bindArg(st, b))
	}
	return c
}

// flagsOf adds what the flags that a closure captures are when it is called.
func (f *flow) flagsOf(st *state, c *lockobj.Callee, closure ssa.Value) {
	for i, b := range f.closureBindings(closure) {
		var cell string
		switch b := b.(type) {
		case *ssa.Alloc:
			cell = "%~" + b.Name()
		case *ssa.FreeVar:
			cell = string(f.path(b)) + ".~"
		}
		if v, ok := st.conds.m[cell]; ok && c.Bind[i].Const == "" && isBool(deref(b.Type())) {
			c.Bind[i].Const = strconv.FormatBool(v)
		}
	}
}

// bindArg is what is known of a captured variable.
func (f *flow) bindArg(st *state, b ssa.Value) lockobj.Arg {
	if a, ok := b.(*ssa.Alloc); ok {
		if s := f.single(a); s != nil {
			return f.arg(st, s)
		}
	}
	return f.arg(st, b)
}

func (f *flow) args(st *state, vals []ssa.Value) []lockobj.Arg {
	out := make([]lockobj.Arg, len(vals))
	for i, v := range vals {
		out[i] = f.arg(st, v)
	}
	return out
}

// arg is what is known of one argument.
func (f *flow) arg(st *state, v ssa.Value) lockobj.Arg {
	var a lockobj.Arg
	if k, ok := v.(*ssa.Const); ok {
		a.Const = constKey(k)
		return a
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Basic:
		if isBool(t) {
			key, neg, _ := f.condKey(v)
			if val, ok := st.cond(key); ok {
				a.Const = strconv.FormatBool(val != neg)
			}
		}
		a.Path = f.path(v)
		return a
	case *types.Signature:
		a.Func = f.funcRef(st, v)
		return a
	case *types.Interface:
		if mi := f.madeInterface(v); mi != nil {
			a.Type = f.c.concrete(mi.X.Type())
			if _, ok := mi.X.Type().Underlying().(*types.Signature); ok {
				a.Func = f.funcRef(st, mi.X)
			}
		} else {
			a.Type = f.resultType(v)
		}
	}
	a.Path = f.path(v)
	if f.c.isLock(v.Type()) || f.isRLocker(v, 0) {
		ref := f.lockRef(v)
		a.Class = ref.Class
		a.Read = ref.Mode == lockobj.Read
	} else if isEvent(v.Type()) {
		a.Class = f.classOf(v, 0)
	}
	if n := named(v.Type()); n != nil && n.TypeArgs().Len() > 0 && a.Type == "" {
		a.Type = typeName(n)
	}
	a.Fresh = f.unpublished(st, a.Path)
	if root, steps := a.Path.Split(); strings.HasPrefix(root, "a:") {
		if steps == "" {
			a.Known = f.known(v)
		}
		a.Owned = !a.Fresh && st.own(root)
	}
	return a
}

// madeInterface finds the conversion that made an interface value.
func (p *pather) madeInterface(v ssa.Value) *ssa.MakeInterface {
	return madeBy[*ssa.MakeInterface](p, v)
}

// madeClosure finds the closure that v is.
func (p *pather) madeClosure(v ssa.Value) *ssa.MakeClosure {
	return madeBy[*ssa.MakeClosure](p, v)
}

// madeBy follows a value through conversions and variables that are assigned
// once to an instruction of one kind; nil if it comes from elsewhere.
func madeBy[T ssa.Value](p *pather, v ssa.Value) T {
	var none T
	for range 6 {
		switch x := v.(type) {
		case T:
			return x
		case *ssa.ChangeType:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.UnOp:
			a, ok := x.X.(*ssa.Alloc)
			if !ok {
				return none
			}
			if v = p.single(a); v == nil {
				return none
			}
		default:
			return none
		}
	}
	return none
}

// resultType is the only concrete type that a call's interface result has.
func (f *flow) resultType(v ssa.Value) string {
	i := 0
	if e, ok := v.(*ssa.Extract); ok {
		i, v = e.Index, e.Tuple
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return ""
	}
	callee := call.Call.StaticCallee()
	if callee == nil {
		return ""
	}
	if fn := f.c.callee(callee); fn != nil && i < len(fn.Results) {
		return fn.Results[i].Type
	}
	return ""
}

// funcRef finds the function that a value is.
func (f *flow) funcRef(st *state, v ssa.Value) *lockobj.FuncRef {
	for range 8 {
		switch x := v.(type) {
		case *ssa.Function:
			if x.Synthetic != "" && x.Parent() == nil && f.c.own(x) {
				f.c.compile(x) // a method expression
			}
			return &lockobj.FuncRef{Sym: f.c.sym(x)}
		case *ssa.MakeClosure:
			fn := x.Fn.(*ssa.Function)
			if fn.Synthetic != "" {
				f.c.compile(fn) // a bound method
			}
			r := &lockobj.FuncRef{Sym: f.c.sym(fn)}
			if f.following[x] {
				return r // a closure that captures itself, to call it
			}
			f.following[x] = true
			for _, b := range x.Bindings {
				r.Bind = append(r.Bind, f.bindArg(st, b))
			}
			delete(f.following, x)
			return r
		case *ssa.Parameter:
			if n, ok := index(string(f.path(x)), 'p'); ok {
				return &lockobj.FuncRef{Param: n + 1}
			}
			return nil
		case *ssa.ChangeType:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.UnOp:
			switch a := x.X.(type) {
			case *ssa.Alloc:
				if v = f.single(a); v == nil {
					return nil
				}
			case *ssa.FreeVar:
				if f.c.capturedOnce(f.fn, a) {
					return &lockobj.FuncRef{Free: freeIndex(f.fn, a) + 1}
				}
				return nil
			default:
				return nil
			}
		case *ssa.Call, *ssa.Extract:
			call, ok := x.(*ssa.Call)
			i := 0
			if e, tuple := x.(*ssa.Extract); tuple {
				call, ok = e.Tuple.(*ssa.Call)
				i = e.Index
			}
			if !ok || call.Call.StaticCallee() == nil {
				return nil
			}
			fn := f.c.callee(call.Call.StaticCallee())
			if fn == nil || i >= len(fn.Results) || fn.Results[i].Func == nil {
				return nil
			}
			r := *fn.Results[i].Func
			r.Bind = nil
			for _, b := range fn.Results[i].Func.Bind {
				r.Bind = append(r.Bind, f.outward(b, call.Call.Args))
			}
			if r.Param > 0 {
				if r.Param > len(call.Call.Args) {
					return nil
				}
				v = call.Call.Args[r.Param-1]
				continue
			}
			return &r
		default:
			return nil
		}
	}
	return nil
}

// outward puts what a callee's closure captured in terms of its caller.
func (f *flow) outward(b lockobj.Arg, args []ssa.Value) lockobj.Arg {
	l := f.translate(lockobj.Lock{Class: b.Class, Path: b.Path}, args, nil)
	b.Path, b.Class = l.Path, l.Class
	return b
}

// stored names the place that a function value was read from.
func (f *flow) stored(v ssa.Value) lockobj.Callee {
	for range 4 {
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return lockobj.Callee{Kind: lockobj.UnknownFunc}
			}
			if fa, ok := x.X.(*ssa.FieldAddr); ok {
				return lockobj.Callee{Kind: lockobj.StoredFunc, Sym: f.classOf(fa, 0), Base: f.path(fa.X)}
			}
			if c := f.classOf(x.X, 0); c != "" {
				return lockobj.Callee{Kind: lockobj.StoredFunc, Sym: c}
			}
			return lockobj.Callee{Kind: lockobj.UnknownFunc}
		case *ssa.Field:
			return lockobj.Callee{Kind: lockobj.StoredFunc, Sym: f.classOf(x, 0), Base: f.path(x.X)}
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Extract, *ssa.Lookup, *ssa.Index:
			if c := f.classOf(v, 0); c != "" {
				return lockobj.Callee{Kind: lockobj.StoredFunc, Sym: c}
			}
			return lockobj.Callee{Kind: lockobj.UnknownFunc}
		case *ssa.TypeAssert:
			v = x.X
		default:
			return lockobj.Callee{Kind: lockobj.UnknownFunc}
		}
	}
	return lockobj.Callee{Kind: lockobj.UnknownFunc}
}
