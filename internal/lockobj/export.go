package lockobj

import (
	"reflect"
	"slices"
	"sort"
	"strings"
)

// stdRoots are the first elements of the standard library's import paths.
var stdRoots = map[string]bool{}

func init() {
	for r := range strings.FieldsSeq(`archive arena bufio builtin bytes cmp cmd compress container context crypto database debug
		embed encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin
		reflect regexp runtime simd slices sort strconv strings structs sync syscall testing text time unicode unique unsafe vendor weak`) {
		stdRoots[r] = true
	}
}

// IsStd reports whether an import path belongs to the standard library.
func IsStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return stdRoots[first]
}

// Merge keeps one object for each import path, the most complete one, in order
// of the paths.
func Merge(pkgs []*Package) []*Package {
	best := map[string]*Package{}
	for _, p := range pkgs {
		if o := best[p.Path]; o == nil || better(p, o) {
			best[p.Path] = p
		}
	}
	out := make([]*Package, 0, len(best))
	for _, p := range best {
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
}

func better(p, o *Package) bool {
	if p.Whole != o.Whole {
		return p.Whole
	}
	return len(p.Funcs) > len(o.Funcs)
}

// Slim returns the package without what no link can use: functions that take
// no locks and run nothing that could, the calls of such functions, and what
// is said of arguments that nobody looks at.
func Slim(p *Package, deps []*Package) *Package {
	x := newPruner(p, deps)
	q := *p
	q.Funcs = nil
	for _, f := range p.Funcs {
		switch {
		case x.matters[f.Sym] || len(f.Problems) > 0 || len(f.Handoffs) > 0:
			q.Funcs = append(q.Funcs, x.slim(f))
		case tells(f):
			q.Funcs = append(q.Funcs, stub(f))
		}
	}
	x.dropArgs(q.Funcs, p.Flows)
	q.Types = x.types(p, q.Funcs)
	return &q
}

// Export returns what importers of own need: own and the dependencies' objects
// without what can never be part of a cycle outside.
func Export(own *Package, deps []*Package) []*Package {
	return reachable(append([]*Package{prune(own, deps)}, deps...))
}

// reachable leaves out of the packages behind the first what neither it nor
// what nobody calls by name can start: an importer that calls such a function
// imports its package, and has that package's own fact. Initialisers, function
// values and the methods of what becomes an interface stay.
func reachable(pkgs []*Package) []*Package {
	funcs := map[string]*Func{}
	becomes := map[string]bool{}
	methods := map[string][]Method{}
	stores := map[string][]FuncStore{}
	for _, p := range pkgs {
		for _, f := range p.Funcs {
			funcs[f.Sym] = f
		}
		for _, c := range p.Convs {
			becomes[c.From] = true
		}
		for _, t := range p.Types {
			methods[t.Name] = append(methods[t.Name], t.Methods...)
		}
		for _, s := range p.Stores {
			stores[s.In] = append(stores[s.In], s)
		}
	}
	seen := map[string]bool{}
	var work []string
	add := func(sym string) {
		if sym != "" && !seen[sym] {
			seen[sym] = true
			work = append(work, sym)
		}
	}
	for i, p := range pkgs {
		for _, f := range p.Funcs {
			if i == 0 || f.Init || f.Escapes || f.Used {
				add(f.Sym)
			}
		}
	}
	for name := range becomes {
		for _, m := range methods[name] {
			add(m.Sym)
		}
	}
	for len(work) > 0 {
		sym := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range stores[sym] {
			add(s.Func.Sym)
		}
		f := funcs[sym]
		if f == nil {
			continue
		}
		for _, g := range leadsTo(f) {
			add(g)
		}
	}
	out := []*Package{pkgs[0]}
	for _, p := range pkgs[1:] {
		q := *p
		q.Funcs = slices.DeleteFunc(slices.Clone(p.Funcs), func(f *Func) bool { return !seen[f.Sym] })
		q.Stores = slices.DeleteFunc(slices.Clone(p.Stores), func(s FuncStore) bool { return s.Func.Sym != "" && !seen[s.Func.Sym] })
		q.Types = nil
		for _, t := range p.Types {
			t.Methods = slices.DeleteFunc(slices.Clone(t.Methods), func(m Method) bool { return !seen[m.Sym] })
			if len(t.Methods) > 0 {
				q.Types = append(q.Types, t)
			}
		}
		out = append(out, &q)
	}
	return out
}

// prune leaves out of a slim package the functions that importers cannot reach.
func prune(p *Package, deps []*Package) *Package {
	x := newPruner(p, deps)
	x.dropLeaves(p)
	reach := x.reach(p)
	q := *p
	q.Whole = false
	q.Funcs = nil
	for _, f := range p.Funcs {
		switch {
		case reach[f.Sym] && x.matters[f.Sym]:
			g := *f
			g.Problems, g.Handoffs = nil, nil
			if len(x.leaves) > 0 {
				g.Events = x.slim(f).Events
			}
			if !speaks(&g) {
				g.Reach, g.Open = "", ""
				g.Events = unlike(g.Events)
			}
			q.Funcs = append(q.Funcs, &g)
		case f.Exported && tells(f):
			q.Funcs = append(q.Funcs, stub(f))
		}
	}
	q.Types = x.types(p, q.Funcs)
	q.Stores = nil
	kept := symbols(q.Funcs)
	for _, s := range p.Stores {
		if s.Func.Sym == "" || kept[s.Func.Sym] || x.funcs[s.Func.Sym] == nil {
			q.Stores = append(q.Stores, s)
		}
	}
	return &q
}

// speaks reports whether a function signals, waits or starts a goroutine: only
// then is the order of its events asked for outside.
func speaks(f *Func) bool {
	for i := range f.Events {
		if k := f.Events[i].Kind; k == Signal || k == Wait || k == Go {
			return true
		}
	}
	return false
}

// unlike drops the order of events, and of those that differ in nothing but
// their place all but the first.
func unlike(evs []Event) []Event {
	type rough struct {
		kind         EventKind
		class        string
		path         Path
		sym, iface   string
		method       string
		held, params int
	}
	var out []Event
	like := map[rough][]int{}
	for _, e := range evs {
		e.Block, e.Seq = 0, 0
		k := rough{e.Kind, e.Lock.Class, e.Lock.Path, e.Callee.Sym, e.Callee.Iface, e.Callee.Method, len(e.Held), len(e.Args)}
		if slices.ContainsFunc(like[k], func(i int) bool {
			o := out[i]
			o.Pos = e.Pos
			return reflect.DeepEqual(o, e)
		}) {
			continue
		}
		like[k] = append(like[k], len(out))
		out = append(out, e)
	}
	return out
}

// stub is a function without its events.
func stub(f *Func) *Func {
	return &Func{Sym: f.Sym, Name: f.Name, Params: f.Params, Exported: f.Exported, Net: f.Net, Results: f.Results, Publishes: f.Publishes}
}

func symbols(fs []*Func) map[string]bool {
	out := map[string]bool{}
	for _, f := range fs {
		out[f.Sym] = true
	}
	return out
}

// types keeps the methods that are functions of fs or of dependencies.
func (x *pruner) types(p *Package, fs []*Func) []Type {
	kept := symbols(fs)
	var out []Type
	for _, t := range p.Types {
		var ms []Method
		for _, m := range t.Methods {
			if kept[m.Sym] || x.outside[m.Sym] {
				ms = append(ms, m)
			}
		}
		if len(ms) > 0 {
			out = append(out, Type{Name: t.Name, Methods: ms})
		}
	}
	return out
}

// tells reports whether callers learn something from a function's summary.
func tells(f *Func) bool {
	if len(f.Net) > 0 || f.Publishes != 0 {
		return true
	}
	for _, r := range f.Results {
		if r.Path != "" || r.Fresh || r.Func != nil || r.Class != "" || r.Type != "" {
			return true
		}
	}
	return false
}
