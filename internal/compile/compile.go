// Package compile turns the SSA of one package into its lock object: what its
// functions acquire, release and call, with which locks held.
//
// The analysis is flow-sensitive and local. It follows static calls inside the
// package, and the objects of dependencies, only as far as a callee changes
// the held set of its caller. It never looks for cycles and knows nothing of
// importers; that is internal/link's work.
package compile

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/lockobj"
)

type compiler struct {
	fset  *token.FileSet
	info  *types.Info
	pkg   *types.Package
	prog  *ssa.Program
	spkg  *ssa.Package
	deps  *depIndex
	out   *lockobj.Package
	funcs map[string]*lockobj.Func // finished, by symbol
	busy  map[string]bool
	syms  map[*ssa.Function]string
	bySym map[string]*ssa.Function

	pathers        map[*ssa.Function]*pather
	lockMemo       map[*types.Named]bool
	onceMemo       map[*ssa.FreeVar]bool
	implMemo       map[string][]*lockobj.Func
	methodMemo     map[string][]lockobj.Method
	byMethod       map[string][]types.Type // own types by the names of their methods
	mutable        map[*types.Var]bool
	depTransparent map[string]bool
	backs          []lockobj.BackPtr
	concretes      map[string]types.Type
	generated      map[string]bool
	starts         map[token.Pos]token.Pos // of calls, by their opening parenthesis
	// classNames are the classes that directives give, by field or variable.
	classNames map[types.Object]string
	callSites  map[*ssa.Function][]ssa.CallInstruction
	assigned   *assigned
	events     *eventIndex
}

// compilePackage compiles one package.
func compilePackage(pass *analysis.Pass, src source, deps []*lockobj.Package, test bool) *lockobj.Package {
	c := &compiler{
		fset:           pass.Fset,
		info:           pass.TypesInfo,
		pkg:            pass.Pkg,
		prog:           src.pkg.Prog,
		spkg:           src.pkg,
		deps:           newDepIndex(deps),
		out:            &lockobj.Package{Path: pass.Pkg.Path(), Name: pass.Pkg.Name(), Test: test, Whole: true},
		funcs:          map[string]*lockobj.Func{},
		busy:           map[string]bool{},
		syms:           map[*ssa.Function]string{},
		bySym:          map[string]*ssa.Function{},
		pathers:        map[*ssa.Function]*pather{},
		lockMemo:       map[*types.Named]bool{},
		onceMemo:       map[*ssa.FreeVar]bool{},
		implMemo:       map[string][]*lockobj.Func{},
		methodMemo:     map[string][]lockobj.Method{},
		mutable:        map[*types.Var]bool{},
		depTransparent: map[string]bool{},
		concretes:      map[string]types.Type{},
		generated:      map[string]bool{},
		starts:         callStarts(pass.Fset, pass.Files),
		classNames:     map[types.Object]string{},
		events:         newEventIndex(pass.Files),
	}
	for _, p := range pass.Pkg.Imports() {
		if !lockobj.IsStd(p.Path()) {
			c.out.Imports = append(c.out.Imports, p.Path())
		}
	}
	sort.Strings(c.out.Imports)
	c.out.NoReturn = src.ends
	c.out.Directives = directive.Parse(pass.Fset, pass.Files)
	for _, p := range deps {
		for _, t := range p.Transparent {
			c.depTransparent[t] = true
		}
		c.backs = append(c.backs, p.BackPtrs...)
	}
	for _, d := range c.out.Directives {
		if d.Kind == directive.Generated {
			c.generated[d.File] = true
		}
	}
	fns := slices.Clone(src.funcs)
	sort.SliceStable(fns, func(i, j int) bool { return fns[i].Pos() < fns[j].Pos() })
	if init := src.pkg.Func("init"); init != nil {
		fns = append(fns, init)
	}
	for _, fn := range fns {
		c.bySym[c.sym(fn)] = fn
	}
	c.nameClasses(pass.Files)
	for _, fd := range src.left {
		f := c.leftOut(fd)
		c.funcs[f.Sym] = f
	}
	c.info = nil
	if ConsumeTypes {
		*pass.TypesInfo = types.Info{}
	}
	c.findMutable(fns)
	c.findAssigned(fns)
	c.findBackPtrs(fns)
	for _, fn := range fns {
		c.compile(fn)
	}
	c.types()
	c.storesAndConvs(fns)
	c.writeEvents()
	for _, sym := range sortedKeys(c.funcs) {
		c.out.Funcs = append(c.out.Funcs, c.funcs[sym])
	}
	for n, ok := range c.lockMemo {
		if ok && n.Obj().Pkg() == c.pkg && !types.IsInterface(n) {
			c.out.Transparent = append(c.out.Transparent, typeName(n))
		}
	}
	sort.Strings(c.out.Transparent)
	return c.out
}

// nameClasses reads the //lockvet:class directives.
func (c *compiler) nameClasses(files []*ast.File) {
	for _, d := range c.out.Directives {
		if d.Kind != directive.Class || len(d.Args) != 1 {
			continue
		}
		for _, f := range files {
			if c.fset.Position(f.Package).Filename != d.File {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				if p := c.fset.Position(id.Pos()); d.Covers(p.Filename, p.Line) {
					if v, ok := c.info.Defs[id].(*types.Var); ok {
						c.classNames[v] = d.Args[0]
					}
				}
				return true
			})
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// sym is the name of a function in the whole program. Instances of a generic
// function share that of their origin.
func (c *compiler) sym(fn *ssa.Function) string {
	if fn == nil {
		return ""
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	sym, ok := c.syms[fn]
	if !ok {
		sym = fn.RelString(nil)
		c.syms[fn] = sym
	}
	return sym
}

func (c *compiler) pos(p token.Pos) lockobj.Pos {
	if !p.IsValid() {
		return lockobj.Pos{}
	}
	if start, ok := c.starts[p]; ok {
		p = start
	}
	q := c.fset.Position(p)
	return lockobj.Pos{File: q.Filename, Line: q.Line, Col: q.Column}
}

func (c *compiler) pather(fn *ssa.Function) *pather {
	p := c.pathers[fn]
	if p == nil {
		p = newPather(c, fn)
		c.pathers[fn] = p
	}
	return p
}

// callee returns what is known of a function: compiled now if it belongs to
// this package, from the facts otherwise; nil if nothing is.
func (c *compiler) callee(fn *ssa.Function) *lockobj.Func {
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if c.own(fn) {
		return c.compile(fn)
	}
	return c.deps.fn(c.sym(fn))
}

// own reports whether the function's body is to be compiled with this package.
func (c *compiler) own(fn *ssa.Function) bool {
	if len(fn.Blocks) == 0 {
		return false
	}
	if fn.Pkg != nil {
		return fn.Pkg == c.spkg
	}
	for p := fn.Parent(); p != nil; p = p.Parent() {
		if p.Pkg != nil {
			return p.Pkg == c.spkg
		}
	}
	return true // a wrapper made for this package
}

// compile analyses a function once.
func (c *compiler) compile(fn *ssa.Function) *lockobj.Func {
	sym := c.sym(fn)
	if f := c.funcs[sym]; f != nil {
		return f
	}
	if c.busy[sym] || len(fn.Blocks) == 0 {
		return nil
	}
	c.busy[sym] = true
	c.bySym[sym] = fn
	f := c.analyse(fn, sym)
	c.funcs[sym] = f
	delete(c.busy, sym)
	delete(c.pathers, fn) // what is asked again is named again
	return f
}

// analyse runs one function.
func (c *compiler) analyse(fn *ssa.Function, sym string) *lockobj.Func {
	out := &lockobj.Func{
		Sym:      sym,
		Name:     displayName(fn, c.pkg),
		Pos:      c.pos(fn.Pos()),
		Params:   len(fn.Params),
		Exported: exported(fn),
		Init:     isInit(fn),
		Wrapper:  fn.Synthetic != "" && fn.Parent() == nil && fn.Origin() == nil && fn.Name() != "init",
	}
	file := out.Pos.File
	out.Test = strings.HasSuffix(file, "_test.go")
	out.Silent = c.generated[file]
	p := c.pather(fn)
	f := &flow{pather: p, out: out, following: map[*ssa.MakeClosure]bool{}, ordered: c.orders(fn)}
	f.run()
	f.order()
	f.summarise()
	for _, prm := range fn.Params {
		out.ParamTypes = append(out.ParamTypes, paramType(prm.Type()))
	}
	out.Publishes = c.publishes(p)
	out.Sets = c.sets(fn)
	if f.limited {
		c.out.Limits = append(c.out.Limits, "fixpoint of "+sym)
	}
	return out
}

// displayName is the name for people: (*T).M, F, F.func1.
func displayName(fn *ssa.Function, pkg *types.Package) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	name := fn.RelString(pkg)
	if fn.Pkg != nil && fn.Pkg.Pkg != pkg {
		name = fn.RelString(fn.Pkg.Pkg)
	}
	return strings.ReplaceAll(strings.ReplaceAll(name, "$bound", ""), "$", ".func")
}

// exported reports whether other packages can call the function.
func exported(fn *ssa.Function) bool {
	if fn.Parent() != nil || fn.Object() == nil || !fn.Object().Exported() {
		return fn.Name() == "main" && fn.Parent() == nil && fn.Signature.Recv() == nil
	}
	return true
}

// isInit reports whether the function runs during package initialisation, as
// far as its own place tells.
func isInit(fn *ssa.Function) bool {
	if fn.Parent() != nil || fn.Signature.Recv() != nil {
		return false
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if _, ok := instr.(*ssa.Go); ok {
				return false
			}
		}
	}
	return fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#")
}

// sets lists the reassigned fields that the function assigns.
func (c *compiler) sets(fn *ssa.Function) []string {
	var out []string
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			s, ok := instr.(*ssa.Store)
			if !ok {
				continue
			}
			if fa, ok := s.Addr.(*ssa.FieldAddr); ok {
				if v := fieldVar(fa); v != nil && c.mutable[v] && !slices.Contains(out, v.Name()) {
					out = append(out, v.Name())
				}
			}
		}
	}
	sort.Strings(out)
	return out
}

func fieldVar(fa *ssa.FieldAddr) *types.Var {
	st, ok := deref(fa.X.Type()).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	return st.Field(fa.Field)
}

// orders reports whether the function compares two values in a way that can
// put two locks of one class in order: <, > or a Compare call on something, or
// inequality of indices.
func (c *compiler) orders(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.BinOp:
				switch instr.Op {
				case token.LSS, token.GTR, token.LEQ, token.GEQ:
					if leadsToField(instr.X) && leadsToField(instr.Y) && decides(instr, 0) {
						return true
					}
				}
			case *ssa.Call:
				if callee := instr.Call.StaticCallee(); callee != nil {
					n := strings.ToLower(callee.Name())
					if strings.HasPrefix(n, "sort") || strings.HasPrefix(originSym(callee), "sort.S") {
						return true
					}
					if (strings.Contains(n, "less") || strings.Contains(n, "compare")) && decides(instr, 0) {
						return true
					}
				}
			}
		}
	}
	return false
}

// decides reports whether a branch depends on v.
func decides(v ssa.Value, depth int) bool {
	if v.Referrers() == nil || depth > 4 {
		return false
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.If:
			return true
		case *ssa.UnOp:
			if decides(ref, depth+1) {
				return true
			}
		case *ssa.Phi:
			if decides(ref, depth+1) {
				return true
			}
		case *ssa.BinOp:
			if decides(ref, depth+1) {
				return true
			}
		}
	}
	return false
}

// paramType names a parameter's type where it is a named one.
func paramType(t types.Type) string {
	if n := named(t); n != nil {
		return typeName(n)
	}
	return ""
}

// leadsToField reports whether a compared value was read from an object, or is
// a parameter or an address, rather than counted in a loop.
func leadsToField(v ssa.Value) bool {
	for range 8 {
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return false
			}
			v = x.X
		case *ssa.FieldAddr, *ssa.Field, *ssa.Parameter, *ssa.FreeVar:
			return true
		case *ssa.Convert:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Call:
			if _, ok := x.Call.Value.(*ssa.Builtin); ok {
				return false
			}
			return true
		case *ssa.IndexAddr, *ssa.Index, *ssa.Lookup:
			return true
		default:
			return false
		}
	}
	return false
}

// funcBySym finds a function of this package or of its dependencies.
func (c *compiler) funcBySym(sym string) *lockobj.Func {
	if fn := c.bySym[sym]; fn != nil {
		return c.compile(fn)
	}
	if f := c.funcs[sym]; f != nil {
		return f
	}
	return c.deps.fn(sym)
}

// capturedFunc finds the closure behind a captured function variable, if it is
// known where the surrounding closure is made.
func (c *compiler) capturedFunc(fn *ssa.Function, i int) (*lockobj.Func, []lockobj.Arg) {
	parent := fn.Parent()
	if parent == nil {
		return nil, nil
	}
	for _, b := range parent.Blocks {
		for _, instr := range b.Instrs {
			mc, ok := instr.(*ssa.MakeClosure)
			if !ok || mc.Fn != fn || i >= len(mc.Bindings) {
				continue
			}
			pp := c.pather(parent)
			inner := pp.madeClosure(mc.Bindings[i])
			if a, ok := mc.Bindings[i].(*ssa.Alloc); ok {
				if s := pp.single(a); s != nil {
					inner = pp.madeClosure(s)
				}
			}
			if inner == nil {
				return nil, nil
			}
			// Name what the inner closure captured by what fn captured too.
			var binds []lockobj.Arg
			for _, ib := range inner.Bindings {
				var a lockobj.Arg
				for j, ob := range mc.Bindings {
					if ob == ib {
						a.Path = lockobj.Path(fmt.Sprintf("f%d", j))
						a.Class = pp.classOf(ib, 0)
					}
				}
				binds = append(binds, a)
			}
			return c.compile(inner.Fn.(*ssa.Function)), binds
		}
	}
	return nil, nil
}

// normal rewrites a path by what is proven of back-pointers.
func (c *compiler) normal(p lockobj.Path) lockobj.Path {
	return lockobj.Normal(p, c.backs)
}

// depIndex finds functions and types in the objects of dependencies.
type depIndex struct {
	funcs map[string]*lockobj.Func
	pkgs  map[string]bool
	// methods are those of the types that dependencies convert to an
	// interface, by the interface.
	methods map[string][]lockobj.Method
}

func newDepIndex(pkgs []*lockobj.Package) *depIndex {
	d := &depIndex{funcs: map[string]*lockobj.Func{}, pkgs: map[string]bool{}, methods: map[string][]lockobj.Method{}}
	types := map[string]lockobj.Type{}
	for _, p := range pkgs {
		for _, t := range p.Types {
			types[t.Name] = t
		}
	}
	for _, p := range pkgs {
		d.pkgs[p.Path] = true
		for _, f := range p.Funcs {
			if _, ok := d.funcs[f.Sym]; !ok {
				d.funcs[f.Sym] = f
			}
		}
		for _, cv := range p.Convs {
			if t, ok := types[cv.From]; ok && !cv.Iface {
				d.methods[cv.To] = append(d.methods[cv.To], t.Methods...)
			}
		}
	}
	return d
}

func (d *depIndex) fn(sym string) *lockobj.Func { return d.funcs[sym] }

func (d *depIndex) has(path string) bool { return d.pkgs[path] }
