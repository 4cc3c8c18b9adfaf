package compile

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// This file finds locks that a return leaves held while other paths of the
// function release them, and releases of what cannot be held. Both are decided
// within one function, so only where it is sure of its pairing.

// tally counts, for one instruction, the disjuncts in which a release is wrong
// and those in which it is right.
type tally struct {
	bad, good int
	lock      lockobj.Lock
	at        token.Pos
}

// noteRelease judges a release: right if the lock is held, or may be the
// caller's; wrong if this path has released it before, or holds it in the
// other mode.
func (f *flow) noteRelease(pos token.Pos, l lockobj.Lock, wrong bool, at token.Pos) {
	if !f.recording {
		return
	}
	if f.releases == nil {
		f.releases = map[token.Pos]*tally{}
	}
	t := f.releases[pos]
	if t == nil {
		t = &tally{lock: l, at: at}
		f.releases[pos] = t
	}
	if wrong {
		t.bad++
	} else {
		t.good++
	}
}

// wrongReleases reports the releases that no path makes right.
func (f *flow) wrongReleases() {
	poss := make([]token.Pos, 0, len(f.releases))
	for p := range f.releases {
		poss = append(poss, p)
	}
	slices.Sort(poss)
	for _, p := range poss {
		if t := f.releases[p]; t.good == 0 && t.bad > 0 && !f.limited && !f.folded {
			f.problem("unlock", t.lock, p, t.at, nil)
		}
	}
}

// leaked finds the locks that some returns leave held and others have
// released, reports them, and returns their acquisitions: those are mistakes,
// not effects that callers should count on.
func (f *flow) leaked() map[token.Pos]bool {
	out := map[token.Pos]bool{}
	if f.limited || f.folded {
		return out
	}
	type place struct {
		pos  token.Pos
		lock heldLock
		edit []lockobj.Edit
	}
	var places []place
	for _, x := range f.exits {
		for _, h := range x.st.held {
			if !f.leakable(h) || f.handedOut(h, x) {
				continue
			}
			verdict, shared := f.compare(h, x)
			if !verdict {
				continue
			}
			pos := x.ret.Pos()
			if shared {
				if pos = f.jumpAfter(h.pos, token.GOTO); !pos.IsValid() {
					continue
				}
			}
			if !pos.IsValid() {
				pos = f.end()
			}
			places = append(places, place{pos: pos, lock: h, edit: f.unlockBefore(h, x.ret)})
		}
	}
	for _, b := range f.loopLeaks {
		places = append(places, place{pos: b.pos, lock: b.lock})
	}
	slices.SortFunc(places, func(a, b place) int { return int(a.pos - b.pos) })
	// A defer mends every leak of an acquisition; it must not meet unlocks
	// that mend some of them.
	for _, p := range places {
		if p.edit != nil {
			continue
		}
		if edit := f.deferUnlock(p.lock); edit != nil {
			for j := range places {
				if places[j].lock.pos == p.lock.pos {
					places[j].edit = edit
				}
			}
		}
	}
	last := token.NoPos
	for _, p := range places {
		out[p.lock.pos] = true
		if p.pos != last {
			f.problem("leak", p.lock.lock(), p.pos, p.lock.pos, p.edit)
		}
		last = p.pos
	}
	return out
}

// leakable reports whether a held lock is known well enough to accuse: taken
// here by Lock itself, of a path that is one instance.
func (f *flow) leakable(h heldLock) bool {
	return h.class != "" && h.in == "" && !h.maybe && !h.fresh && h.pos.IsValid() && h.path.Proven() && !h.path.Local() && !strings.Contains(string(h.path), "[")
}

// handedOut reports whether a return hands a lock to its caller: with the
// object that has it, or with a function that releases it.
func (f *flow) handedOut(h heldLock, x exit) bool {
	if root, _ := f.outside(h.path, x).Split(); strings.HasPrefix(root, "r") {
		return true
	}
	return f.releasedByClosure(h)
}

// releasedByClosure reports whether a closure or method value made here, and
// not only called here, releases the lock.
func (f *flow) releasedByClosure(h heldLock) bool {
	for _, b := range f.fn.Blocks {
		for _, instr := range b.Instrs {
			mc, ok := instr.(*ssa.MakeClosure)
			if !ok || onlyCalled(mc) {
				continue
			}
			callee := f.c.callee(mc.Fn.(*ssa.Function))
			if callee == nil {
				continue
			}
			for _, nc := range callee.Net {
				for _, r := range slices.Concat(nc.Releases, nc.Drops) {
					l := f.translate(r, nil, mc.Bindings)
					if sameLock(l.Class, l.Path, h.class, h.path) || l.Class == h.class {
						return true
					}
				}
			}
		}
	}
	return false
}

// onlyCalled reports whether a closure is called or deferred where it is made
// and used for nothing else.
func onlyCalled(mc *ssa.MakeClosure) bool {
	if mc.Referrers() == nil {
		return true
	}
	for _, ref := range *mc.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Defer:
			if ref.Call.Value != mc {
				return false
			}
		case *ssa.Call:
			if ref.Call.Value != mc {
				return false
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// compare judges a return that holds a lock by the returns that do not: a leak
// if some path has released the same acquisition, and the function does not
// tell by a good result that the lock is held. Shared is true if the very
// return also comes without the lock.
func (f *flow) compare(h heldLock, x exit) (leak, shared bool) {
	released, excused := false, true
	for _, o := range f.exits {
		if slices.ContainsFunc(o.st.held, func(g heldLock) bool { return sameLock(g.class, g.path, h.class, h.path) }) {
			continue
		}
		if _, ok := o.st.spent.m[h.path]; !ok {
			continue // never acquired on that path
		}
		released = true
		if o.ret == x.ret {
			shared = true
		}
		if !(f.outcome(x) > 0 && f.outcome(o) < 0) {
			excused = false
		}
	}
	return released && !excused, shared
}

// outcome says whether a return reports success (1), failure (-1) or nothing:
// by its error, or by its bool.
func (f *flow) outcome(x exit) int {
	for _, r := range x.ret.Results {
		if isError(r.Type()) {
			switch f.nilness(x.st, r) {
			case isNil:
				return 1
			case notNil:
				return -1
			}
		}
	}
	for _, r := range x.ret.Results {
		if isBool(r.Type()) {
			key, neg, val := f.condKey(r)
			v, ok := x.st.cond(key)
			switch {
			case val != nil && *val, val == nil && ok && v != neg:
				return 1
			case val != nil, ok:
				return -1
			}
		}
	}
	return 0
}

func isError(t types.Type) bool {
	n := named(t)
	return n != nil && n.Obj().Pkg() == nil && n.Obj().Name() == "error"
}

// loopLeak is a lock that a way back to a loop's head leaves held, though the
// loop was entered without it and acquires it.
type loopLeak struct {
	pos  token.Pos
	lock heldLock
}

// noteLoop looks at an edge back to a loop's head, for locks acquired inside the
// loop that are still held.
func (f *flow) noteLoop(from, head *ssa.BasicBlock, st *state) {
	if !f.recording || !head.Dominates(from) {
		return
	}
	for _, h := range st.held {
		b := f.acquiredIn[h.pos]
		if b == nil || !head.Dominates(b) || !f.leakable(h) {
			continue
		}
		free := slices.ContainsFunc(f.in[head], func(s *state) bool { return s.find(h.lock(), h.mode) < 0 })
		pos := f.jumpAfter(lastPos(from), token.CONTINUE)
		if free && pos.IsValid() && !slices.ContainsFunc(f.loopLeaks, func(l loopLeak) bool { return l.pos == pos }) {
			f.loopLeaks = append(f.loopLeaks, loopLeak{pos, h})
		}
	}
}

// lastPos is the position of the last instruction of a block that has one.
func lastPos(b *ssa.BasicBlock) token.Pos {
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		if br, ok := b.Instrs[i].(*ssa.If); ok && br.Cond.Pos().IsValid() {
			return br.Cond.Pos()
		}
		if p := b.Instrs[i].Pos(); p.IsValid() {
			return p
		}
	}
	return token.NoPos
}

// jumpAfter finds the first jump of a kind in the function's source after a
// position.
func (f *flow) jumpAfter(after token.Pos, kind token.Token) token.Pos {
	found := token.NoPos
	if f.fn.Syntax() == nil || !after.IsValid() {
		return found
	}
	ast.Inspect(f.fn.Syntax(), func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == kind && b.Pos() > after && (!found.IsValid() || b.Pos() < found) {
			found = b.Pos()
		}
		return true
	})
	return found
}

// end is the closing brace of the function.
func (f *flow) end() token.Pos {
	switch s := f.fn.Syntax().(type) {
	case *ast.FuncDecl:
		if s.Body != nil {
			return s.Body.Rbrace
		}
	case *ast.FuncLit:
		return s.Body.Rbrace
	}
	return f.fn.Pos()
}

// unlockBefore is the edit that releases a lock before a return, where that is
// safe: the lock is written as a chain of names, and the results are names and
// constants, which mean the same without the lock.
func (f *flow) unlockBefore(h heldLock, ret *ssa.Return) []lockobj.Edit {
	syntax := f.fn.Syntax()
	if syntax == nil || !ret.Pos().IsValid() {
		return nil
	}
	var recv string
	var stmt *ast.ReturnStmt
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if n.Pos() == h.pos || n.Lparen == h.pos {
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
					recv = nameChain(sel.X)
				}
			}
		case *ast.ReturnStmt:
			if n.Pos() == ret.Pos() {
				stmt = n
			}
		}
		return true
	})
	if recv == "" || stmt == nil {
		return nil
	}
	for _, r := range stmt.Results {
		if _, ok := r.(*ast.BasicLit); !ok && !isName(r) {
			return nil
		}
	}
	unlock := "Unlock"
	if h.mode == lockobj.Read {
		unlock = "RUnlock"
	}
	p := f.c.fset.Position(stmt.Pos())
	return []lockobj.Edit{{
		File: p.Filename, Start: p.Offset, End: p.Offset,
		New: recv + "." + unlock + "()\n" + strings.Repeat("\t", f.indent(stmt)),
	}}
}

// deferUnlock is the edit that turns the only release of a lock into a defer,
// where that is safe: both are statements of the function's own body, and
// after the release comes nothing but a return that calls nobody, so that
// nothing runs with the lock held that did not before.
func (f *flow) deferUnlock(h heldLock) []lockobj.Edit {
	var body *ast.BlockStmt
	switch s := f.fn.Syntax().(type) {
	case *ast.FuncDecl:
		body = s.Body
	case *ast.FuncLit:
		body = s.Body
	}
	if body == nil {
		return nil
	}
	lock, recv := -1, ""
	for i, s := range body.List {
		if call, sel := callStmt(s); sel != nil && (call.Pos() == h.pos || call.Lparen == h.pos) {
			lock, recv = i, nameChain(sel.X)
		}
	}
	if recv == "" {
		return nil
	}
	acquire, release := "Lock", "Unlock"
	if h.mode == lockobj.Read {
		acquire, release = "RLock", "RUnlock"
	}
	counts := map[string]int{}
	plain := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			plain = false
		case *ast.SelectorExpr:
			if nameChain(n.X) == recv {
				counts[n.Sel.Name]++
			}
		}
		return true
	})
	if !plain || counts[acquire] != 1 || counts[release] != 1 {
		return nil
	}
	for i := lock + 1; i < len(body.List); i++ {
		_, sel := callStmt(body.List[i])
		if sel == nil || sel.Sel.Name != release || nameChain(sel.X) != recv {
			continue
		}
		rest := body.List[i+1:]
		if len(rest) > 1 || len(rest) == 1 && !quietReturn(rest[0]) {
			return nil
		}
		return f.moveToDefer(body.List[lock], body.List[i], recv+"."+release+"()")
	}
	return nil
}

// moveToDefer is the edit that defers a call behind one statement and takes
// away another, which has its line for itself; nil if it has not.
func (f *flow) moveToDefer(lock, unlock ast.Stmt, call string) []lockobj.Edit {
	file := f.c.fset.File(unlock.Pos())
	line := file.Line(unlock.Pos())
	start := file.LineStart(line)
	if line == file.LineCount() || file.LineStart(line+1) != unlock.End()+1 || int(unlock.Pos()-start) != f.indent(unlock) || file.Line(lock.End()) == line {
		return nil
	}
	at := file.Offset(lock.End())
	return []lockobj.Edit{
		{File: file.Name(), Start: at, End: at, New: "\n" + strings.Repeat("\t", f.indent(lock)) + "defer " + call},
		{File: file.Name(), Start: file.Offset(start), End: file.Offset(unlock.End() + 1)},
	}
}

// callStmt returns the parts of a statement that calls a method.
func callStmt(s ast.Stmt) (*ast.CallExpr, *ast.SelectorExpr) {
	if es, ok := s.(*ast.ExprStmt); ok {
		if call, ok := es.X.(*ast.CallExpr); ok {
			sel, _ := call.Fun.(*ast.SelectorExpr)
			return call, sel
		}
	}
	return nil, nil
}

// quietReturn reports whether a statement is a return that neither calls nor
// waits.
func quietReturn(s ast.Stmt) bool {
	ret, ok := s.(*ast.ReturnStmt)
	if !ok {
		return false
	}
	quiet := true
	ast.Inspect(ret, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			quiet = false
		case *ast.UnaryExpr:
			quiet = quiet && n.Op != token.ARROW
		}
		return quiet
	})
	return quiet
}

// indent is the number of tabs that gofmt puts before a statement.
func (f *flow) indent(stmt ast.Stmt) int {
	return max(f.c.fset.Position(stmt.Pos()).Column-1, 0)
}

func isName(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
}

// nameChain writes a selector expression made of names alone, "" if it is not
// one.
func nameChain(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x := nameChain(e.X); x != "" {
			return x + "." + e.Sel.Name
		}
	}
	return ""
}
