// Package link combines lock objects: it resolves calls, computes what each
// function may acquire and what it surely holds, and draws the edges of the
// lock graph.
//
// In go the objects of one package and its dependencies, or of a whole
// program; out come findings with both paths. It reads no source.
package link

import (
	"slices"
	"sort"
	"strings"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lockgraph"
	"github.com/lockvet/lockvet/internal/lockobj"
)

// Options of a link.
type Options struct {
	// Own is the import path of the package that findings are for, as under
	// go vet; "" for a whole program.
	Own string
	// Roots are the packages that were named, for a whole program: a finding
	// must touch one of them. Empty means the whole objects.
	Roots []string
}

// A Result is what a link finds.
type Result struct {
	Findings []finding.Finding
	Handoffs []finding.Handoff
	Stats    map[string]int64
	// Limits names each bound that was hit.
	Limits []string
	// Places gives, for a finding of which no step lies in the package at
	// hand, the package of its first edge, by ID.
	Places map[string]string
}

// node is a function in the program.
type node struct {
	*lockobj.Func
	pkg     string
	entries []*entry
	index   map[entryKey][]int // entries by key
	byClass bool               // too many entries: paths were dropped
	waits   []*entry           // what it may wait for
	waitAt  map[waitKey]int    // waits by what makes them one
	targets [][]target         // per event
	must    []lockgraph.Gate
	own     []lockgraph.Gate // must, where the receiver is no fresh object
	mustTop bool             // not reached yet
	callers int
}

// target is one function that an event may call.
type target struct {
	fn    *node
	args  []lockobj.Arg
	bind  []lockobj.Arg
	iface string   // interface method it was dispatched through
	multi bool     // one of several
	maybe bool     // an optional callback
	many  bool     // one of so many that it is a guess
	types []string // with which the interface leads here
}

type linker struct {
	opts    Options
	pkgs    []*lockobj.Package
	nodes   []*node
	funcs   map[string]*node
	types   map[string]lockobj.Type
	typeOf  map[string][]string // concrete types by interface
	impls   map[string][]impl
	stores  map[string][]boundStore
	backs   []lockobj.BackPtr
	closure map[string]map[string]bool // package -> what its object carries
	roots   map[string]bool
	names   map[string]string // package names by import path
	graph   *lockgraph.Graph
	res     *Result
	given   map[string]bool // functions passed as arguments
	program map[string]bool // classes acquired outside tests
	// dispatch has the methods that interfaces may lead to.
	dispatch map[string]bool
	imports  map[string]string
	same     []*sameClass
	events   *eventSet
	held     []*heldWait
	// relevant are the classes that may be part of a finding.
	relevant map[string]bool
}

// Link combines the objects. Several objects of one import path count as the
// most complete of them.
func Link(pkgs []*lockobj.Package, opts Options) *Result {
	l := newLinker(pkgs, opts)
	l.load()
	l.resolve()
	l.findRelevant()
	l.acquires()
	l.surelyHeld()
	l.edges()
	l.waitsHeld()
	l.report()
	l.stat()
	return l.res
}

func newLinker(pkgs []*lockobj.Package, opts Options) *linker {
	return &linker{
		opts:   opts,
		pkgs:   lockobj.Merge(pkgs),
		funcs:  map[string]*node{},
		types:  map[string]lockobj.Type{},
		typeOf: map[string][]string{},
		impls:  map[string][]impl{},
		stores: map[string][]boundStore{},
		roots:  map[string]bool{},
		names:  map[string]string{},
		graph:  lockgraph.New(),
		res:    &Result{Stats: map[string]int64{}},
	}
}

// load indexes the objects.
func (l *linker) load() {
	for _, r := range l.opts.Roots {
		l.roots[r] = true
	}
	for _, p := range l.pkgs {
		l.names[p.Path] = p.Name
	}
	for _, p := range l.pkgs {
		if len(l.opts.Roots) == 0 && p.Whole && l.opts.Own == "" {
			l.roots[p.Path] = true
		}
		l.backs = append(l.backs, p.BackPtrs...)
		for _, lim := range p.Limits {
			l.res.Limits = append(l.res.Limits, lim)
		}
		for _, f := range p.Funcs {
			if l.funcs[f.Sym] != nil {
				continue
			}
			n := &node{Func: f, pkg: p.Path, index: map[entryKey][]int{}}
			l.funcs[f.Sym] = n
			l.nodes = append(l.nodes, n)
			for _, h := range f.Handoffs {
				l.res.Handoffs = append(l.res.Handoffs, finding.Handoff{
					Class: l.short(h.Lock.Class),
					Steps: []finding.Step{{Pos: position(h.Pos), Func: f.Name, What: "hands " + l.short(h.Lock.Class) + " to " + h.To}},
				})
			}
			for _, e := range f.Events {
				if e.Kind == lockobj.Acquire && e.Lock.Mode == lockobj.Write && e.Lock.Class != "" {
					l.graph.Writer(e.Lock.Class)
				}
			}
		}
		for _, t := range p.Types {
			if _, ok := l.types[t.Name]; !ok {
				l.types[t.Name] = t
			}
		}
	}
	if l.opts.Own != "" {
		l.roots[l.opts.Own] = true
	}
	sort.Slice(l.nodes, func(i, j int) bool { return l.nodes[i].Sym < l.nodes[j].Sym })
}

func (l *linker) stat() {
	s := l.res.Stats
	s["packages"] = int64(len(l.pkgs))
	s["functions"] = int64(len(l.nodes))
	s["edges"] = int64(len(l.graph.Edges()))
	for _, p := range l.pkgs {
		s["largest fact in bytes"] = max(s["largest fact in bytes"], int64(p.FactSize))
		s["packages left out of a fact"] = max(s["packages left out of a fact"], int64(p.FactLeft))
	}
	classes := map[string]bool{}
	for _, e := range l.graph.Edges() {
		classes[e.From], classes[e.To] = true, true
	}
	s["classes"] = int64(len(classes))
	if l.graph.Dropped > 0 {
		s["witnesses dropped"] = int64(l.graph.Dropped)
	}
	sort.Strings(l.res.Limits)
	l.res.Limits = slices.Compact(l.res.Limits)
	sort.Slice(l.res.Handoffs, func(i, j int) bool {
		a, b := l.res.Handoffs[i], l.res.Handoffs[j]
		return a.Class+a.Steps[0].Pos.String() < b.Class+b.Steps[0].Pos.String()
	})
}

// short returns a class as it is shown: with its package's name instead of the
// import path.
func (l *linker) short(class string) string {
	slash := strings.LastIndexByte(head(class), '/')
	for i := slash + 1; i < len(class); i++ {
		if class[i] == '.' {
			if name := l.names[class[:i]]; name != "" {
				return name + class[i:]
			}
		}
	}
	return class[slash+1:]
}

// head is the part of a class before any type arguments.
func head(class string) string {
	if i := strings.IndexByte(class, '['); i >= 0 {
		return class[:i]
	}
	return class
}

func position(p lockobj.Pos) finding.Position {
	return finding.Position{File: p.File, Line: p.Line, Col: p.Col}
}
