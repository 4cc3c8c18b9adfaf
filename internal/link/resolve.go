package link

import (
	"slices"
	"sort"
	"strings"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// maxTargets bounds the targets of one dynamic call; a call with more is
// counted and not followed.
const maxTargets = 32

// fewTargets is the number of implementations up to which a dispatch says
// enough about which object is meant.
const fewTargets = 4

// impl is a method that an interface call can reach.
type impl struct {
	sym   string
	via   lockobj.Path
	types []string // that have it
}

// boundStore is a function value kept under a name.
type boundStore struct {
	ref   lockobj.FuncRef
	owner bool
}

// resolve finds the targets of every call.
func (l *linker) resolve() {
	l.conversions()
	l.storedFuncs()
	for _, n := range l.nodes {
		n.targets = make([][]target, len(n.Events))
		for i := range n.Events {
			ev := &n.Events[i]
			if ev.Kind != lockobj.Call && ev.Kind != lockobj.Go {
				continue
			}
			n.targets[i] = l.targetsOf(ev)
			for _, t := range n.targets[i] {
				t.fn.callers++
			}
		}
	}
}

// conversions finds the concrete types of each interface, through conversions
// between interfaces.
func (l *linker) conversions() {
	from := map[string][]lockobj.Conv{}
	for _, p := range l.pkgs {
		for _, c := range p.Convs {
			from[c.To] = append(from[c.To], c)
		}
	}
	ifaces := make([]string, 0, len(from))
	for i := range from {
		ifaces = append(ifaces, i)
	}
	sort.Strings(ifaces)
	for _, iface := range ifaces {
		seen := map[string]bool{}
		set := map[string]bool{}
		var walk func(i string, depth int)
		walk = func(i string, depth int) {
			if seen[i] || depth > 8 {
				return
			}
			seen[i] = true
			for _, c := range from[i] {
				if c.Iface {
					walk(c.From, depth+1)
				} else {
					set[c.From] = true
				}
			}
		}
		walk(iface, 0)
		for t := range set {
			l.typeOf[iface] = append(l.typeOf[iface], t)
		}
		sort.Strings(l.typeOf[iface])
	}
}

// implementers returns what a call of an interface method can reach.
func (l *linker) implementers(iface, method string) []impl {
	key := iface + "\x00" + method
	if is, ok := l.impls[key]; ok {
		return is
	}
	out := l.methodsOf(l.typeOf[iface], method)
	l.impls[key] = out
	return out
}

// methodsOf returns the methods of the given types that have the name.
func (l *linker) methodsOf(types []string, method string) []impl {
	var out []impl
	for _, name := range types {
		for _, m := range l.types[name].Methods {
			if m.Name == method && m.Sym != "" {
				i := slices.IndexFunc(out, func(o impl) bool { return o.sym == m.Sym && o.via == m.Via })
				if i < 0 {
					i = len(out)
					out = append(out, impl{sym: m.Sym, via: m.Via})
				}
				out[i].types = append(out[i].types, name)
			}
		}
	}
	return out
}

// storedFuncs collects what may lie under each name. A parameter that is
// stored stands for the arguments of all calls of its function.
func (l *linker) storedFuncs() {
	type want struct {
		fn    string
		param int
	}
	wanted := map[want][]string{} // names
	for _, p := range l.pkgs {
		for _, s := range p.Stores {
			switch {
			case s.Func.Sym != "":
				l.stores[s.Name] = append(l.stores[s.Name], boundStore{s.Func, s.Owner})
			case s.Func.Param > 0:
				w := want{s.In, s.Func.Param - 1}
				wanted[w] = append(wanted[w], s.Name)
			}
		}
	}
	for round := 0; round < 3 && len(wanted) > 0; round++ {
		next := map[want][]string{}
		for _, n := range l.nodes {
			for i := range n.Events {
				ev := &n.Events[i]
				if ev.Callee.Kind != lockobj.Static {
					continue
				}
				for j, a := range ev.Args {
					if a.Func == nil {
						continue
					}
					names := wanted[want{ev.Callee.Sym, j}]
					for _, name := range names {
						if a.Func.Sym != "" {
							l.addStore(name, *a.Func)
						} else if a.Func.Param > 0 {
							w := want{n.Sym, a.Func.Param - 1}
							if !slices.Contains(next[w], name) {
								next[w] = append(next[w], name)
							}
						}
					}
				}
			}
		}
		wanted = next
	}
}

func (l *linker) addStore(name string, ref lockobj.FuncRef) {
	for _, s := range l.stores[name] {
		if s.ref.Sym == ref.Sym {
			return
		}
	}
	// What the caller captured has no meaning elsewhere.
	binds := make([]lockobj.Arg, len(ref.Bind))
	for i, b := range ref.Bind {
		if !strings.HasPrefix(string(b.Path), "g{") {
			b.Path = ""
		}
		b.Fresh = false
		binds[i] = b
	}
	ref.Bind = binds
	l.stores[name] = append(l.stores[name], boundStore{ref, false})
}

// targetsOf finds the functions that an event calls, apart from parameters and
// captured functions, which callers know.
func (l *linker) targetsOf(ev *lockobj.Event) []target {
	switch ev.Callee.Kind {
	case lockobj.Static:
		if n := l.funcs[ev.Callee.Sym]; n != nil {
			return []target{{fn: n, args: ev.Args, bind: ev.Callee.Bind}}
		}
		l.res.Stats["calls without a body"]++
	case lockobj.Interface:
		is := l.implementers(ev.Callee.Iface, ev.Callee.Method)
		if len(ev.Callee.Types) > 0 {
			is = l.methodsOf(ev.Callee.Types, ev.Callee.Method)
		}
		if len(is) > maxTargets {
			l.res.Stats["interface calls with too many targets"]++
			return nil
		}
		var out []target
		name := ev.Callee.Iface + "." + ev.Callee.Method
		for _, i := range is {
			args := slices.Clone(ev.Args)
			if args[0].Path != "" {
				args[0].Path += i.via
			}
			if n := l.funcs[i.sym]; n != nil && len(n.Events) > 0 {
				out = append(out, target{fn: n, args: args, iface: name, types: i.types})
			}
		}
		if len(out) == 0 {
			l.res.Stats["interface calls without a known target"]++
		}
		for i := range out {
			out[i].multi = len(out) > 1
			out[i].many = len(out) > fewTargets
		}
		return out
	case lockobj.StoredFunc:
		ss := l.stores[ev.Callee.Sym]
		if len(ss) > maxTargets {
			l.res.Stats["function values with too many targets"]++
			return nil
		}
		var out []target
		for _, s := range ss {
			n := l.funcs[s.ref.Sym]
			if n == nil {
				continue
			}
			bind := slices.Clone(s.ref.Bind)
			for i := range bind {
				bind[i].Path = lockobj.Substitute(bind[i].Path, func(root string) lockobj.Path {
					if root == "o" {
						return ev.Callee.Base
					}
					return lockobj.Path(root)
				})
			}
			out = append(out, target{fn: n, args: ev.Args, bind: bind, iface: "func " + ev.Callee.Sym, multi: len(ss) > 1, maybe: ev.Maybe})
		}
		if len(out) == 0 {
			l.res.Stats["function values not known"]++
		}
		return out
	case lockobj.UnknownFunc:
		l.res.Stats["function values not known"]++
	}
	return nil
}
