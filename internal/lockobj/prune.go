package lockobj

import (
	"maps"
	"slices"
	"strings"
)

type pruner struct {
	outside map[string]bool // functions of dependencies that matter
	stored  map[string]bool // names under which functions are stored
	funcs   map[string]*Func
	matters map[string]bool
	leaves  map[string]bool // lock classes, see dropLeaves
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

// IsTest reports whether a function of a _test.go file is one that go test calls
// and nobody else, by its name.
func IsTest(name string) bool {
	return strings.HasPrefix(name, "Test") && name != "TestMain" || strings.HasPrefix(name, "Benchmark") || strings.HasPrefix(name, "Fuzz")
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
		outer, _, _ := strings.Cut(f.Name, ".") // of a closure
		if f.Test && IsTest(outer) {
			continue
		}
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
