package link

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/lockgraph"
	"github.com/lockvet/lockvet/internal/lockobj"
)

// surelyHeld computes the classes that are held whenever a function starts:
// the intersection over its callers. Entry points hold nothing.
func (l *linker) surelyHeld() {
	l.dispatch = l.dispatched()
	l.spreadHeld(false)
	l.spreadHeld(true)
}

// entered reports whether a function may be started by code that is not seen,
// or by nobody that is known. A method of a type that others cannot name counts
// only if it is reached by way of an interface.
func (l *linker) entered(n *node) bool {
	if n.Escapes || n.Init || n.callers == 0 && !n.Wrapper && !l.passed(n) {
		return true
	}
	return n.Exported && (n.callers == 0 || l.dispatch[n.Sym] || !hiddenMethod(n.Sym))
}

// dispatched lists the methods of the types that are converted to interfaces
// which others may use.
func (l *linker) dispatched() map[string]bool {
	out := map[string]bool{}
	for _, p := range l.pkgs {
		for _, c := range p.Convs {
			if c.Iface || c.Private {
				continue
			}
			for _, m := range l.types[c.From].Methods {
				out[m.Sym] = true
			}
		}
	}
	return out
}

// hiddenMethod reports whether a symbol is that of a method of an unexported
// type: (*path/pkg.name).Method.
func hiddenMethod(sym string) bool {
	recv, _, ok := strings.Cut(strings.TrimPrefix(sym, "("), ").")
	if !ok || sym[0] != '(' {
		return false
	}
	recv = recv[strings.LastIndexByte(recv, '/')+1:]
	dot := strings.IndexByte(recv, '.')
	return dot >= 0 && dot+1 < len(recv) && (recv[dot+1] < 'A' || recv[dot+1] > 'Z')
}

// spreadHeld is one run of surelyHeld. With own it leaves out the calls of
// methods on objects that nobody else can reach yet: what a constructor does
// says nothing of the object's own locks.
func (l *linker) spreadHeld(own bool) {
	var work []*node
	queued := map[*node]bool{}
	push := func(n *node) {
		if !queued[n] {
			queued[n] = true
			work = append(work, n)
		}
	}
	set := func(n *node, held []lockgraph.Gate) {
		if own {
			n.own = held
		} else {
			n.must = held
		}
	}
	for _, n := range l.nodes {
		n.mustTop = true
		if l.entered(n) {
			n.mustTop = false
			push(n)
		}
	}
	meet := func(n *node, held []lockgraph.Gate) {
		if n.mustTop {
			n.mustTop = false
			set(n, held)
			push(n)
			return
		}
		before := n.must
		if own {
			before = n.own
		}
		var both []lockgraph.Gate
		for _, g := range before {
			if slices.Contains(held, g) {
				both = append(both, g)
			}
		}
		if len(both) != len(before) {
			set(n, both)
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
				from := n.must
				if root := receiver(ev); own && root == "p0" {
					from = n.own
				}
				held = n.heldFrom(from, ev)
			}
			for _, t := range n.targets[i] {
				if own && len(t.args) > 0 && t.args[0].Fresh {
					continue
				}
				meet(t.fn, held)
			}
			for _, as := range [][]lockobj.Arg{ev.Args, ev.Callee.Bind} {
				for j, a := range as {
					if a.Func == nil || a.Func.Sym == "" {
						continue
					}
					g := l.funcs[a.Func.Sym]
					if g == nil {
						continue
					}
					inside := held
					if ev.Kind == lockobj.Call && len(n.targets[i]) == 1 && j < len(ev.Args) && &as[0] == &ev.Args[0] {
						inside = l.heldAround(n.targets[i][0].fn, j, held, 0)
					}
					meet(g, inside)
				}
			}
		}
	}
}

// receiver is the root of the first argument of a call.
func receiver(ev *lockobj.Event) string {
	if len(ev.Args) == 0 {
		return ""
	}
	root, _ := ev.Args[0].Path.Split()
	return root
}

// maxAround bounds the calls through which a function argument is followed to
// where it is called.
const maxAround = 3

// heldAround adds to what is held at a call of n what n and those to whom it
// passes its argument on surely hold when they call it.
func (l *linker) heldAround(n *node, param int, held []lockgraph.Gate, depth int) []lockgraph.Gate {
	var out []lockgraph.Gate
	found := false
	add := func(gates []lockgraph.Gate) {
		if !found {
			found, out = true, gates
			return
		}
		out = slices.DeleteFunc(slices.Clone(out), func(g lockgraph.Gate) bool { return !slices.Contains(gates, g) })
	}
	for i := range n.Events {
		ev := &n.Events[i]
		if ev.Kind != lockobj.Call {
			if passes(ev, param) {
				return held
			}
			continue
		}
		if ev.Callee.Kind == lockobj.ParamFunc && ev.Callee.Index == param {
			add(n.heldFrom(held, ev))
		}
		for j, a := range ev.Args {
			if a.Func == nil || a.Func.Param != param+1 {
				continue
			}
			if depth >= maxAround || len(n.targets[i]) != 1 {
				return held
			}
			add(l.heldAround(n.targets[i][0].fn, j, n.heldFrom(held, ev), depth+1))
		}
		if slices.ContainsFunc(ev.Callee.Bind, func(a lockobj.Arg) bool { return a.Func != nil && a.Func.Param == param+1 }) {
			return held
		}
	}
	if !found {
		return held
	}
	return out
}

// passes reports whether an event calls a parameter or gives it on.
func passes(ev *lockobj.Event, param int) bool {
	gives := func(a lockobj.Arg) bool { return a.Func != nil && a.Func.Param == param+1 }
	return ev.Callee.Kind == lockobj.ParamFunc && ev.Callee.Index == param || slices.ContainsFunc(ev.Args, gives) || slices.ContainsFunc(ev.Callee.Bind, gives)
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
func (n *node) heldAt(ev *lockobj.Event) []lockgraph.Gate { return n.heldFrom(n.must, ev) }

// heldFrom is heldAt where the function starts with the given gates held.
func (n *node) heldFrom(must []lockgraph.Gate, ev *lockobj.Event) []lockgraph.Gate {
	var out []lockgraph.Gate
	for _, g := range must {
		if !slices.ContainsFunc(ev.Dropped, func(d lockobj.Lock) bool { return d.Class == g.Class }) {
			out = append(out, g)
		}
	}
	// What a function releases without having taken it was held on entry, and
	// is until it is dropped.
	for _, k := range n.Entry {
		g := lockgraph.Gate{Class: k.Class, Read: k.Mode == lockobj.Read}
		if k.Class != "" && k.Path != "" && !slices.Contains(out, g) && !slices.ContainsFunc(ev.Dropped, func(d lockobj.Lock) bool { return d.Class == g.Class }) {
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
