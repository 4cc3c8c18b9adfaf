package link

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lockgraph"
	"github.com/lockvet/lockvet/internal/lockobj"
)

// report turns cycles and same-class acquisitions into findings.
func (l *linker) report() {
	var fs []finding.Finding
	declared := l.declared()
	fs = append(fs, declared...)
	l.graph.Drop(l.implied)
	for _, c := range l.graph.Cycles() {
		if f, ok := l.inversion(c); ok && !covered(f, declared) {
			fs = append(fs, f)
		}
	}
	fs = append(fs, l.sameClasses()...)
	fs = append(fs, l.problems()...)
	fs = append(fs, l.heldWaits()...)
	l.res.Findings = finding.Sort(fs)
}

// implied reports whether the goroutine of an edge holds the second lock
// already: who does that is reported as recursive, and no cycle adds to it.
func (l *linker) implied(e *lockgraph.Edge) bool {
	w := e.Data.(*witness)
	return slices.ContainsFunc(l.same, func(s *sameClass) bool {
		return s.category == "recursive" && s.h.Class == e.To && (s.n == w.n || s.n == w.giver) && s.e.last().ev == w.e.last().ev
	})
}

// covered reports whether a declared order already accounts for the cycle.
func covered(f finding.Finding, declared []finding.Finding) bool {
	for _, d := range declared {
		all := true
		for _, c := range d.Classes {
			all = all && slices.Contains(f.Classes, c)
		}
		if all {
			return true
		}
	}
	return false
}

// inversion makes the finding of a cycle; not ok if it belongs to another
// package's report.
func (l *linker) inversion(c lockgraph.Cycle) (finding.Finding, bool) {
	es := slices.Clone(c.Edges)
	first := 0
	for i, e := range es {
		if l.short(e.From) < l.short(es[first].From) {
			first = i
		}
	}
	es = append(es[first:], es[:first]...)
	f := finding.Finding{Analyzer: "lockorder", Category: "inversion"}
	var pkgs []string
	for _, e := range es {
		f.Classes = append(f.Classes, l.short(e.From))
		fe, ps := l.edgeOf(e)
		f.Edges = append(f.Edges, fe)
		pkgs = append(pkgs, ps...)
	}
	if !l.mine(pkgs) {
		return f, false
	}
	main := 0
	if i := slices.IndexFunc(es, func(e *lockgraph.Edge) bool { return l.roots[e.Data.(*witness).n.pkg] }); i >= 0 {
		main = i
	} else if i := slices.IndexFunc(es, func(e *lockgraph.Edge) bool { return l.place(e.Data.(*witness)).Line > 0 }); i >= 0 {
		main = i
	}
	w := es[main].Data.(*witness)
	f.Pos = l.placed(w)
	if len(es) == 2 {
		other := es[1-main].Data.(*witness)
		f.Message = fmt.Sprintf("lock order inversion: %s acquired while %s is held, but %s acquires them in the opposite order",
			l.short(es[main].To), l.short(es[main].From), position(other.at()))
		f.Edges[0], f.Edges[main] = f.Edges[main], f.Edges[0]
	} else {
		f.Message = fmt.Sprintf("lock order inversion: %s -> %s is a ring of %d locks", strings.Join(f.Classes, " -> "), f.Classes[0], len(es))
	}
	f.ID = finding.ID("lockorder", "inversion", f.Classes)
	if f.Pos.Line == 0 {
		if l.res.Places == nil {
			l.res.Places = map[string]string{}
		}
		l.res.Places[f.ID] = w.n.pkg
	}
	return f, true
}

// placed is where a finding is shown. Under vet it is no place at all if
// nothing of it lies in the package at hand.
func (l *linker) placed(w *witness) finding.Position {
	p := l.place(w)
	if p.Line == 0 && l.opts.Own == "" {
		return position(w.at())
	}
	return p
}

// place is the point in the function that holds the lock, or, where that is not
// in a package which is checked, the first step that is: there the reader can
// act. The zero Position if no step is.
func (l *linker) place(w *witness) finding.Position {
	if l.roots[w.n.pkg] {
		return position(w.at())
	}
	for _, e := range []*entry{w.way, w.e} {
		if p, ok := l.stepIn(e); ok {
			return position(p)
		}
	}
	if w.giver != nil && l.roots[w.giver.pkg] {
		return position(w.given.Pos)
	}
	return finding.Position{}
}

func (l *linker) stepIn(e *entry) (lockobj.Pos, bool) {
	if e == nil {
		return lockobj.Pos{}, false
	}
	if l.roots[e.fn.pkg] {
		return e.ev.Pos, true
	}
	if p, ok := l.stepIn(e.sub); ok {
		return p, true
	}
	return l.stepIn(e.then)
}

// mine reports whether a finding whose steps lie in the given packages is for
// this link to report.
func (l *linker) mine(pkgs []string) bool {
	for _, p := range pkgs {
		if l.roots[p] {
			return true
		}
	}
	if l.opts.Own == "" {
		return false
	}
	// Nothing of it lies here. Whoever imports all the packages sees it; it
	// is ours if none of our dependencies does.
	for _, p := range l.pkgs {
		if p.Path == l.opts.Own {
			continue
		}
		all := true
		for _, q := range pkgs {
			all = all && (p.Path == q || l.reaches(p.Path)[q])
		}
		if all {
			return false
		}
	}
	return true
}

// reaches returns the packages that a package imports, directly or not.
func (l *linker) reaches(path string) map[string]bool {
	if l.closure == nil {
		l.closure = map[string]map[string]bool{}
	}
	if r, ok := l.closure[path]; ok {
		return r
	}
	r := map[string]bool{}
	l.closure[path] = r
	i, ok := slices.BinarySearchFunc(l.pkgs, path, func(p *lockobj.Package, s string) int { return strings.Compare(p.Path, s) })
	if !ok {
		return r
	}
	for _, imp := range l.pkgs[i].Imports {
		r[imp] = true
		for q := range l.reaches(imp) {
			r[q] = true
		}
	}
	return r
}

// edgeOf writes an edge with its steps, and the packages these lie in.
func (l *linker) edgeOf(e *lockgraph.Edge) (finding.Edge, []string) {
	w := e.Data.(*witness)
	return l.written(w)
}

func (l *linker) written(w *witness) (finding.Edge, []string) {
	to := w.acquired()
	fe := finding.Edge{
		From: l.short(w.h.Class), To: l.short(to.Class),
		Mode: w.h.Mode.String() + "->" + to.Mode.String(),
	}
	what := verb(w.h.Mode) + " " + l.short(w.h.Class)
	if w.h.In != "" {
		what = "calls " + w.h.In + ", which " + what
	}
	if w.h.Try {
		what = "try-" + what
	}
	holder := w.n
	if w.starter != nil {
		holder = w.starter
		what += " and hands it to " + w.n.Name
	}
	fe.Steps = append(fe.Steps, finding.Step{Pos: position(w.h.Pos), Func: holder.Name, What: what})
	pkgs := []string{w.n.pkg}
	sw := &stepWriter{l: l, class: l.short(to.Class), mode: to.Mode, edge: &fe, pkgs: &pkgs}
	if w.way != nil {
		sw.given = fmt.Sprintf("calls the function that %s gives it at %s", w.giver.Name, position(w.given.Pos))
		pkgs = append(pkgs, w.giver.pkg)
		sw.steps(w.way)
		sw.rest(w.e)
	} else {
		sw.steps(w.e)
	}
	return fe, pkgs
}

func verb(m lockobj.Mode) string {
	if m == lockobj.Read {
		return "read-acquires"
	}
	return "acquires"
}

// stepWriter writes the way to an acquisition.
type stepWriter struct {
	l     *linker
	class string
	mode  lockobj.Mode
	given string // what a call of a function argument says
	end   string // what the last step says, of a wait
	edge  *finding.Edge
	pkgs  *[]string
}

// steps writes an entry's own step and those below it.
func (s *stepWriter) steps(e *entry) {
	if e.fn.Wrapper {
		s.rest(e)
		return
	}
	*s.pkgs = append(*s.pkgs, e.fn.pkg)
	step := finding.Step{Pos: position(e.ev.Pos), Func: e.fn.Name}
	switch {
	case e.ev.Kind == lockobj.Wait:
		step.What = s.end
	case e.ev.Kind == lockobj.Acquire:
		step.What = verb(s.mode) + " " + s.class
	case e.sub == nil && s.given != "":
		step.What = s.given
	case e.sub == nil:
		step.What = "calls the function it was given"
	default:
		step.What = "calls " + e.to.Name
		switch e.ev.Callee.Kind {
		case lockobj.Interface:
			i := strings.IndexByte(e.ev.Callee.Method, '/')
			step.What += " through " + s.l.short(e.ev.Callee.Iface) + "." + e.ev.Callee.Method[:max(i, 0)]
		case lockobj.StoredFunc:
			step.What += " through " + s.l.short(e.ev.Callee.Sym)
		}
	}
	s.edge.Steps = append(s.edge.Steps, step)
	s.rest(e)
}

// rest writes what follows an entry's own step.
func (s *stepWriter) rest(e *entry) {
	if e.sub != nil {
		s.steps(e.sub)
	}
	if e.then != nil {
		s.rest(e.then)
	}
}

// sameClasses makes the findings of category recursive and nesting: one for
// each class and function that holds it.
func (l *linker) sameClasses() []finding.Finding {
	sort.SliceStable(l.same, func(i, j int) bool {
		a, b := l.same[i], l.same[j]
		return cmp.Or(
			cmp.Compare(a.category, b.category),
			cmp.Compare(a.h.Class, b.h.Class),
			cmp.Compare(a.n.Sym, b.n.Sym),
			cmp.Compare(a.e.depth, b.e.depth),
			cmp.Compare(a.at().File, b.at().File),
			cmp.Compare(a.at().Line, b.at().Line),
			cmp.Compare(a.at().Col, b.at().Col),
			cmp.Compare(a.n.Sym, b.n.Sym),
		) < 0
	})
	var out []finding.Finding
	last := ""
	for _, s := range l.same {
		key := s.category + s.h.Class + "\x00" + s.n.Sym
		if key == last {
			continue
		}
		if s.category == "nesting" && l.nested(s.e) {
			continue
		}
		fe, pkgs := l.written(&s.witness)
		if !l.mine(pkgs) {
			continue
		}
		last = key
		class := l.short(s.h.Class)
		f := finding.Finding{
			Analyzer: "lockorder", Category: s.category,
			Pos: l.placed(&s.witness), Classes: []string{class}, Edges: []finding.Edge{fe},
			ID: finding.ID("lockorder", s.category, []string{class}, s.n.pkg+" "+s.n.Name),
		}
		at := position(s.h.Pos)
		switch {
		case s.category == "nesting":
			f.Message = fmt.Sprintf("nested locks of one class: %s acquired while another %s is held, and nothing orders the two", class, class)
		case s.h.Mode == lockobj.Read && s.e.lock.Mode == lockobj.Read:
			f.Message = fmt.Sprintf("recursive read lock: %s is already read-held by this goroutine, acquired at %s, and a writer waiting between the two deadlocks both", class, at)
		case s.h.Mode == lockobj.Read:
			f.Message = fmt.Sprintf("lock upgrade: %s is write-locked while read-held by this goroutine, acquired at %s", class, at)
		default:
			f.Message = fmt.Sprintf("recursive lock: %s is already held by this goroutine, acquired at %s", class, at)
		}
		out = append(out, f)
	}
	return out
}

// nested reports whether a directive says that a nesting is ordered.
func (l *linker) nested(e *entry) bool {
	for x := e; x != nil; x = x.sub {
		for _, d := range l.directives(directive.Nested) {
			if d.Covers(x.ev.Pos.File, x.ev.Pos.Line) {
				return true
			}
		}
	}
	return false
}

// directives returns the directives of one kind, in order of packages.
func (l *linker) directives(kind directive.Kind) []directive.Directive {
	var out []directive.Directive
	for _, p := range l.pkgs {
		for _, d := range p.Directives {
			if d.Kind == kind {
				out = append(out, d)
			}
		}
	}
	return out
}

// declared checks the orders that //lockvet:order declares.
func (l *linker) declared() []finding.Finding {
	var out []finding.Finding
	for _, d := range l.directives(directive.Order) {
		for i := range d.Args {
			for j := i + 1; j < len(d.Args); j++ {
				for _, e := range l.graph.Edges() {
					if !l.called(d.Args[j], e.From) || !l.called(d.Args[i], e.To) {
						continue
					}
					fe, pkgs := l.edgeOf(e)
					if !l.mine(pkgs) {
						continue
					}
					w := e.Data.(*witness)
					out = append(out, finding.Finding{
						ID:       finding.ID("lockorder", "declared", []string{l.short(e.From), l.short(e.To)}),
						Analyzer: "lockorder", Category: "declared",
						Message: fmt.Sprintf("declared lock order violated: %s acquired while %s is held, but %s:%d declares %s < %s",
							l.short(e.To), l.short(e.From), d.File, d.Pos.Line, l.short(e.To), l.short(e.From)),
						Pos:     l.placed(w),
						Classes: []string{l.short(e.From), l.short(e.To)},
						Edges:   []finding.Edge{fe},
					})
					break
				}
			}
		}
	}
	return out
}

// called reports whether a class name of a directive, which may lack the
// package, means the class.
func (l *linker) called(name, class string) bool {
	return name == class || name == l.short(class) || strings.HasSuffix(class, "."+name)
}
