package link

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lockobj"
)

// maxWaits bounds the waits that one function is known for.
const maxWaits = 64

// waitKey is what makes two ways to a wait the same to callers.
type waitKey struct {
	leaf *lockobj.Event
	key  entryKey
}

// heldWait is a wait with a lock held whose signaller needs that lock.
type heldWait struct {
	witness
	event lockobj.Lock // in the holder's terms
	leaf  *entry       // the wait itself
	out   *outcome
}

// waitsHeld finds the waits under locks that the signaller needs.
func (l *linker) waitsHeld() {
	any := false
	for _, n := range l.nodes {
		for i := range n.Events {
			any = any || n.Events[i].Kind == lockobj.Wait
		}
	}
	if !any {
		return
	}
	l.events = l.loadEvents()
	for _, scc := range l.components() {
		for round := 0; round < maxRounds; round++ {
			changed := false
			for _, n := range scc {
				changed = l.growWaits(n) || changed
			}
			if !changed || len(scc) == 1 && !l.selfCalls(scc[0]) {
				break
			}
		}
	}
	for _, n := range l.nodes {
		if n.Init || n.Silent || l.dead(n) {
			continue
		}
		for i := range n.Events {
			if ev := &n.Events[i]; len(ev.Held) > 0 {
				for _, e := range l.waitsAt(n, i, ev) {
					l.judge(n, ev, e)
				}
			}
		}
	}
}

// waitsAt returns the waits that happen at an event, in n's terms.
func (l *linker) waitsAt(n *node, i int, ev *lockobj.Event) []*entry {
	switch ev.Kind {
	case lockobj.Wait:
		if l.hopeless(ev) {
			return nil
		}
		e := &entry{lock: ev.Lock, fn: n, ev: ev}
		if ev.Op == lockobj.OpCondWait {
			// It gives up its own lock, as far as that is known.
			class := l.events.of(ev.Lock.Class).lock
			if ev.Lock.Class == "" || class == "" || class == "?" {
				return nil
			}
			e.drop = []lockobj.Lock{{Class: class}}
			for _, cond := range l.events.sharing(class) {
				e.drop = append(e.drop, lockobj.Lock{Class: cond + ".L"})
			}
			for _, h := range ev.Held {
				// The condition was given a struct that embeds its lock.
				if strings.HasPrefix(h.Class, class+".") {
					e.drop = append(e.drop, lockobj.Lock{Class: h.Class})
				}
			}
		}
		return []*entry{e}
	case lockobj.Call:
	default:
		return nil
	}
	var out []*entry
	for _, t := range n.targets[i] {
		for _, sub := range t.fn.waits {
			if sub.depth+1 <= maxChain {
				out = l.through(out, n, ev, t, sub)
			}
		}
	}
	return out
}

// hopeless reports whether nothing can be found out about a wait: nobody is
// seen to signal, or what would end it cannot be counted.
func (l *linker) hopeless(ev *lockobj.Event) bool {
	if ev.Lock.Class == "" {
		return false // callers know
	}
	s := l.events
	if ev.Op == lockobj.OpSend {
		if in := s.of(ev.Lock.Class); !in.made || in.cap == 0 || s.open(ev.Lock.Class, lockobj.EscapeRecv) {
			return true
		}
	}
	return !slices.ContainsFunc(s.sites[s.find(ev.Lock.Class)], func(at site) bool { return fits(ev.Op, at.n.Events[at.i].Op) })
}

// growWaits adds to n the waits that its events show, and reports whether one
// was new. Of several ways to one wait the best stays.
func (l *linker) growWaits(n *node) bool {
	changed := false
	for i := range n.Events {
		ev := &n.Events[i]
		for _, e := range l.waitsAt(n, i, ev) {
			if e = l.lift(n, ev, e); e == nil {
				continue
			}
			k := waitKey{e.leaf().ev, e.key()}
			if j, ok := n.waitAt[k]; ok {
				if o := n.waits[j]; e.less(o) && e.depth < o.depth {
					n.waits[j] = e
					changed = true
				}
				continue
			}
			if len(n.waits) < maxWaits {
				if n.waitAt == nil {
					n.waitAt = map[waitKey]int{}
				}
				n.waitAt[k] = len(n.waits)
				n.waits = append(n.waits, e)
				changed = true
			}
		}
	}
	return changed
}

// leaf is the end of an entry's way.
func (e *entry) leaf() *entry {
	for e.sub != nil {
		e = e.sub
	}
	return e
}

// judge decides about one wait, with the locks held around it, outermost first.
func (l *linker) judge(n *node, ev *lockobj.Event, e *entry) {
	if e.fresh || e.lock.Class == "" {
		return
	}
	leaf := e.leaf()
	events := []lockobj.Lock{e.lock}
	ops := []lockobj.Op{leaf.ev.Op}
	if leaf.ev.Group != 0 {
		// A select waits for all of its cases at once; the first speaks for it.
		events, ops = nil, nil
		for i := range leaf.fn.Events {
			o := &leaf.fn.Events[i]
			if o.Kind != lockobj.Wait || o.Group != leaf.ev.Group || o.Pos != leaf.ev.Pos {
				continue
			}
			k, ok := l.upTo(e, o.Lock)
			if !ok {
				return
			}
			if len(events) > 0 && o == leaf.ev {
				return
			}
			if !slices.Contains(events, k) {
				events, ops = append(events, k), append(ops, o.Op)
			}
		}
	}
	born := l.birthOf(e)
	for _, h := range ev.Held {
		if h.Class == "" || h.Fresh || h.Maybe || dropped(h, e.drop) || l.staged(n, h.Class) {
			continue
		}
		var best *outcome
		for i, k := range events {
			q := &query{l: l, n: n, h: h, e: e, event: k, op: ops[i], after: leaf.ev.After, born: born, roots: map[any]bool{}}
			if ops[i] == lockobj.OpSend && l.hasRoom(n, h, e, k) || !q.blocked() {
				best = nil
				break
			}
			if best == nil {
				best = q.best
			}
		}
		if best != nil {
			l.held = append(l.held, &heldWait{witness: witness{n: n, h: h, e: e}, event: e.lock, leaf: leaf, out: best})
			return
		}
	}
}

// upTo puts an event of the function in which a wait ends in terms of the one
// in which its way begins.
func (l *linker) upTo(e *entry, k lockobj.Lock) (lockobj.Lock, bool) {
	if e.sub == nil {
		return k, k.Class != ""
	}
	k, ok := l.upTo(e.sub, k)
	if !ok && k.Path == "" {
		return k, false
	}
	for i := range e.fn.Events {
		if &e.fn.Events[i] != e.ev {
			continue
		}
		for _, t := range e.fn.targets[i] {
			if t.fn == e.to {
				k, _ = l.inTerms(k, t.args, t.bind)
				return k, k.Class != ""
			}
		}
	}
	return k, false
}

// birthOf finds the function on the way to a wait that makes the event itself,
// or the object that it is a part of.
func (l *linker) birthOf(e *entry) birth {
	for x := e; x != nil; x = x.sub {
		k, _ := l.upTo(x, x.leaf().ev.Lock)
		if root, _ := k.Path.Split(); strings.HasPrefix(root, "a:") && !slices.ContainsFunc(x.fn.Kept, func(k lockobj.Kept) bool { return k.Root == root }) {
			return birth{x.fn, root}
		}
	}
	return birth{}
}

// hasRoom reports whether the sends of one critical section fit the channel's
// buffer, or whether that is not known.
func (l *linker) hasRoom(n *node, h lockobj.Held, e *entry, k lockobj.Lock) bool {
	in := l.events.of(k.Class)
	if !in.made || in.cap == 0 {
		return true
	}
	room := in.cap - 1
	if room == 0 {
		return false
	}
	leaf := e.leaf()
	for i := range leaf.fn.Events {
		o := &leaf.fn.Events[i]
		if o.Kind == lockobj.Signal && o.Op == lockobj.OpRecv && l.events.find(o.Lock.Class) == l.events.find(k.Class) && leaf.fn.Precedes(o, leaf.ev) {
			return true // it makes room first: a receive that does not block
		}
	}
	// A channel with room for one value, made for each object, is a box for that
	// object's result. A larger buffer is that of a stream, and fills in time.
	box := room == 1
	count := leaf.ev.Count
	boxes := box && count == lockobj.EachTurn
	if boxes {
		count = 1
	}
	count = max(count, 0)
	for x := e; x != nil; x = x.sub {
		if !x.fn.Precedes(x.ev, x.ev) {
			continue
		}
		// A loop that also acquires the lock has a critical section each time.
		again := x.fn == n && slices.ContainsFunc(n.Events, func(a lockobj.Event) bool {
			return a.Pos == h.Pos && n.Precedes(&a, x.ev) && n.Precedes(x.ev, &a)
		})
		switch {
		case again, x.sub == nil && boxes, x.sub != nil && box && l.another(x):
			count = max(count, 1)
		case x.sub != nil || count == 0:
			return false
		}
	}
	return count <= room
}

// another reports whether a call in a loop may send on another channel in each
// turn: the way to it leads through an element, a field that is reassigned, or a
// value that the function got from somewhere.
func (l *linker) another(x *entry) bool {
	k, ok := l.upTo(x, x.leaf().ev.Lock)
	if !ok || !k.Path.Proven() || strings.Contains(string(k.Path), "[") {
		return true
	}
	return strings.HasPrefix(string(k.Path), "%") && !l.events.made[k.Class]
}

// heldWaits makes the findings: one for each wait and lock, with the other
// functions that hold the lock there.
func (l *linker) heldWaits() []finding.Finding {
	slices.SortStableFunc(l.held, func(a, b *heldWait) int {
		return cmp.Or(
			cmp.Compare(a.h.Class, b.h.Class),
			cmp.Compare(a.leaf.fn.Sym, b.leaf.fn.Sym),
			comparePos(a.leaf.ev.Pos, b.leaf.ev.Pos),
			cmp.Compare(a.event.Class, b.event.Class),
			cmp.Compare(btoi(!l.roots[a.n.pkg]), btoi(!l.roots[b.n.pkg])),
			cmp.Compare(a.e.depth, b.e.depth),
			comparePos(a.e.ev.Pos, b.e.ev.Pos),
			cmp.Compare(a.n.Sym, b.n.Sym),
		)
	})
	var out []finding.Finding
	last := ""
	var first lockobj.Pos
	for _, w := range l.held {
		lock, event := l.short(w.h.Class), l.short(w.event.Class)
		key := w.h.Class + "\x00" + w.event.Class + "\x00" + w.leaf.fn.Sym + fmt.Sprint(w.leaf.ev.Pos)
		to := finding.Edge{From: lock, To: event, Mode: w.h.Mode.String() + "->wait"}
		pkgs := l.waitSteps(w, &to)
		if key == last {
			f := &out[len(out)-1]
			also := finding.Step{Pos: position(w.e.ev.Pos), Func: w.n.Name, What: "waits for " + event + " with " + lock + " held"}
			if w.e.ev.Pos != first && !slices.Contains(f.Related, also) {
				f.Related = append(f.Related, also)
			}
			continue
		}
		back := finding.Edge{From: event, To: lock, Mode: "signal->" + w.h.Mode.String()}
		at, mode, more := l.signalSteps(w, &back)
		back.Mode = "signal->" + mode.String()
		pkgs = append(pkgs, more...)
		if !l.mine(pkgs) {
			continue
		}
		last, first = key, w.e.ev.Pos
		f := finding.Finding{
			Analyzer: "crossrelease", Category: "waitheld",
			Message: fmt.Sprintf("wait under lock: waits for %s while %s is held, which its signaller needs at %s before it signals", event, lock, position(at)),
			Pos:     l.placeOf(w),
			Classes: finding.Rotate([]string{lock, event}),
			Edges:   []finding.Edge{to, back},
			ID:      finding.ID("crossrelease", "waitheld", []string{lock, event}, w.n.pkg+" "+w.n.Name),
		}
		out = append(out, f)
	}
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func comparePos(a, b lockobj.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// placeOf is where a wait is shown: if none of the waiter's steps is in a
// package which is checked, at one of the signaller's.
func (l *linker) placeOf(w *heldWait) finding.Position {
	if p := l.place(&w.witness); p.Line > 0 {
		return p
	}
	for _, f := range w.out.frames {
		if l.roots[f.n.pkg] {
			return position(f.ev.Pos)
		}
	}
	if p, ok := l.stepIn(w.out.need.e); ok {
		return position(p)
	}
	return l.placed(&w.witness)
}

// waitSteps writes the holder's side.
func (l *linker) waitSteps(w *heldWait, edge *finding.Edge) []string {
	what := verb(w.h.Mode) + " " + l.short(w.h.Class)
	if w.h.In != "" {
		what = "calls " + w.h.In + ", which " + what
	}
	edge.Steps = append(edge.Steps, finding.Step{Pos: position(w.h.Pos), Func: w.n.Name, What: what})
	pkgs := []string{w.n.pkg}
	sw := &stepWriter{l: l, class: edge.To, end: "waits for " + edge.To, edge: edge, pkgs: &pkgs}
	sw.steps(w.e)
	return pkgs
}

// signalSteps writes the signaller's side, from its root on, and returns where
// it acquires the lock.
func (l *linker) signalSteps(w *heldWait, edge *finding.Edge) (lockobj.Pos, lockobj.Mode, []string) {
	var pkgs []string
	var at lockobj.Pos
	o, mode := w.out, w.h.Mode
	acquire := func(f frame) {
		if o.need.start != nil {
			at, mode = o.need.start.Pos, o.need.start.Mode
			edge.Steps = append(edge.Steps, finding.Step{Pos: position(at), Func: f.n.Name, What: verb(mode) + " " + edge.To})
			return
		}
		e := o.need.e
		mode = e.lock.Mode
		sw := &stepWriter{l: l, class: edge.To, mode: mode, edge: edge, pkgs: &pkgs}
		if o.need.given {
			sw.rest(e)
		} else {
			sw.steps(e)
		}
		at = e.last().ev.Pos
	}
	for i := len(o.frames) - 1; i >= 0; i-- {
		f := o.frames[i]
		pkgs = append(pkgs, f.n.pkg)
		here := i == o.need.level
		if here && !o.need.leave && !o.need.given {
			acquire(f)
		}
		step := finding.Step{Pos: position(f.ev.Pos), Func: f.n.Name}
		switch {
		case i == 0 && (f.ev.Kind != lockobj.Go || f.to == nil):
			step.What = "signals " + edge.From
		case f.ev.Kind == lockobj.Go && f.to != nil && i == 0:
			step.What = "starts goroutine " + f.to.Name + ", whose end signals " + edge.From
		case f.ev.Kind == lockobj.Go || f.spawn:
			step.What = "starts goroutine " + o.frames[i-1].n.Name
		default:
			step.What = "calls " + o.frames[i-1].n.Name
		}
		if !f.n.Wrapper {
			edge.Steps = append(edge.Steps, step)
		}
		if here && (o.need.leave || o.need.given) {
			acquire(f)
		}
	}
	return at, mode, pkgs
}
