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
}

// sameClass is one class acquired while held.
type sameClass struct {
	witness
	category string // recursive or nesting
}

// edges draws the graph: for every event with locks held, what is acquired
// there.
func (l *linker) edges() {
	for _, n := range l.nodes {
		if n.Init || n.Silent {
			continue
		}
		for i := range n.Events {
			ev := &n.Events[i]
			if len(ev.Held) == 0 {
				continue
			}
			for _, e := range l.entriesAt(n, i, ev) {
				if e.param > 0 || e.free > 0 || e.lock.Class == "" {
					continue
				}
				for j, h := range ev.Held {
					if h.Class == "" || dropped(h, e.drop) {
						continue
					}
					if h.Class == e.lock.Class {
						l.sameClass(n, ev, h, e)
						continue
					}
					l.edge(n, ev, j, e)
				}
			}
		}
	}
}

// edge adds the dependency of an entry on the j'th lock held at an event.
func (l *linker) edge(n *node, ev *lockobj.Event, j int, e *entry) {
	h := ev.Held[j]
	g := &lockgraph.Edge{
		From: h.Class, To: e.lock.Class,
		FromRead: h.Mode == lockobj.Read, ToRead: e.lock.Mode == lockobj.Read,
		Ifaces: e.ifaces, Ambiguous: e.ambiguous,
		Length: e.depth,
		Key:    fmt.Sprintf("%s:%09d:%05d:%s", ev.Pos.File, ev.Pos.Line, ev.Pos.Col, n.Sym),
		Fn:     base(n.Sym),
		Data:   &witness{n, h, e},
	}
	for _, o := range ev.Held[j+1:] {
		if !o.Try && o.Class != "" && !dropped(o, e.drop) {
			g.Inner = append(g.Inner, o.Class)
		}
	}
	for _, o := range e.held {
		g.Inner = append(g.Inner, o.Class)
	}
	if slices.Contains(g.Inner, g.From) || slices.Contains(g.Inner, g.To) {
		return
	}
	for _, gate := range append(n.heldAt(ev), e.held...) {
		if gate.Class != g.From && gate.Class != g.To && !slices.ContainsFunc(e.drop, func(d lockobj.Lock) bool { return d.Class == gate.Class }) {
			g.Gates = append(g.Gates, gate)
		}
	}
	g.Gates = sortGates(g.Gates)
	l.graph.Add(g)
}

// sameClass decides what the second acquisition of a held class is: the same
// instance again, two instances that nothing orders, or neither for sure.
func (l *linker) sameClass(n *node, ev *lockobj.Event, h lockobj.Held, e *entry) {
	if e.ambiguous > 0 {
		return
	}
	if l.sameInstance(n, h, e) {
		if h.Mode == lockobj.Read && e.lock.Mode == lockobj.Read && !l.graph.HasWriter(h.Class) {
			return
		}
		l.same = append(l.same, &sameClass{witness{n, h, e}, "recursive"})
		return
	}
	if ev.Ordered || !unordered(h.Path, e.lock.Path) {
		return
	}
	if h.Mode == lockobj.Read && e.lock.Mode == lockobj.Read && !l.graph.HasWriter(h.Class) {
		return
	}
	if l.orderedBelow(e) {
		return
	}
	l.same = append(l.same, &sameClass{witness{n, h, e}, "nesting"})
}

// orderedBelow reports whether a function on the way compares the two.
func (l *linker) orderedBelow(e *entry) bool {
	for ; e != nil; e = e.sub {
		if e.ev.Ordered {
			return true
		}
	}
	return false
}

// sameInstance reports whether the lock held and the lock acquired are provably
// one: equal paths, through no field that a function on the way assigns.
func (l *linker) sameInstance(n *node, h lockobj.Held, e *entry) bool {
	a, b := h.Path, e.lock.Path
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
		j := strings.IndexAny(p, ".[")
		if j < 0 {
			j = len(p)
		}
		out = append(out, p[:j])
	}
}

// unordered reports whether two paths are two instances that the caller picks:
// two parameters, two elements by parameters, or elements of a slice that the
// caller gave, locked one after the other.
func unordered(a, b lockobj.Path) bool {
	ra, sa := a.Split()
	rb, sb := b.Split()
	if _, ok := number(ra, 'p'); ok {
		if _, ok := number(rb, 'p'); ok && ra != rb && sa == sb && !strings.Contains(sa, "[") {
			return true
		}
	}
	// Same container, two indices given by the caller.
	ca, ia, ta, ok1 := indexed(string(a))
	cb, ib, tb, ok2 := indexed(string(b))
	if !ok1 || !ok2 || ca != cb || ta != tb {
		return false
	}
	if _, ok := number(ia, 'p'); ok {
		if _, ok := number(ib, 'p'); ok && ia != ib {
			return true
		}
	}
	// The elements of a parameter, one iteration after the other.
	if _, ok := number(ca, 'p'); ok && strings.TrimSuffix(ia, "'") == strings.TrimSuffix(ib, "'") && ia != ib {
		return true
	}
	return false
}

// indexed splits a path at its first index: container, index, rest.
func indexed(p string) (container, index, rest string, ok bool) {
	i := strings.IndexByte(p, '[')
	if i < 0 {
		return "", "", "", false
	}
	j := strings.IndexByte(p[i:], ']')
	if j < 0 {
		return "", "", "", false
	}
	return p[:i], p[i+1 : i+j], p[i+j+1:], true
}
