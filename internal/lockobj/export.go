package lockobj

import (
	"maps"
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

// MaxFact bounds what Fit returns, in bytes: each importer reads it.
const MaxFact = 256 << 10

// Fit encodes what [Export] returned in at most [MaxFact] bytes. Where all is
// too much, the functions of some packages are left out, those that the first
// package imports by way of the most others first, and their number is
// returned. Types stay, so that a call through an interface has no fewer targets
// than before. The first package stays whole, whatever its size.
func Fit(pkgs []*Package) (data []byte, left int) {
	return fit(pkgs, MaxFact)
}

func fit(pkgs []*Package, limit int) (data []byte, left int) {
	data = Encode(pkgs)
	if len(data) <= limit {
		return data, 0
	}
	pkgs = farthestLast(pkgs)
	events := func(p *Package) int {
		n := len(p.Funcs)
		for _, f := range p.Funcs {
			n += len(f.Events)
		}
		return n
	}
	for kept := len(pkgs); len(data) > limit && kept > 1; data = Encode(pkgs) {
		all := 0
		for _, p := range pkgs {
			all += events(p)
		}
		// Aim a little below, so that few rounds are needed.
		excess := all - all*(limit-limit/32)/len(data)
		for ; kept > 1 && excess >= 0; kept-- {
			p := *pkgs[kept-1]
			if len(p.Funcs) == 0 {
				continue
			}
			excess -= events(&p)
			p.Events = signalledElsewhere(&p)
			p.Funcs, p.Stores = nil, nil
			pkgs[kept-1] = &p
			left++
		}
	}
	return data, left
}

// signalledElsewhere adds to a package's events that somebody signals, and
// receives, what its functions do: they are going to be left out.
func signalledElsewhere(p *Package) []EventClass {
	out := slices.Clone(p.Events)
	for _, f := range p.Funcs {
		for i := range f.Events {
			e := &f.Events[i]
			if e.Kind != Signal || e.Lock.Class == "" {
				continue
			}
			at := slices.IndexFunc(out, func(c EventClass) bool { return c.Class == e.Lock.Class })
			if at < 0 {
				at = len(out)
				out = append(out, EventClass{Class: e.Lock.Class})
			}
			out[at].Escapes |= EscapeRecv | EscapeSend
		}
	}
	return out
}

// farthestLast orders packages by how many imports lead to them from the first.
func farthestLast(pkgs []*Package) []*Package {
	byPath := map[string]*Package{}
	for _, p := range pkgs {
		byPath[p.Path] = p
	}
	far := map[string]int{pkgs[0].Path: 0}
	for work := []string{pkgs[0].Path}; len(work) > 0; work = work[1:] {
		if p := byPath[work[0]]; p != nil {
			for _, i := range p.Imports {
				if _, ok := far[i]; !ok {
					far[i] = far[work[0]] + 1
					work = append(work, i)
				}
			}
		}
	}
	out := slices.Clone(pkgs)
	slices.SortStableFunc(out[1:], func(a, b *Package) int {
		da, oka := far[a.Path]
		db, okb := far[b.Path]
		if oka != okb { // one that nothing here is known to import
			if oka {
				return -1
			}
			return 1
		}
		return da - db
	})
	return out
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

func newPruner(p *Package, deps []*Package) *pruner {
	x := &pruner{funcs: map[string]*Func{}, outside: map[string]bool{}, stored: map[string]bool{}, matters: map[string]bool{}}
	for _, f := range p.Funcs {
		x.funcs[f.Sym] = f
	}
	for _, s := range p.Stores {
		x.stored[s.Name] = true
	}
	for _, d := range deps {
		for _, f := range d.Funcs {
			if len(f.Events) > 0 || len(f.Net) > 0 {
				x.outside[f.Sym] = true
			}
		}
	}
	x.spread(p.Funcs)
	return x
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

type pruner struct {
	outside map[string]bool // functions of dependencies that matter
	stored  map[string]bool // names under which functions are stored
	funcs   map[string]*Func
	matters map[string]bool
	leaves  map[string]bool // lock classes, see dropLeaves
}

// dropLeaves makes the pruner take the acquisitions of leaf locks for nothing:
// a lock that only this package can take, and under which nothing is acquired,
// awaited or called that is not known, has no edge out of it, and is part of
// no cycle.
func (x *pruner) dropLeaves(p *Package) {
	x.leaves = leafCandidates(p)
	for {
		x.matters = map[string]bool{}
		x.spread(p.Funcs)
		before := len(x.leaves)
		for _, f := range p.Funcs {
			for i := range f.Events {
				e := &f.Events[i]
				if len(e.Held) > 0 && x.matter(e) {
					for _, h := range e.Held {
						delete(x.leaves, h.Class)
					}
				} else if e.Kind == Acquire && slices.ContainsFunc(e.Held, func(h Held) bool { return h.Class == e.Lock.Class }) {
					delete(x.leaves, e.Lock.Class)
				}
			}
		}
		if len(x.leaves) == before {
			return
		}
	}
}

// leafCandidates are the classes that no other package can name, that nobody is
// given, and that no function returns with.
func leafCandidates(p *Package) map[string]bool {
	leaves := map[string]bool{}
	for _, f := range p.Funcs {
		for i := range f.Events {
			if e := &f.Events[i]; e.Kind == Acquire && private(e.Lock.Class) {
				leaves[e.Lock.Class] = true
			}
		}
	}
	var args func(as []Arg)
	args = func(as []Arg) {
		for _, a := range as {
			delete(leaves, a.Class)
			if a.Func != nil {
				args(a.Func.Bind)
			}
		}
	}
	for _, f := range p.Funcs {
		for _, r := range f.Results {
			delete(leaves, r.Class)
		}
		for _, nc := range f.Net {
			for _, h := range nc.Acquires {
				delete(leaves, h.Class)
			}
		}
		for _, l := range f.Entry {
			delete(leaves, l.Class)
		}
		for _, h := range f.Handoffs {
			delete(leaves, h.Lock.Class)
		}
		for i := range f.Events {
			args(f.Events[i].Args)
			args(f.Events[i].Callee.Bind)
		}
	}
	for _, s := range p.Stores {
		args(s.Func.Bind)
	}
	for _, e := range p.Events {
		delete(leaves, e.Lock)
	}
	for _, d := range p.Directives {
		for _, name := range d.Args {
			maps.DeleteFunc(leaves, func(class string, _ bool) bool {
				return class == name || strings.HasSuffix(class, "."+name)
			})
		}
	}
	return leaves
}

// private reports whether a lock class is that of a field or variable which
// other packages cannot name.
func private(class string) bool {
	_, rest, ok := strings.Cut(class[strings.LastIndexByte(class, '/')+1:], ".")
	if !ok {
		return false
	}
	names := strings.Split(rest, ".")
	if len(names) > 1 {
		names = names[1:] // the type's own name does not hide its fields
	}
	return slices.ContainsFunc(names, func(n string) bool { return n != "" && (n[0] >= 'a' && n[0] <= 'z' || n[0] == '_') })
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

// active reports whether an event can do something by itself: take a lock, or
// run code that is not known here.
func (x *pruner) active(e *Event) bool {
	if e.Kind == Acquire && x.leaves[e.Lock.Class] {
		return false
	}
	if e.Kind != Call && e.Kind != Go || e.Op != OpNone {
		return true
	}
	if e.Kind == Go && len(e.Held) == 0 && e.Callee.Kind != Static {
		return false
	}
	if e.Callee.Kind == Static {
		return x.outside[e.Callee.Sym]
	}
	if e.Callee.Kind == StoredFunc && !x.stored[e.Callee.Sym] {
		// Nobody else can store into an unexported field or variable.
		name := strings.TrimSuffix(e.Callee.Sym, "[]")
		name = name[strings.LastIndexByte(name, '.')+1:]
		return name != "" && name[0] >= 'A' && name[0] <= 'Z'
	}
	return e.Callee.Kind != UnknownFunc
}

// spread marks the functions that matter: active ones and their callers.
func (x *pruner) spread(fs []*Func) {
	callers := map[string][]string{}
	var work []string
	mark := func(sym string) {
		if !x.matters[sym] {
			x.matters[sym] = true
			work = append(work, sym)
		}
	}
	for _, f := range fs {
		if len(f.Net) > 0 || len(f.Entry) > 0 {
			mark(f.Sym)
		}
		for i := range f.Events {
			e := &f.Events[i]
			if x.active(e) {
				mark(f.Sym)
			}
			for _, g := range mentioned(e) {
				callers[g] = append(callers[g], f.Sym)
			}
		}
	}
	for len(work) > 0 {
		sym := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range callers[sym] {
			mark(c)
		}
	}
}

// mentioned lists the functions that an event calls or passes on.
func mentioned(e *Event) []string {
	var out []string
	if e.Callee.Kind == Static && e.Callee.Sym != "" {
		out = append(out, e.Callee.Sym)
	}
	var args func(as []Arg)
	args = func(as []Arg) {
		for _, a := range as {
			if a.Func != nil {
				if a.Func.Sym != "" {
					out = append(out, a.Func.Sym)
				}
				args(a.Func.Bind)
			}
		}
	}
	args(e.Args)
	args(e.Callee.Bind)
	return out
}

// leadsTo lists the functions that a function calls, passes on or returns.
func leadsTo(f *Func) []string {
	var out []string
	for i := range f.Events {
		out = append(out, mentioned(&f.Events[i])...)
	}
	for _, r := range f.Results {
		if r.Func != nil {
			out = append(out, r.Func.Sym)
		}
	}
	return out
}

// reach finds the functions that code outside the package can start: exported
// ones, methods, function values, and what these call.
func (x *pruner) reach(p *Package) map[string]bool {
	seen := map[string]bool{}
	var work []string
	add := func(sym string) {
		if sym != "" && !seen[sym] {
			seen[sym] = true
			work = append(work, sym)
		}
	}
	for _, f := range p.Funcs {
		if f.Exported || f.Escapes || f.Used {
			add(f.Sym)
		}
	}
	for _, t := range p.Types {
		for _, m := range t.Methods {
			add(m.Sym)
		}
	}
	for _, s := range p.Stores {
		add(s.Func.Sym)
	}
	for len(work) > 0 {
		f := x.funcs[work[len(work)-1]]
		work = work[:len(work)-1]
		if f == nil {
			continue
		}
		for _, g := range leadsTo(f) {
			add(g)
		}
	}
	return seen
}

// slim leaves out the events of a function that do nothing.
func (x *pruner) slim(f *Func) *Func {
	g := *f
	g.Events = nil
	for i := range f.Events {
		if e := &f.Events[i]; x.matter(e) {
			g.Events = append(g.Events, *e)
		}
	}
	return &g
}

// matter reports whether an event is active or leads to a function that
// matters.
func (x *pruner) matter(e *Event) bool {
	return x.active(e) || slices.ContainsFunc(mentioned(e), func(sym string) bool { return x.matters[sym] || x.outside[sym] })
}

// dropArgs leaves out what callers say of arguments that their callees, all of
// them known, do not use for locks, functions or conditions.
func (x *pruner) dropArgs(fs []*Func, flows []EventFlow) {
	used := map[string]map[int]bool{}
	byName := map[string]*Func{}
	for _, f := range fs {
		byName[f.Sym] = f
		used[f.Sym] = map[int]bool{}
	}
	for _, fl := range flows {
		if fl.Param > 0 && used[fl.In] != nil {
			used[fl.In][fl.Param-1] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range fs {
			before := len(used[f.Sym])
			x.uses(f, byName, used)
			changed = changed || len(used[f.Sym]) != before
		}
	}
	for _, f := range fs {
		for i := range f.Events {
			e := &f.Events[i]
			u, ok := used[e.Callee.Sym]
			if e.Callee.Kind != Static || !ok {
				continue
			}
			args := make([]Arg, len(e.Args))
			for j := range e.Args {
				if u[j] || e.Args[j].Func != nil {
					args[j] = e.Args[j]
				}
			}
			for len(args) > 0 && isZero(args[len(args)-1]) {
				args = args[:len(args)-1]
			}
			e.Args = args
		}
	}
}

func isZero(a Arg) bool {
	return a.Path == "" && a.Class == "" && !a.Read && a.Func == nil && a.Type == "" && a.Const == "" && !a.Fresh && a.Known == nil
}

// uses marks the parameters that a function uses.
func (x *pruner) uses(f *Func, byName map[string]*Func, used map[string]map[int]bool) {
	u := used[f.Sym]
	mark := func(s string) {
		for i := 0; i+1 < len(s); i++ {
			if s[i] != 'p' || i > 0 && s[i-1] != '[' {
				continue
			}
			n, ok := 0, false
			for j := i + 1; j < len(s) && s[j] >= '0' && s[j] <= '9'; j++ {
				n, ok = n*10+int(s[j]-'0'), true
			}
			if ok {
				u[n] = true
			}
		}
	}
	locks := func(ls []Lock) {
		for _, l := range ls {
			mark(string(l.Path))
		}
	}
	helds := func(hs []Held) {
		for _, h := range hs {
			mark(string(h.Path))
		}
	}
	locks(f.Entry)
	for _, nc := range f.Net {
		helds(nc.Acquires)
		locks(nc.Releases)
		locks(nc.Drops)
		for _, w := range nc.When {
			mark(w.Key)
		}
	}
	for _, r := range f.Results {
		mark(string(r.Path))
		for _, k := range r.Known {
			mark(string(k.Is))
		}
	}
	var args func(as []Arg, only map[int]bool, all bool)
	args = func(as []Arg, only map[int]bool, all bool) {
		for i, a := range as {
			if !all && !only[i] && a.Func == nil {
				continue
			}
			mark(string(a.Path))
			for _, k := range a.Known {
				mark(string(k.Is))
			}
			if a.Func != nil {
				if a.Func.Param > 0 {
					u[a.Func.Param-1] = true
				}
				args(a.Func.Bind, nil, true)
			}
		}
	}
	for i := range f.Events {
		e := &f.Events[i]
		mark(string(e.Lock.Path))
		mark(string(e.Callee.Base))
		helds(e.Held)
		locks(e.Dropped)
		for _, w := range e.When {
			mark(w.Key)
		}
		if e.Callee.Kind == ParamFunc {
			u[e.Callee.Index] = true
		}
		args(e.Callee.Bind, nil, true)
		args(e.Args, used[e.Callee.Sym], e.Callee.Kind != Static || byName[e.Callee.Sym] == nil)
	}
}
