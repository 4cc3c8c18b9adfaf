package link

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/lockobj"
)

// Before paths, conditions and instances are followed, a coarse look at classes
// alone: which may be acquired under which, whatever the conditions. A class
// that lies on no ring even so, and is held at no wait, is part of no finding,
// and nothing more is worked out of it. Most classes of most programs are such.

// A classSet is a set of class numbers; nil is empty.
type classSet []uint64

func (s *classSet) add(i int) {
	for i/64 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

// addAll reports whether anything was new.
func (s *classSet) addAll(o classSet) bool {
	for len(*s) < len(o) {
		*s = append(*s, 0)
	}
	changed := false
	for i, w := range o {
		changed = changed || w&^(*s)[i] != 0
		(*s)[i] |= w
	}
	return changed
}

func (s classSet) has(i int) bool { return i/64 < len(s) && s[i/64]&(1<<(i%64)) != 0 }

func (s classSet) all(yield func(int) bool) {
	for i, w := range s {
		for b := 0; w != 0; b, w = b+1, w>>1 {
			if w&1 != 0 && !yield(64*i+b) {
				return
			}
		}
	}
}

const (
	// generic stands for all classes of type parameters, which callers name.
	generic = iota
	// open stands for locks that only callers know.
	open
)

// reach is what the functions of one component of the call graph may do.
type reach struct {
	acquires classSet
	// heldInto are held when one of them calls a function it was given.
	heldInto classSet
	waits    bool
}

type coarse struct {
	l      *linker
	number map[string]int
	names  []string
	of     map[*node]*reach
	under  []classSet // what is acquired under each class
	atWait classSet
}

// findRelevant sets l.relevant.
func (l *linker) findRelevant() {
	c := &coarse{l: l, number: map[string]int{}, names: []string{"[", ""}, of: map[*node]*reach{}, under: make([]classSet, 2)}
	sccs := l.components()
	for _, scc := range sccs {
		r := &reach{}
		for _, n := range scc {
			c.of[n] = r
		}
	}
	// Callees come first, so that one round is enough but for functions that
	// are passed on; each round adds to finite sets.
	for changed := true; changed; {
		changed = false
		for _, scc := range sccs {
			for _, n := range scc {
				for i := range n.Events {
					changed = c.sum(c.of[n], n, i) || changed
				}
			}
		}
	}
	for _, n := range l.nodes {
		for i := range n.Events {
			c.draw(n, i)
		}
	}
	l.relevant = map[string]bool{}
	for i, onRing := range c.rings() {
		l.relevant[c.names[i]] = onRing || c.atWait.has(i)
	}
	for _, d := range l.directives(directive.Order) {
		for class := range l.relevant {
			if slices.ContainsFunc(d.Args, func(name string) bool { return l.called(name, class) }) {
				l.relevant[class] = true
			}
		}
	}
}

// isRelevant reports whether a lock of the class may be part of a finding.
func (l *linker) isRelevant(class string) bool {
	if class == "" || strings.Contains(class, "[") {
		return true
	}
	relevant, known := l.relevant[class]
	return relevant || !known
}

func (c *coarse) id(class string) int {
	switch {
	case class == "":
		return open
	case strings.Contains(class, "["):
		return generic
	}
	i, ok := c.number[class]
	if !ok {
		i = len(c.names)
		c.number[class] = i
		c.names = append(c.names, class)
		c.under = append(c.under, nil)
	}
	return i
}

// happening is what an event may come to.
type happening struct {
	reach
	given classSet // what functions passed on may acquire
}

// at returns what may happen at an event.
func (c *coarse) at(n *node, i int) happening {
	var h happening
	ev := &n.Events[i]
	switch ev.Kind {
	case lockobj.Acquire:
		if !ev.Try {
			h.acquires.add(c.id(ev.Lock.Class))
		}
	case lockobj.Wait:
		h.waits = true
	case lockobj.Call, lockobj.Go:
		if k := ev.Callee.Kind; k == lockobj.ParamFunc || k == lockobj.FreeFunc {
			c.hold(&h.heldInto, ev)
		}
		for _, t := range n.targets[i] {
			c.join(&h, c.of[t.fn])
			c.args(&h, ev, t.args)
			c.args(&h, ev, t.bind)
		}
		if len(n.targets[i]) == 0 {
			c.args(&h, ev, ev.Args)
		}
		h.acquires.addAll(h.given)
		if h.acquires.has(open) {
			for _, t := range n.targets[i] {
				c.classes(&h, t.args)
				c.classes(&h, t.bind)
			}
		}
	}
	return h
}

func (c *coarse) join(h *happening, r *reach) {
	if r == nil {
		return
	}
	h.acquires.addAll(r.acquires)
	h.heldInto.addAll(r.heldInto)
	h.waits = h.waits || r.waits
}

// args adds what functions among arguments may do: the callee may call them.
func (c *coarse) args(h *happening, ev *lockobj.Event, as []lockobj.Arg) {
	for _, a := range as {
		if a.Func == nil {
			continue
		}
		if a.Func.Param > 0 || a.Func.Free > 0 {
			c.hold(&h.heldInto, ev)
		}
		if r := c.of[c.l.funcs[a.Func.Sym]]; r != nil {
			c.join(h, r)
			h.given.addAll(r.acquires)
		}
		c.args(h, ev, a.Func.Bind)
	}
}

// classes adds the locks among arguments.
func (c *coarse) classes(h *happening, as []lockobj.Arg) {
	for _, a := range as {
		if a.Class != "" {
			h.acquires.add(c.id(a.Class))
		}
		if a.Func != nil {
			c.classes(h, a.Func.Bind)
		}
	}
}

func (c *coarse) hold(s *classSet, ev *lockobj.Event) {
	for _, held := range ev.Held {
		s.add(c.id(held.Class))
	}
}

// sum adds an event to what its function may do, and reports whether that was
// new.
func (c *coarse) sum(r *reach, n *node, i int) bool {
	h := c.at(n, i)
	changed := r.heldInto.addAll(h.heldInto)
	if n.Events[i].Kind != lockobj.Go {
		changed = r.acquires.addAll(h.acquires) || changed
		changed = changed || h.waits && !r.waits
		r.waits = r.waits || h.waits
	}
	return changed
}

// draw adds the edges that an event makes.
func (c *coarse) draw(n *node, i int) {
	ev := &n.Events[i]
	h := c.at(n, i)
	var holders classSet
	c.hold(&holders, ev)
	for from := range holders.all {
		c.under[from].addAll(h.acquires)
	}
	for from := range h.heldInto.all {
		c.under[from].addAll(h.given)
	}
	if h.waits {
		c.atWait.addAll(holders)
		c.atWait.addAll(h.heldInto)
	}
}

// rings tells of each class whether it is acquired, by however many steps, under
// itself.
func (c *coarse) rings() []bool {
	// Tarjan's algorithm, as in components; the graph of classes is small
	// enough for recursion bounded by their number.
	n := len(c.names)
	on := make([]bool, n)
	index, low := make([]int, n), make([]int, n)
	stacked := make([]bool, n)
	var stack []int
	count := 0
	var visit func(v int)
	visit = func(v int) {
		count++
		index[v], low[v] = count, count
		stack = append(stack, v)
		stacked[v] = true
		for w := range c.under[v].all {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if stacked[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		ring := stack[at:]
		for _, w := range ring {
			stacked[w] = false
			on[w] = len(ring) > 1 || c.under[w].has(w)
		}
		stack = stack[:at]
	}
	for v := range n {
		if index[v] == 0 {
			visit(v)
		}
	}
	return on
}
