package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/lockgraph"
	"github.com/lockvet/lockvet/internal/lockobj"
)

// witness is what an edge of the graph carries: the function that holds the
// first lock, the lock, and the way to the second.
type witness struct {
	n *node
	h lockobj.Held
	e *entry
	// A function argument that n calls: n's way to the call, and who gave it.
	way   *entry
	giver *node
	given *lockobj.Event
	// A lock handed over: who started n, and the lock acquired in the
	// starter's terms.
	starter *node
	lock    lockobj.Lock
}

// acquired is the second lock.
func (w *witness) acquired() lockobj.Lock {
	if w.starter != nil {
		return w.lock
	}
	return w.e.lock
}

// at is the point in n from which the second lock is reached.
func (w *witness) at() lockobj.Pos {
	if w.way != nil {
		return w.way.ev.Pos
	}
	return w.e.ev.Pos
}

// sameClass is one class acquired while held.
type sameClass struct {
	witness
	category string // recursive or nesting
}

// edges draws the graph: for every event with locks held, what is acquired
// there.
func (l *linker) edges() {
	l.programs()
	for _, n := range l.nodes {
		if n.Init || l.dead(n) {
			continue
		}
		for i := range n.Events {
			ev := &n.Events[i]
			switch ev.Kind {
			case lockobj.Acquire:
				if len(ev.Held) > 0 {
					l.edgesFrom(n, ev, ev.Held, n.heldAt(ev), l.entriesAt(n, i, ev))
				}
			case lockobj.Call:
				l.edgesFrom(n, ev, ev.Held, n.heldAt(ev), l.entriesAt(n, i, ev))
			case lockobj.Go:
				l.handedOver(n, ev, n.targets[i])
			}
		}
	}
}

// programs notes the classes that functions outside tests acquire.
func (l *linker) programs() {
	l.program = map[string]bool{}
	for _, n := range l.nodes {
		for i := range n.Events {
			if ev := &n.Events[i]; ev.Kind == lockobj.Acquire && !n.Test {
				l.program[ev.Lock.Class] = true
			}
		}
	}
}

// staged reports whether a test holds a lock of the program that it tests: it
// does so to make something happen, on objects of its own, and says nothing of
// what the program does.
func (l *linker) staged(n *node, class string) bool { return n.Test && l.program[class] }

// dead reports whether nothing can run a function.
func (l *linker) dead(n *node) bool {
	return n.callers == 0 && !n.Exported && !n.Escapes && !n.Used && !l.passed(n)
}

// edgesFrom adds the dependencies of what happens at an event on the locks
// held there, and on those that callees hold when they call on into a function
// they were given here.
func (l *linker) edgesFrom(n *node, ev *lockobj.Event, held []lockobj.Held, gates []lockgraph.Gate, entries []*entry) {
	for _, e := range entries {
		if e.param > 0 || e.free > 0 || e.lock.Class == "" {
			continue
		}
		if slices.ContainsFunc(held, func(h lockobj.Held) bool { return h.Maybe && h.Class == e.lock.Class }) {
			continue // released before, or this never happens
		}
		for j, h := range held {
			if h.Class == "" || h.Maybe || dropped(h, e.drop) {
				continue
			}
			w := &witness{n: n, h: h, e: e}
			if h.Class == e.lock.Class {
				l.sameClass(w, h.Path)
				continue
			}
			if !h.Fresh && !e.fresh {
				l.edge(w, held[j+1:], e.held, gates)
			}
		}
		if e.then == nil || e.fresh {
			continue
		}
		for j, b := range e.by {
			h := b.h
			if dropped(lockobj.Held{Lock: b.lock}, e.drop) {
				continue
			}
			w := &witness{n: b.n, h: h, e: e.then, way: b.way, given: ev, giver: n}
			if h.Class == e.lock.Class {
				l.sameClass(w, b.lock.Path)
				continue
			}
			var later []lockobj.Held
			for _, o := range e.by[j+1:] {
				later = append(later, o.h)
			}
			l.edge(w, later, e.then.held, append(slices.Clone(gates), b.n.heldAt(b.ev)...))
		}
	}
}

// handedOver adds the dependencies inside a goroutine on the locks that its
// starter hands over: those that the goroutine releases.
func (l *linker) handedOver(n *node, ev *lockobj.Event, targets []target) {
	if len(ev.Held) == 0 {
		return
	}
	for _, t := range targets {
		for _, k := range t.fn.Entry {
			k, ok := l.inTerms(k, t.args, t.bind)
			if !ok {
				continue
			}
			i := slices.IndexFunc(ev.Held, func(h lockobj.Held) bool { return dropped(h, []lockobj.Lock{k}) })
			if i < 0 {
				continue
			}
			for _, sub := range t.fn.entries {
				for _, e := range l.through(nil, n, ev, t, sub) {
					h := ev.Held[i]
					if e.param > 0 || e.free > 0 || e.fresh || h.Fresh || e.lock.Class == "" || e.lock.Class == h.Class || dropped(h, e.drop) {
						continue
					}
					w := &witness{n: t.fn, h: h, e: sub, lock: e.lock, starter: n}
					l.edge(w, nil, sub.held, nil)
				}
			}
		}
	}
}

// edge adds the dependency that a witness shows; later are the locks that the
// holder acquired after the witness's, inner those of its callees.
func (l *linker) edge(w *witness, later []lockobj.Held, inner, gates []lockgraph.Gate) {
	if l.staged(w.n, w.h.Class) || l.retakes(w) {
		return
	}
	e := w.e
	to := w.acquired()
	g := &lockgraph.Edge{
		From: w.h.Class, To: to.Class,
		FromRead: w.h.Mode == lockobj.Read, ToRead: to.Mode == lockobj.Read,
		Ifaces: e.ifaces, Ambiguous: e.ambiguous,
		Length: e.depth,
		Key:    fmt.Sprintf("%s:%09d:%05d:%s", e.ev.Pos.File, e.ev.Pos.Line, e.ev.Pos.Col, w.n.Sym),
		Fn:     w.n.Sym,
		Data:   w,
	}
	if w.way != nil {
		g.Ambiguous += w.way.ambiguous
		g.Length += w.way.depth
		for _, i := range w.way.ifaces {
			g.Ifaces = add(g.Ifaces, i)
		}
	}
	for _, o := range later {
		if !o.Try && o.Class != "" && !o.Fresh && !dropped(o, e.drop) {
			g.Inner = append(g.Inner, o.Class)
		}
	}
	for _, o := range inner {
		g.Inner = append(g.Inner, o.Class)
	}
	if w.starter == nil && w.way == nil && (ofReceiver(w.h.Path) || ofReceiver(to.Path)) {
		gates = slices.Concat(gates, w.n.heldFrom(w.n.own, e.ev))
	}
	if slices.Contains(g.Inner, g.From) || slices.Contains(g.Inner, g.To) {
		return
	}
	for _, gate := range append(slices.Clone(gates), inner...) {
		switch {
		case gate.Class == g.From || slices.ContainsFunc(e.drop, func(d lockobj.Lock) bool { return d.Class == gate.Class }):
		case gate.Class == g.To:
			g.Outer = true
		default:
			g.Gates = append(g.Gates, gate)
		}
	}
	g.Gates = sortGates(g.Gates)
	g.FromSite, g.ToSite = place(w.h.Pos), place(e.last().ev.Pos)
	l.graph.Add(g)
}

// retakes reports whether the function that acquires a witness's second lock
// goes on to acquire the first, or one of its class. On the way of the witness
// it would wait for itself, so that its callers must be others, or for another
// object, which is then no part of a ring with the one that is held.
func (l *linker) retakes(w *witness) bool {
	guesses := w.e.ambiguous // no more than there are on the way of the witness
	if w.way != nil {
		guesses += w.way.ambiguous
	}
	leaf := w.e.last()
	if leaf == w.e && w.way == nil || leaf.ev.Kind != lockobj.Acquire {
		return false
	}
	for i := range leaf.fn.Events {
		ev := &leaf.fn.Events[i]
		if !slices.ContainsFunc(ev.Held, func(h lockobj.Held) bool { return h.Pos == leaf.ev.Pos && !h.Maybe }) {
			continue
		}
		for _, e := range l.entriesOf(leaf.fn, i, ev, w.h.Class) {
			excluded := e.lock.Class == w.h.Class && (w.h.Mode == lockobj.Write || e.lock.Mode == lockobj.Write)
			// What hands a call on to another of its kind does so there, too.
			again := slices.ContainsFunc(e.ifaces, func(i string) bool { return slices.Contains(w.e.ifaces, i) })
			surely := implied(ev.When, leaf.ev.When) && always(e.when) && (e.ambiguous <= guesses || again)
			if excluded && surely && len(e.held) == 0 && !e.fresh {
				return true
			}
		}
	}
	return false
}

// implied reports whether all conditions are among others.
func implied(conds, by []lockobj.Cond) bool {
	return !slices.ContainsFunc(conds, func(c lockobj.Cond) bool { return !slices.Contains(by, c) })
}

// place is a position as the graph compares it.
func place(p lockobj.Pos) lockgraph.Site { return lockgraph.Site(p) }

// last is the acquisition that an entry leads to.
func (e *entry) last() *entry {
	for e.sub != nil || e.then != nil {
		if e.then != nil {
			e = e.then
		} else {
			e = e.sub
		}
	}
	return e
}

// ofReceiver reports whether a path leads to a part of the receiver, or first
// parameter, itself.
func ofReceiver(p lockobj.Path) bool {
	root, steps := p.Split()
	return root == "p0" && lockobj.Inside(steps)
}

// sameClass decides what the second acquisition of a held class is: the same
// instance again, two instances that nothing orders, or neither for sure.
func (l *linker) sameClass(w *witness, held lockobj.Path) {
	h, e := w.h, w.e
	if e.ev.Kind == lockobj.Acquire && w.n.leaks(h.Pos) {
		return // the next turn of a loop that leaves it held
	}
	if e.ambiguous > 0 || w.way != nil && w.way.ambiguous > 0 {
		return
	}
	if e.to == w.n && l.decorates(w.n, e.ev) {
		return // what it wraps is of another type: no call would ever end
	}
	readers := h.Mode == lockobj.Read && e.lock.Mode == lockobj.Read
	if readers && (h.Fresh || !l.graph.HasWriter(h.Class)) {
		return
	}
	if l.sameInstance(w.n, held, e) {
		l.same = append(l.same, &sameClass{*w, "recursive"})
		return
	}
	if h.Fresh || e.fresh || l.orderedBelow(e) || !w.n.unordered(held, e.lock.Path) || l.callersOrder(w.n, held, e.lock.Path) {
		return
	}
	l.same = append(l.same, &sameClass{*w, "nesting"})
}

// sameInstance reports whether the lock held and the lock acquired are provably
// one: equal paths, through no field that a function on the way assigns.
func (l *linker) sameInstance(n *node, a lockobj.Path, e *entry) bool {
	b := e.lock.Path
	if a == "" || b == "" || a.Plain() != b.Plain() {
		return false
	}
	if strings.Contains(string(a), "'") || strings.Contains(string(b), "'") {
		return false
	}
	if strings.Contains(string(a), "[*]") || strings.Contains(string(b), "[*]") {
		return false
	}
	if !strings.Contains(string(a), "~") && !strings.Contains(string(b), "~") {
		return true
	}
	if strings.HasPrefix(string(a), "%~") || strings.Contains(string(a), ".~.") {
		return false // a variable that is assigned more than once
	}
	fields := mutable(string(a) + string(b))
	sets := func(f *lockobj.Func) bool {
		for _, s := range f.Sets {
			if slices.Contains(fields, s) {
				return true
			}
		}
		return false
	}
	if sets(n.Func) {
		return false
	}
	var walk func(e *entry) bool
	walk = func(e *entry) bool {
		if e == nil {
			return true
		}
		return !sets(e.fn.Func) && walk(e.sub) && walk(e.then)
	}
	return walk(e)
}

// mutable lists the reassigned fields on a path.
func mutable(p string) []string {
	var out []string
	for {
		i := strings.Index(p, ".~")
		if i < 0 {
			return out
		}
		p = p[i+2:]
		j := strings.IndexAny(p, ".[>")
		if j < 0 {
			j = len(p)
		}
		out = append(out, p[:j])
	}
}
