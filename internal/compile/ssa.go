package compile

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// A source is the SSA form of a package.
type source struct {
	pkg *ssa.Package
	// funcs are the functions of the package, closures included.
	funcs []*ssa.Function
	// left are tests without SSA, see idleTests.
	left []*ast.FuncDecl
	// ends are the functions that never return.
	ends []string
}

// buildSSA builds the SSA form of the pass's package, as buildssa does, with
// two differences that save a third of the time and memory on large packages:
// which functions never return is told by their syntax and the objects of
// dependencies instead of a control-flow graph of every function, and tests
// that can do nothing with locks but call are left out.
func buildSSA(pass *analysis.Pass, deps []*lockobj.Package) source {
	prog := ssa.NewProgram(pass.Fset, 0)
	ends := newNoReturns(pass, deps)
	prog.SetNoReturn(ends.function)
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	left := idleTests(pass)
	files, info := without(left, pass.Files, pass.TypesInfo)
	src := source{pkg: prog.CreatePackage(pass.Pkg, files, info, false), left: left, ends: ends.own()}
	src.pkg.Build()
	if info != pass.TypesInfo {
		*info = types.Info{} // functions without a body would keep it
	}
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		src.funcs = append(src.funcs, fn)
		for _, inner := range fn.AnonFuncs {
			add(inner)
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok {
				if obj, ok := pass.TypesInfo.Defs[fd.Name].(*types.Func); ok {
					add(prog.FuncValue(obj))
				}
			}
		}
	}
	return src
}

// without returns the files with some functions' bodies left out. The files
// given belong to other analyzers too and stay as they are.
func without(left []*ast.FuncDecl, files []*ast.File, info *types.Info) ([]*ast.File, *types.Info) {
	if len(left) == 0 {
		return files, info
	}
	copied := *info
	copied.FileVersions = maps.Clone(info.FileVersions)
	out := slices.Clone(files)
	for i, f := range files {
		var decls []ast.Decl
		for j, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || !slices.Contains(left, fd) {
				continue
			}
			if decls == nil {
				decls = slices.Clone(f.Decls)
			}
			bare := *fd
			bare.Body = nil
			decls[j] = &bare
		}
		if decls != nil {
			g := *f
			g.Decls = decls
			out[i] = &g
			copied.FileVersions[&g] = info.FileVersions[f]
		}
	}
	return out, &copied
}

// idleTests lists the tests and benchmarks that neither acquire, wait, signal
// nor start a goroutine themselves. Nobody calls them, they call others with
// nothing held: that they call is all that there is to say of them. What is
// missed is a test that calls a function which returns with a lock held.
func idleTests(pass *analysis.Pass) []*ast.FuncDecl {
	var out []*ast.FuncDecl
	for _, f := range pass.Files {
		if !strings.HasSuffix(pass.Fset.Position(f.Package).Filename, "_test.go") {
			continue
		}
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if ok && fd.Recv == nil && fd.Body != nil && lockobj.IsTest(fd.Name.Name) && idle(pass.TypesInfo, fd.Body) {
				out = append(out, fd)
			}
		}
	}
	return out
}

// idle reports whether a body has no lock, channel or goroutine of its own, and
// no function literal but those that package testing calls at once.
func idle(info *types.Info, body *ast.BlockStmt) bool {
	is := true
	called := map[*ast.FuncLit]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt, *ast.ChanType:
			is = false
		case *ast.UnaryExpr:
			is = is && n.Op.String() != "<-"
		case *ast.FuncLit:
			is = is && called[n]
		case *ast.SelectorExpr:
			if fn, ok := info.Uses[n.Sel].(*types.Func); ok {
				is = is && !locksOrWaits(fn)
			}
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Run" && len(n.Args) == 2 {
				if fn, ok := info.Uses[sel.Sel].(*types.Func); ok && fn.Pkg() != nil && fn.Pkg().Path() == "testing" {
					if lit, ok := n.Args[1].(*ast.FuncLit); ok {
						called[lit] = true
					}
				}
			}
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "close" {
				is = false
			}
		}
		return is
	})
	return is
}

// locksOrWaits reports whether a function, by its name and package, may be an
// operation of a lock or of what goroutines wait for.
func locksOrWaits(fn *types.Func) bool {
	if _, ok := lockOps[fn.Name()]; ok {
		return true
	}
	if fn.Pkg() == nil {
		return false
	}
	switch fn.Name() {
	case "Do", "Wait", "Done", "Add", "Go", "Signal", "Broadcast", "Acquire", "Release":
		return !lockobj.IsStd(fn.Pkg().Path()) || fn.Pkg().Path() == "sync"
	}
	return false
}

// leftOut is what the object says of a test without SSA: whom it calls.
func (c *compiler) leftOut(fd *ast.FuncDecl) *lockobj.Func {
	obj := c.info.Defs[fd.Name].(*types.Func)
	out := &lockobj.Func{
		Sym: obj.FullName(), Name: fd.Name.Name, Pos: c.pos(fd.Name.Pos()),
		Params: obj.Signature().Params().Len(), Exported: true, Test: true,
	}
	seen := map[string]bool{}
	ast.Inspect(fd.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		fn, ok := c.info.Uses[id].(*types.Func)
		if !ok || fn.Pkg() == nil || lockobj.IsStd(fn.Pkg().Path()) {
			return true
		}
		ev := lockobj.Event{Kind: lockobj.Call, Pos: c.pos(id.Pos())}
		if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			return true
		}
		ev.Callee.Sym = fn.Origin().FullName()
		if !seen[ev.Callee.Sym] {
			seen[ev.Callee.Sym] = true
			out.Events = append(out.Events, ev)
		}
		return true
	})
	return out
}

// noReturns tells which functions never return to their callers: they end the
// program or the goroutine, panic, or loop for ever.
type noReturns struct {
	info  *types.Info
	decls map[*types.Func]*ast.FuncDecl
	memo  map[*types.Func]bool
	deps  map[string]bool
}

func newNoReturns(pass *analysis.Pass, deps []*lockobj.Package) *noReturns {
	n := &noReturns{info: pass.TypesInfo, decls: map[*types.Func]*ast.FuncDecl{}, memo: map[*types.Func]bool{}, deps: map[string]bool{}}
	for _, p := range deps {
		for _, sym := range p.NoReturn {
			n.deps[sym] = true
		}
	}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
				if fn, ok := pass.TypesInfo.Defs[fd.Name].(*types.Func); ok {
					n.decls[fn] = fd
				}
			}
		}
	}
	return n
}

// own lists the package's functions that never return.
func (n *noReturns) own() []string {
	var out []string
	for fn := range n.decls {
		if n.function(fn) {
			out = append(out, fn.FullName())
		}
	}
	slices.Sort(out)
	return out
}

func (n *noReturns) function(fn *types.Func) bool {
	fn = fn.Origin()
	if known, ok := n.memo[fn]; ok {
		return known
	}
	fd := n.decls[fn]
	if fd == nil {
		name := fn.FullName()
		return noReturnNames[name] || n.deps[name]
	}
	n.memo[fn] = false // a function that calls itself
	n.memo[fn] = !returns(fd.Body) && n.endless(fd.Body.List)
	return n.memo[fn]
}

// returns reports whether a body has a return statement of its own, or a
// deferred function that may recover.
func returns(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			found = found || x.Tok.String() == "goto"
		case *ast.DeferStmt:
			if lit, ok := x.Call.Fun.(*ast.FuncLit); ok {
				ast.Inspect(lit, func(y ast.Node) bool {
					id, ok := y.(*ast.Ident)
					found = found || ok && id.Name == "recover"
					return !found
				})
			}
		}
		return !found
	})
	return found
}

// endless reports whether control never comes to the end of a list of
// statements that has no return in it.
func (n *noReturns) endless(list []ast.Stmt) bool {
	return slices.ContainsFunc(list, func(s ast.Stmt) bool { return n.ends(s, "") })
}

func (n *noReturns) ends(s ast.Stmt, label string) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return n.endingCall(s.X)
	case *ast.BlockStmt:
		return n.endless(s.List)
	case *ast.LabeledStmt:
		return n.ends(s.Stmt, s.Label.Name)
	case *ast.IfStmt:
		return s.Else != nil && n.endless(s.Body.List) && n.ends(s.Else, "")
	case *ast.ForStmt:
		return s.Cond == nil && !breaks(s.Body, label)
	case *ast.SelectStmt:
		return !breaks(s.Body, label) && n.allEnd(s.Body.List)
	case *ast.SwitchStmt:
		return hasDefault(s.Body) && !breaks(s.Body, label) && n.allEnd(s.Body.List)
	case *ast.TypeSwitchStmt:
		return hasDefault(s.Body) && !breaks(s.Body, label) && n.allEnd(s.Body.List)
	}
	return false
}

// allEnd reports whether none of the clauses comes to its end.
func (n *noReturns) allEnd(clauses []ast.Stmt) bool {
	for _, c := range clauses {
		var body []ast.Stmt
		switch c := c.(type) {
		case *ast.CommClause:
			body = c.Body
		case *ast.CaseClause:
			body = c.Body
		}
		if !n.endless(body) {
			return false
		}
	}
	return true
}

func hasDefault(body *ast.BlockStmt) bool {
	return slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		c, ok := s.(*ast.CaseClause)
		return ok && c.List == nil
	})
}

// breaks reports whether a statement in the body of a loop, switch or select
// leaves it.
func breaks(body *ast.BlockStmt, label string) bool {
	found := false
	var walk func(n ast.Node, inner bool)
	walk = func(n ast.Node, inner bool) {
		ast.Inspect(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.FuncLit:
				return false
			case *ast.BranchStmt:
				if x.Tok.String() == "break" {
					found = found || x.Label == nil && !inner || x.Label != nil && x.Label.Name == label
				}
			case *ast.ForStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
				if x != n && !inner {
					walk(x, true)
					return false
				}
			}
			return true
		})
	}
	walk(body, false)
	return found
}

func (n *noReturns) endingCall(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return false
	}
	switch obj := n.info.Uses[id].(type) {
	case *types.Builtin:
		return obj.Name() == "panic"
	case *types.Func:
		return n.function(obj)
	}
	return false
}
