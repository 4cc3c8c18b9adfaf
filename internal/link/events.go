package link

import (
	"maps"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// eventSet knows the events of the program: which classes are one event under
// several names, how channels are made, who else may have them, and where each
// is signalled.
type eventSet struct {
	parent  map[string]string // of classes that are one
	info    map[string]*eventInfo
	made    map[string]bool // classes of what a function makes, before it has another name
	sites   map[string][]site
	callers map[*node][]callSite
	needs   map[needKey]needs
	coarse  map[coarseKey]bool
	conds   map[string][]string // names of conditions by the class of their lock
}

// eventInfo is what is known of all events of one class.
type eventInfo struct {
	made    bool
	cap     int // least capacity, plus one; 0 if not known
	escapes lockobj.Escape
	lock    string // of a condition; "?" if not one
}

// site is an event of a function.
type site struct {
	n *node
	i int
}

// callSite is a call of a function, with the target that it is there, or a
// call that gives the function to another, which may run it in a goroutine.
type callSite struct {
	site
	t     *target
	given bool
	spawn bool
}

// find returns the class that stands for all names of an event.
func (s *eventSet) find(class string) string {
	for {
		p, ok := s.parent[class]
		if !ok {
			return class
		}
		if q, ok := s.parent[p]; ok {
			s.parent[class] = q
		}
		class = p
	}
}

// join makes two names one event. The smaller name stands for both, so that
// nothing depends on the order.
func (s *eventSet) join(a, b string) {
	a, b = s.find(a), s.find(b)
	if a == b || a == "" || b == "" {
		return
	}
	if b < a {
		a, b = b, a
	}
	s.parent[b] = a
}

// of returns what is known of a class.
func (s *eventSet) of(class string) *eventInfo {
	root := s.find(class)
	in := s.info[root]
	if in == nil {
		in = &eventInfo{}
		s.info[root] = in
	}
	return in
}

// sharing lists the names of the conditions that were made with a lock, in order.
func (s *eventSet) sharing(lock string) []string {
	if s.conds == nil {
		s.conds = map[string][]string{}
		add := func(cond string) {
			if k := s.of(cond).lock; k != "" && k != "?" {
				s.conds[k] = append(s.conds[k], cond)
			}
		}
		roots := slices.Collect(maps.Keys(s.info))
		for _, c := range roots {
			add(c)
		}
		for c := range s.parent {
			add(c)
		}
		for _, cs := range s.conds {
			slices.Sort(cs)
		}
	}
	return s.conds[lock]
}

// loadEvents combines what the packages say of their events.
func (l *linker) loadEvents() *eventSet {
	s := &eventSet{
		parent: map[string]string{}, info: map[string]*eventInfo{}, made: map[string]bool{},
		sites: map[string][]site{}, callers: map[*node][]callSite{},
		needs: map[needKey]needs{}, coarse: map[coarseKey]bool{},
	}
	wanted := map[string][]lockobj.EventFlow{}
	for _, p := range l.pkgs {
		for _, f := range p.Flows {
			if f.Param == 0 {
				s.join(f.From, f.To)
			} else {
				wanted[f.In] = append(wanted[f.In], f)
			}
		}
	}
	l.givenEvents(s, wanted)
	for _, p := range l.pkgs {
		for _, ec := range p.Events {
			in := s.of(ec.Class)
			in.escapes |= ec.Escapes
			if ec.Made {
				s.made[ec.Class] = true
				if !in.made {
					in.made, in.cap = true, ec.Cap
				}
				in.cap = min(in.cap, ec.Cap)
			}
			if ec.Lock != "" {
				if in.lock != "" && in.lock != ec.Lock {
					in.lock = "?"
				} else {
					in.lock = ec.Lock
				}
			}
		}
	}
	l.indexSites(s)
	return s
}

// givenEvents follows events that are given to functions which keep them.
func (l *linker) givenEvents(s *eventSet, wanted map[string][]lockobj.EventFlow) {
	for round := 0; round < 3 && len(wanted) > 0; round++ {
		next := map[string][]lockobj.EventFlow{}
		for _, n := range l.nodes {
			for i := range n.Events {
				ev := &n.Events[i]
				for _, f := range wanted[ev.Callee.Sym] {
					if f.Param > len(ev.Args) {
						continue
					}
					a := ev.Args[f.Param-1]
					if a.Class != "" {
						s.join(a.Class, f.To)
					} else if p, ok := number(string(a.Path), 'p'); ok {
						next[n.Sym] = append(next[n.Sym], lockobj.EventFlow{To: f.To, In: n.Sym, Param: p + 1})
					} else if a.Const == "" {
						s.of(f.To).escapes |= lockobj.EscapeRecv | lockobj.EscapeSend
					}
				}
			}
		}
		wanted = next
	}
}

// indexSites finds where each event is signalled, and who calls whom. An event
// given to code that is not known escapes.
func (l *linker) indexSites(s *eventSet) {
	for _, n := range l.nodes {
		for i := range n.Events {
			ev := &n.Events[i]
			for j := range n.targets[i] {
				t := &n.targets[i][j]
				s.callers[t.fn] = append(s.callers[t.fn], callSite{site: site{n, i}, t: t})
				for k, a := range t.args {
					if a.Func == nil || a.Func.Sym == "" || l.funcs[a.Func.Sym] == nil {
						continue
					}
					g := &target{fn: l.funcs[a.Func.Sym], bind: a.Func.Bind}
					s.callers[g.fn] = append(s.callers[g.fn], callSite{site: site{n, i}, t: g, given: true, spawn: t.fn.spawns(k + 1)})
				}
			}
			if (ev.Kind == lockobj.Call || ev.Kind == lockobj.Go) && len(n.targets[i]) == 0 &&
				ev.Callee.Kind != lockobj.ParamFunc && ev.Callee.Kind != lockobj.FreeFunc {
				for _, a := range ev.Args {
					if a.Class != "" {
						s.of(a.Class).escapes |= lockobj.EscapeRecv | lockobj.EscapeSend
					}
				}
			}
		}
	}
	for _, n := range l.nodes {
		for i := range n.Events {
			if ev := &n.Events[i]; ev.Op != lockobj.OpNone {
				for _, class := range l.classesOf(s, n, ev.Lock, 0) {
					s.add(class, site{n, i})
				}
			}
		}
	}
}

// spawns reports whether a function runs its n'th argument in a goroutine.
func (n *node) spawns(param int) bool {
	for i := range n.Events {
		ev := &n.Events[i]
		if ev.Kind != lockobj.Go {
			continue
		}
		if ev.Callee.Kind == lockobj.ParamFunc && ev.Callee.Index == param-1 {
			return true
		}
		for _, b := range ev.Callee.Bind {
			if b.Func != nil && b.Func.Param == param {
				return true
			}
		}
	}
	return false
}

func (s *eventSet) add(class string, at site) {
	root := s.find(class)
	for _, o := range s.sites[root] {
		if o == at {
			return
		}
	}
	s.sites[root] = append(s.sites[root], at)
}

// maxIdentity bounds the calls through which the class of a parameter is sought.
const maxIdentity = 5

// classesOf lists the classes that an event has in the callers of n, if n does
// not know it.
func (l *linker) classesOf(s *eventSet, n *node, k lockobj.Lock, depth int) []string {
	if k.Class != "" {
		return []string{k.Class}
	}
	if k.Path == "" || depth > maxIdentity {
		return nil
	}
	var out []string
	for _, c := range s.callers[n] {
		up, _ := l.inTerms(k, c.t.args, c.t.bind)
		out = append(out, l.classesOf(s, c.n, up, depth+1)...)
	}
	return out
}

// open reports whether code that is not seen may do with the event what ends a
// wait: it was given away, or it is a field or variable that others can name.
func (s *eventSet) open(class string, esc lockobj.Escape) bool {
	root := s.find(class)
	if s.of(class).escapes&esc != 0 || exportedClass(root) {
		return true
	}
	for c := range s.parent {
		if s.find(c) == root && exportedClass(c) {
			return true
		}
	}
	return false
}

// exportedClass reports whether other packages can name a field or variable:
// pkg.Type.Field and pkg.Var, all exported, in a package that can be imported.
func exportedClass(class string) bool {
	slash := strings.LastIndexByte(head(class), '/')
	pkg, name, ok := strings.Cut(head(class)[slash+1:], ".")
	if !ok || pkg == "main" {
		return false
	}
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || part[0] < 'A' || part[0] > 'Z' {
			return false
		}
	}
	return true
}
