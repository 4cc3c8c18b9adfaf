package link

import (
	"cmp"
	"slices"

	"github.com/lockvet/lockvet/internal/lockgraph"
	"github.com/lockvet/lockvet/internal/lockobj"
)

// surelyHeld computes the classes that are held whenever a function starts:
// the intersection over its callers. Entry points hold nothing.
func (l *linker) surelyHeld() {
	var work []*node
	queued := map[*node]bool{}
	push := func(n *node) {
		if !queued[n] {
			queued[n] = true
			work = append(work, n)
		}
	}
	for _, n := range l.nodes {
		n.mustTop = true
		if n.Exported || n.Escapes || n.Init || n.callers == 0 && !n.Wrapper && !l.passed(n) {
			n.mustTop = false
			push(n)
		}
	}
	meet := func(n *node, held []lockgraph.Gate) {
		if n.mustTop {
			n.mustTop = false
			n.must = held
			push(n)
			return
		}
		var both []lockgraph.Gate
		for _, g := range n.must {
			if slices.Contains(held, g) {
				both = append(both, g)
			}
		}
		if len(both) != len(n.must) {
			n.must = both
			push(n)
		}
	}
	for len(work) > 0 {
		n := work[0]
		work = work[1:]
		queued[n] = false
		for i := range n.Events {
			ev := &n.Events[i]
			var held []lockgraph.Gate
			if ev.Kind == lockobj.Call {
				held = n.heldAt(ev)
			}
			for _, t := range n.targets[i] {
				meet(t.fn, held)
			}
			for _, as := range [][]lockobj.Arg{ev.Args, ev.Callee.Bind} {
				for _, a := range as {
					if a.Func != nil && a.Func.Sym != "" {
						if g := l.funcs[a.Func.Sym]; g != nil {
							meet(g, held)
						}
					}
				}
			}
		}
	}
}

// passed reports whether a function without callers is given to one as an
// argument, so that its callers are known all the same.
func (l *linker) passed(n *node) bool {
	if l.given == nil {
		l.given = map[string]bool{}
		for _, m := range l.nodes {
			for i := range m.Events {
				l.giveAll(m.Events[i].Args)
				l.giveAll(m.Events[i].Callee.Bind)
			}
		}
	}
	return l.given[n.Sym]
}

// giveAll notes the functions among arguments, and those that they captured.
func (l *linker) giveAll(args []lockobj.Arg) {
	for _, a := range args {
		if a.Func != nil {
			if a.Func.Sym != "" {
				l.given[a.Func.Sym] = true
			}
			l.giveAll(a.Func.Bind)
		}
	}
}

// heldAt returns the gates that are surely held at an event.
func (n *node) heldAt(ev *lockobj.Event) []lockgraph.Gate {
	var out []lockgraph.Gate
	for _, g := range n.must {
		if !slices.ContainsFunc(ev.Dropped, func(d lockobj.Lock) bool { return d.Class == g.Class }) {
			out = append(out, g)
		}
	}
	for _, h := range ev.Held {
		if g := (lockgraph.Gate{Class: h.Class, Read: h.Mode == lockobj.Read}); h.Class != "" && !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

// dropped reports whether a held lock has been given up by a callee.
func dropped(h lockobj.Held, drop []lockobj.Lock) bool {
	for _, d := range drop {
		if d.Path != "" && h.Path != "" {
			if d.Path.Plain() == h.Path.Plain() {
				return true
			}
			if certain(d.Path) && certain(h.Path) {
				continue
			}
		}
		if d.Class != "" && d.Class == h.Class {
			return true
		}
	}
	return false
}

// certain reports whether a path is made of parameters, variables and fields
// only, so that another such path is another instance.
func certain(p lockobj.Path) bool {
	if !p.Proven() || p.Local() {
		return false
	}
	for _, c := range []byte(p) {
		if c == '[' {
			return false
		}
	}
	return true
}

func sortGates(gs []lockgraph.Gate) []lockgraph.Gate {
	slices.SortFunc(gs, func(a, b lockgraph.Gate) int {
		if c := cmp.Compare(a.Class, b.Class); c != 0 {
			return c
		}
		if a.Read != b.Read && a.Read {
			return 1
		} else if a.Read != b.Read {
			return -1
		}
		return 0
	})
	return slices.Compact(gs)
}
