package link

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/lockgraph"
	"github.com/lockvet/lockvet/internal/lockobj"
)

const (
	// maxEntries bounds what one function may acquire, with paths; above it
	// classes alone are kept.
	maxEntries = 400
	// maxSame bounds the entries for one lock of one function.
	maxSame = 2
	// maxChain bounds a call chain; every known bug needs three or fewer.
	maxChain = 8
	// maxRounds bounds the fixpoint over one component of the call graph.
	maxRounds = 8
)

// entry is a lock that a function may acquire, or a function argument that it
// may call, with the way there.
type entry struct {
	lock  lockobj.Lock // in the function's terms
	param int          // calls parameter param-1
	free  int          // calls free variable free-1
	args  []lockobj.Arg
	held  []lockgraph.Gate // held by the function and its callees, outermost first
	by    []heldBy         // the same with all that is known, where a function argument is called
	fresh bool             // the lock's object is fresh in fn
	when  []lockobj.Cond   // on the function's parameters and captured values
	drop  []lockobj.Lock   // the caller's locks that are given up by then

	fn    *node
	ev    *lockobj.Event
	to    *node  // callee, if ev is a call
	sub   *entry // the callee's entry
	then  *entry // where sub calls a function argument: that function's entry, from the call on
	depth int

	ifaces    []string
	ambiguous int
}

// heldBy is a lock that a function on the way to a function argument holds
// when it calls it.
type heldBy struct {
	h    lockobj.Held // in the terms of n, which holds it
	lock lockobj.Lock // in the terms of the entry's function
	n    *node
	ev   *lockobj.Event // where n calls on
	way  *entry         // n's own entry, from ev to the call of the argument
}

// entryKey tells entries of one function apart: what is acquired, or called,
// under which conditions, and what is dropped before.
type entryKey struct {
	lock        lockobj.Lock
	param, free int
	rest        string
}

func (e *entry) key() entryKey {
	k := entryKey{lock: e.lock, param: e.param, free: e.free}
	if len(e.drop) == 0 && len(e.when) == 0 {
		return k
	}
	var b strings.Builder
	for _, d := range e.drop {
		b.WriteByte('-')
		b.WriteString(d.Class)
		b.WriteString(string(d.Path))
	}
	for _, w := range e.when {
		b.WriteString(w.Key)
		if w.Val {
			b.WriteByte('+')
		} else {
			b.WriteByte('!')
		}
	}
	k.rest = b.String()
	return k
}

// rank orders entries for one lock, best first.
func (e *entry) less(o *entry) bool {
	if e.ambiguous != o.ambiguous {
		return e.ambiguous < o.ambiguous
	}
	if len(e.held) != len(o.held) {
		return len(e.held) < len(o.held)
	}
	if e.depth != o.depth {
		return e.depth < o.depth
	}
	return posLess(e.ev.Pos, o.ev.Pos)
}

func posLess(a, b lockobj.Pos) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	if a.Line != b.Line {
		return a.Line < b.Line
	}
	return a.Col < b.Col
}

// acquires computes the entries of every function, callees first.
func (l *linker) acquires() {
	for _, scc := range l.components() {
		for round := 0; ; round++ {
			changed := false
			for _, n := range scc {
				if l.grow(n) {
					changed = true
				}
			}
			if !changed || len(scc) == 1 && !l.selfCalls(scc[0]) {
				break
			}
			if round >= maxRounds {
				l.res.Limits = append(l.res.Limits, "recursion around "+scc[0].Sym)
				break
			}
		}
	}
}

// grow adds to n what its events show, and reports whether that was new.
func (l *linker) grow(n *node) bool {
	if n.callers == 0 && !l.passed(n) {
		return false // nobody asks
	}
	changed := false
	for i := range n.Events {
		ev := &n.Events[i]
		for _, e := range l.entriesAt(n, i, ev) {
			e := l.lift(n, ev, e)
			if e != nil && l.addEntry(n, e) {
				changed = true
			}
		}
	}
	return changed
}

// lift puts an entry at an event, in n's terms, into the form callers see.
func (l *linker) lift(n *node, ev *lockobj.Event, e *entry) *entry {
	if ev.Kind == lockobj.Go {
		return nil
	}
	if e.fresh {
		return nil // only fn itself can wait for it
	}
	c := *e
	var possible bool
	if c.when, possible = both(ev.When, e.when); !possible {
		return nil
	}
	c.lock.Path = c.lock.Path.Outside()
	if c.param == 0 && c.free == 0 && c.lock.Class == "" && c.lock.Path == "" {
		return nil
	}
	held := make([]lockgraph.Gate, 0, len(ev.Held)+len(e.held))
	for _, h := range ev.Held {
		if h.Class != "" && !dropped(h, e.drop) {
			held = append(held, lockgraph.Gate{Class: h.Class, Read: h.Mode == lockobj.Read})
		}
	}
	c.held = append(held, e.held...)
	if c.param > 0 || c.free > 0 {
		by := make([]heldBy, 0, len(ev.Held)+len(e.by))
		for _, h := range ev.Held {
			if h.Class != "" && !h.Fresh && !dropped(h, e.drop) {
				k := h.Lock
				k.Path = k.Path.Outside()
				by = append(by, heldBy{h: h, lock: k, n: n, ev: ev, way: e})
			}
		}
		for _, b := range e.by {
			b.lock.Path = b.lock.Path.Outside()
			by = append(by, b)
		}
		c.by = by
	}
	for _, d := range ev.Dropped {
		d.Path = d.Path.Outside()
		if !slices.Contains(c.drop, d) && (d.Class != "" || d.Path != "") {
			c.drop = append(slices.Clip(c.drop), d)
		}
	}
	return &c
}

// entriesAt returns what happens at an event: its own acquisition, or what its
// callees may do, in n's terms, without what n holds there.
func (l *linker) entriesAt(n *node, i int, ev *lockobj.Event) []*entry {
	return l.entriesOf(n, i, ev, "")
}

// entriesOf is entriesAt for the locks of one class, "" for all.
func (l *linker) entriesOf(n *node, i int, ev *lockobj.Event, class string) []*entry {
	switch ev.Kind {
	case lockobj.Acquire:
		if ev.Try || !l.isRelevant(ev.Lock.Class) {
			return nil
		}
		return []*entry{{lock: ev.Lock, fn: n, ev: ev, fresh: ev.Fresh}}
	case lockobj.Call:
	default:
		return nil
	}
	switch ev.Callee.Kind {
	case lockobj.ParamFunc:
		return []*entry{{param: ev.Callee.Index + 1, args: ev.Args, fn: n, ev: ev}}
	case lockobj.FreeFunc:
		return []*entry{{free: ev.Callee.Index + 1, args: ev.Args, fn: n, ev: ev}}
	}
	var out []*entry
	for _, t := range n.targets[i] {
		if t.fn == n && len(n.entries) > 100 {
			continue
		}
		for _, sub := range t.fn.entries {
			if sub.depth+1 > maxChain {
				continue
			}
			if c := sub.lock.Class; class != "" && c != "" && c != class && !strings.Contains(c, "[") && sub.param == 0 && sub.free == 0 {
				continue
			}
			out = l.through(out, n, ev, t, sub)
		}
	}
	return out
}

// through puts one entry of a callee in n's terms.
func (l *linker) through(out []*entry, n *node, ev *lockobj.Event, t target, sub *entry) []*entry {
	when, possible := l.condsInTerms(sub.when, t)
	if possible {
		_, possible = both(ev.When, when)
	}
	if !possible {
		return out
	}
	if c, ok := typed(ev, t); ok && len(when) < maxWhen {
		when = append(slices.Clip(when), c)
	}
	e := &entry{fn: n, ev: ev, to: t.fn, sub: sub, depth: sub.depth + 1, held: sub.held, ifaces: sub.ifaces, ambiguous: sub.ambiguous, when: when}
	if t.iface != "" {
		e.ifaces = add(e.ifaces, t.iface)
		if l.decorates(n, ev) {
			e.ifaces = add(e.ifaces, decorator)
		}
		if t.multi {
			e.ambiguous++
		}
		if t.maybe || t.many {
			// An optional callback is a guess about which objects have it,
			// a dispatch to many about which object is there.
			e.ambiguous += 2
		}
	}
	for _, b := range sub.by {
		b.lock, _ = l.inTerms(b.lock, t.args, t.bind)
		e.by = append(e.by, b)
	}
	for _, d := range sub.drop {
		d, _ := l.inTerms(d, t.args, t.bind)
		e.drop = append(e.drop, d)
	}
	if sub.param == 0 && sub.free == 0 {
		lock, ok := l.inTerms(sub.lock, t.args, t.bind)
		e.fresh = !ok
		if lock.Class == "" && lock.Path == "" {
			return out
		}
		e.lock = lock
		return append(out, e)
	}
	// The callee calls a function that it was given.
	var a *lockobj.Arg
	switch {
	case sub.param > 0 && sub.param <= len(t.args):
		a = &t.args[sub.param-1]
	case sub.free > 0 && sub.free <= len(t.bind):
		a = &t.bind[sub.free-1]
	}
	if a == nil || a.Func == nil {
		return out
	}
	args := l.argsInTerms(sub.args, t)
	switch {
	case a.Func.Param > 0:
		e.param, e.args = a.Func.Param, args
		return append(out, e)
	case a.Func.Free > 0:
		e.free, e.args = a.Func.Free, args
		return append(out, e)
	}
	g := l.funcs[a.Func.Sym]
	if g == nil {
		return out
	}
	call := sub
	for call.sub != nil {
		call = call.sub
	}
	for _, ge := range g.entries {
		if sub.depth+ge.depth+2 > maxChain {
			continue
		}
		for _, te := range l.through(nil, call.fn, call.ev, target{fn: g, args: args, bind: a.Func.Bind}, ge) {
			c := *e
			c.lock, c.param, c.free, c.args = te.lock, te.param, te.free, te.args
			c.then = te
			c.fresh = e.fresh || te.fresh
			c.depth = sub.depth + te.depth + 1
			c.held = append(slices.Clip(e.held), te.held...)
			c.by = append(slices.Clip(e.by), te.by...)
			c.ambiguous += te.ambiguous
			for _, i := range te.ifaces {
				c.ifaces = add(c.ifaces, i)
			}
			c.drop = append(slices.Clone(e.drop), te.drop...)
			out = append(out, &c)
		}
	}
	return out
}

// decorator stands for all interfaces through which a type calls a method that
// it has itself, as one does that wraps another: two edges through such calls
// are two floors of one tower, whatever the methods are.
const decorator = "decorator"

// decorates reports whether a call through an interface is such a call.
func (l *linker) decorates(n *node, ev *lockobj.Event) bool {
	if ev.Callee.Kind != lockobj.Interface || len(n.ParamTypes) == 0 || n.ParamTypes[0] == "" {
		return false
	}
	for _, name := range []string{"*" + n.ParamTypes[0], n.ParamTypes[0]} {
		if slices.ContainsFunc(l.types[name].Methods, func(m lockobj.Method) bool { return m.Name == ev.Callee.Method }) {
			return true
		}
	}
	return false
}

func add(ss []string, s string) []string {
	if slices.Contains(ss, s) {
		return ss
	}
	return append(slices.Clip(ss), s)
}

// addEntry keeps an entry unless there are as good ones.
func (l *linker) addEntry(n *node, e *entry) bool {
	if n.byClass {
		e.lock.Path = ""
		e.drop = nil
		if e.param == 0 && e.free == 0 && e.lock.Class == "" {
			return false
		}
	}
	key := e.key()
	same := n.index[key]
	for _, i := range same {
		o := n.entries[i]
		if o.ambiguous <= e.ambiguous && gatesSubset(o.held, e.held) && !e.less(o) {
			return false
		}
	}
	if len(same) > 0 {
		// Replace one that e makes useless, or the worst if there are many.
		for _, i := range same {
			o := n.entries[i]
			if e.ambiguous <= o.ambiguous && gatesSubset(e.held, o.held) && !o.less(e) {
				if o.depth <= e.depth && o.ambiguous <= e.ambiguous && len(o.held) <= len(e.held) {
					return false
				}
				n.entries[i] = e
				return true
			}
		}
		if len(same) >= maxSame {
			worst := same[0]
			for _, i := range same {
				if n.entries[worst].less(n.entries[i]) {
					worst = i
				}
			}
			if !e.less(n.entries[worst]) {
				return false
			}
			n.entries[worst] = e
			return true
		}
	}
	if len(n.entries) >= maxEntries {
		if n.byClass {
			return false
		}
		n.byClass = true
		l.res.Stats["functions known by class only"]++
		old := n.entries
		n.entries = nil
		clear(n.index)
		for _, o := range old {
			c := *o
			l.addEntry(n, &c)
		}
		return l.addEntry(n, e)
	}
	n.index[key] = append(n.index[key], len(n.entries))
	n.entries = append(n.entries, e)
	return true
}

func gatesSubset(a, b []lockgraph.Gate) bool {
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}
