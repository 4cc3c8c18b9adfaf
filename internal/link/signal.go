package link

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/lockgraph"
	"github.com/lockvet/lockvet/internal/lockobj"
)

const (
	// maxSteps bounds the search for the signallers of one wait.
	maxSteps = 400
	// maxGuesses bounds the dispatches with several targets in one finding.
	maxGuesses = 1
)

// query asks whether the signallers of an event need a lock that the waiter
// holds.
type query struct {
	l     *linker
	n     *node // holds h
	h     lockobj.Held
	e     *entry // n's way to the wait
	event lockobj.Lock
	op    lockobj.Op
	after []lockobj.Lock // what n awaited before, in the terms of the function that waits
	born  birth
	steps int
	// coarse is true if only classes count.
	coarse bool
	sent   bool // the waiter has signalled in the same critical section

	roots map[any]bool // signallers by where they start: whether they may block
	best  *outcome
}

// birth is where on its way to the wait a waiter makes what it waits for, if
// it does, and the name that it has there.
type birth struct {
	n    *node
	root string
}

// frame is one level of a signaller: the function, and its event that signals
// or leads to the signal.
type frame struct {
	n  *node
	ev *lockobj.Event
	to *node
	at lockobj.Lock // what is signalled, in the function's terms
	// spawn is true if the event starts a goroutine, or gives a function to
	// one that does.
	spawn bool
}

// outcome is a signaller that may block on the lock.
type outcome struct {
	frames []frame // the signal first, its root last
	need   need
}

// need is an acquisition on the way to a signal.
type need struct {
	level int           // of the frame that it belongs to
	e     *entry        // in the terms of that frame's function
	leave bool          // the function leaves its receiving loop by it
	given bool          // a function that the frame's event gives to those below
	start *lockobj.Held // held where the signaller's goroutine is started
}

func (o *outcome) cost() int {
	c := 2 * len(o.frames)
	if o.need.e != nil {
		c += 2*o.need.e.depth + 8*o.need.e.ambiguous
	}
	if o.need.leave {
		c += 3
	}
	if o.need.start != nil {
		c += 5
	}
	return c
}

// fits says which operations end a wait.
func fits(wait, signal lockobj.Op) bool {
	switch wait {
	case lockobj.OpSend:
		return signal == lockobj.OpRecv || signal == lockobj.OpRange
	case lockobj.OpRecv:
		return signal == lockobj.OpSend || signal == lockobj.OpClose
	case lockobj.OpRange:
		return signal == lockobj.OpClose
	case lockobj.OpGroupWait:
		return signal == lockobj.OpGroupDone
	case lockobj.OpCondWait:
		return signal == lockobj.OpCondSignal
	case lockobj.OpSemAcquire:
		return signal == lockobj.OpSemRelease
	}
	return false
}

// opens says which operation a signaller does before it owes the signal: what
// it acquires earlier does not delay it. A value that goes back into a buffered
// channel is a token: who sends it has received it.
func (q *query) opens(op, signal lockobj.Op) bool {
	switch wait := q.op; wait {
	case lockobj.OpGroupWait:
		return op == lockobj.OpGroupAdd
	case lockobj.OpSend, lockobj.OpSemAcquire:
		return op == wait
	case lockobj.OpRecv:
		in := q.l.events.of(q.event.Class)
		return op == wait && signal == lockobj.OpSend && in.made && in.cap > 1
	}
	return false
}

// blocked decides whether the wait can hang: whether every signaller may block
// on the lock, or one where each is needed, or one run has no other.
func (q *query) blocked() bool {
	s := q.l.events
	any := q.op == lockobj.OpGroupWait || q.op == lockobj.OpRange
	sites := s.sites[s.find(q.event.Class)]
	if q.op == lockobj.OpRecv {
		any = !slices.ContainsFunc(sites, func(at site) bool { return at.n.Events[at.i].Op == lockobj.OpSend })
	}
	if !q.possible() {
		return false
	}
	if !any {
		esc := lockobj.EscapeSend
		if q.op == lockobj.OpSend {
			esc = lockobj.EscapeRecv
		}
		if s.open(q.event.Class, esc) {
			return false
		}
	}
	for _, at := range sites {
		ev := &at.n.Events[at.i]
		if !fits(q.op, ev.Op) || at.n.Init || q.l.dead(at.n) {
			continue
		}
		if ev.Kind != lockobj.Go && q.signalled(at.n, ev) {
			return false
		}
		q.climb(at.n, at.i, ev.Lock, climbed{})
	}
	if q.sent || q.steps > maxSteps && !any {
		return false
	}
	for _, blocks := range q.roots {
		if !blocks && !any {
			return false
		}
	}
	return q.best != nil
}

// coarseKey is what the first answer to a query depends on.
type coarseKey struct {
	event, lock string
	op          lockobj.Op
	read        bool
}

// possible reports whether any signaller of that class needs a lock of that
// class at all, whichever the instances are. There are few classes and many
// waits.
func (q *query) possible() bool {
	s := q.l.events
	k := coarseKey{s.find(q.event.Class), q.h.Class, q.op, q.h.Mode == lockobj.Read}
	if v, ok := s.coarse[k]; ok {
		return v
	}
	c := &query{l: q.l, h: lockobj.Held{Lock: lockobj.Lock{Class: q.h.Class, Mode: q.h.Mode}}, event: lockobj.Lock{Class: q.event.Class}, op: q.op, coarse: true, e: &entry{}, roots: map[any]bool{}}
	for _, at := range s.sites[k.event] {
		if ev := &at.n.Events[at.i]; c.best == nil && fits(q.op, ev.Op) && !at.n.Init && !q.l.dead(at.n) {
			c.climb(at.n, at.i, ev.Lock, climbed{})
		}
	}
	s.coarse[k] = c.best != nil
	return c.best != nil
}

// root is where a signaller starts: a function that a go statement starts, the
// statement itself, or an entry point.
func (c *climbed) root() any {
	for i, f := range c.frames {
		if f.spawn || f.ev.Kind == lockobj.Go {
			if i > 0 {
				return c.frames[i-1].n
			}
			return f.ev
		}
	}
	return c.frames[len(c.frames)-1].n
}

// signalled reports whether a function on the way to the wait has signalled
// before, as one that closes a channel and then drains it.
func (q *query) signalled(n *node, ev *lockobj.Event) bool {
	for x := q.e; x != nil; x = x.sub {
		if x.fn == n && n.Precedes(ev, x.ev) && !n.Precedes(x.ev, ev) {
			return true
		}
	}
	return false
}

// climbed is what is known of a signaller so far, from the signal up.
type climbed struct {
	frames  []frame
	need    *need
	spawned bool // the signaller's goroutine starts below
	spawn   bool // the next level up starts it
	settled bool // what happens above does not delay the signal
	given   bool // by a function that is given away, and may run in any goroutine
	pend    []pending
	guesses int
}

// pending is a call, on the way to the signal, of a function that the caller
// gave.
type pending struct{ param, free int }

// climb follows a signal from an event of n up to the roots from which it is
// reached.
func (q *query) climb(n *node, i int, k lockobj.Lock, c climbed) {
	if q.steps++; q.steps > maxSteps || len(c.frames) > maxChain || slices.ContainsFunc(c.frames, func(f frame) bool { return f.n == n }) {
		return
	}
	ev := &n.Events[i]
	c.frames = append(slices.Clip(c.frames), frame{n: n, ev: ev, at: k, spawn: c.spawn})
	c.spawn = false
	if k.Class != "" && !q.sameEvent(n, k) {
		return
	}
	if ev.Kind == lockobj.Go && len(c.frames) == 1 {
		// The goroutine ends below, or is the signal, which is owed from its
		// start on.
		c.spawned = true
	}
	if n == q.n && !c.spawned && q.ownSignal(ev) {
		// What it sends before it receives, or closes, it does not wait for.
		sent := q.op == lockobj.OpRecv || q.op == lockobj.OpRange
		q.sent = q.sent || sent && n.Precedes(ev, q.e.ev) && !n.Precedes(q.e.ev, ev)
		return
	}
	if q.coarse && q.best != nil {
		return
	}
	if c.need != nil && !c.spawned && !c.given && q.ownCall(n, k) {
		return
	}
	if !c.spawned && !c.settled && c.need == nil {
		q.search(n, ev, k, &c)
	}
	if ev.Last {
		// Nobody waits for one who is not counted yet, and what counts it is
		// not known.
		c.settled = true
	}
	if ev.Kind == lockobj.Go && len(c.frames) == 1 {
		q.ended(n, i, &c)
	}
	if k.Class != "" {
		root := n.Exported || n.Escapes || n.Init || n.callers == 0 && !n.Wrapper && len(q.l.events.callers[n]) == 0
		switch {
		case c.need != nil:
			if c.spawned || root {
				if q.near(c) {
					q.found(c)
				}
				return
			}
		case c.spawned && len(c.pend) == 0:
			q.spare(c)
			return
		case root:
			q.spare(c)
			if c.spawned || c.settled {
				return
			}
		}
	}
	for _, up := range q.l.events.callers[n] {
		if q.l.dead(up.n) {
			continue
		}
		next := c
		uev := &up.n.Events[up.i]
		t := up.t
		next.frames = slices.Clone(c.frames)
		next.frames[len(next.frames)-1].to = t.fn
		if t.multi {
			next.guesses++
		}
		if t.maybe {
			next.guesses++
		}
		k, _ := q.l.inTerms(k, t.args, t.bind)
		if up.given {
			// When it runs is not known: nothing above has to come before.
			next.settled, next.given = true, true
		}
		q.resolve(up, &next)
		if next.spawn = up.spawn; up.spawn || uev.Kind == lockobj.Go {
			if !next.spawned && next.need == nil {
				q.started(uev, &next)
			}
			next.spawned = true
		}
		q.climb(up.n, up.i, k, next)
	}
}

// ownSignal reports whether the waiter signals in the critical section in which
// it waits: no other goroutine does it then.
func (q *query) ownSignal(ev *lockobj.Event) bool {
	return slices.ContainsFunc(ev.Held, func(h lockobj.Held) bool { return h.Class == q.h.Class && h.Pos == q.h.Pos })
}

// ownCall reports whether a signal comes out of a call of the function that
// makes the event for the waiter. In the waiter's own call it is the goroutine
// that waits later on; in any other call it is another event.
func (q *query) ownCall(n *node, k lockobj.Lock) bool {
	root, _ := k.Path.Split()
	return n == q.born.n && root == q.born.root
}

// search looks for an acquisition of the lock in n on the way to the event.
func (q *query) search(n *node, ev *lockobj.Event, k lockobj.Lock, c *climbed) {
	s := q.l.events
	event := s.find(q.event.Class)
	var open []*lockobj.Event
	for i := range n.Events {
		o := &n.Events[i]
		if o != ev && n.Precedes(o, ev) && (q.opened(n, i, event, c.frames[0].ev.Op, 0) || remade(o, k) || c.got(n, i)) {
			open = append(open, o)
		}
	}
	// What a function has made, or got from a call, nobody may have waited
	// for before: what counts is what it does from then on, time and again.
	born := k.Path.Local() || k.Path == "" && s.made[k.Class]
	loop := n.Precedes(ev, ev)
	best := -1
	for i := range n.Events {
		o := &n.Events[i]
		if o.Kind != lockobj.Acquire && o.Kind != lockobj.Call || o == ev && !loop {
			continue
		}
		before := n.Precedes(o, ev) && (!born || n.Precedes(ev, o))
		for _, p := range open {
			before = before && n.Precedes(p, o)
		}
		leave := !before && q.op == lockobj.OpSend && loop && n.PrecedesOpen(ev, o)
		if !before && !leave {
			continue
		}
		if _, possible := both(o.When, ev.When); !possible || before && q.past(n, o) {
			continue
		}
		e, pend := q.acquisition(n, i, o)
		if before {
			for _, p := range pend {
				if !slices.Contains(c.pend, p) {
					c.pend = append(slices.Clip(c.pend), p)
				}
			}
		}
		if e == nil || e.fresh || q.otherLock(n, e, k.Path) {
			continue
		}
		if cost := 2*e.depth + 8*e.ambiguous; c.need == nil || cost < best || !leave && c.need.leave {
			c.need = &need{level: len(c.frames) - 1, e: e, leave: leave}
			best = cost
		}
	}
	if born || len(open) > 0 {
		c.settled = true
	}
}

// maxOpening bounds the calls through which a signaller is seen to begin what
// its signal ends.
const maxOpening = 2

// opened reports whether an event of n, or a function that it calls, begins
// what the signal ends.
func (q *query) opened(n *node, i int, event string, signal lockobj.Op, depth int) bool {
	ev := &n.Events[i]
	if ev.Kind != lockobj.Call {
		return q.opens(ev.Op, signal) && ev.Lock.Class != "" && q.l.events.find(ev.Lock.Class) == event
	}
	if depth >= maxOpening {
		return false
	}
	for _, t := range n.targets[i] {
		if !t.fn.Signals || t.multi {
			continue
		}
		for j := range t.fn.Events {
			if q.opened(t.fn, j, event, signal, depth+1) {
				return true
			}
		}
	}
	return false
}

// got reports whether an event of n is the call that returns the function by
// which n signals: who has not been given it does not owe the signal.
func (c *climbed) got(n *node, i int) bool {
	if len(c.frames) < 2 {
		return false
	}
	below := c.frames[len(c.frames)-2].n.Sym
	return slices.ContainsFunc(n.targets[i], func(t target) bool { return strings.HasPrefix(below, t.fn.Sym+"$") })
}

// remade reports whether an event gives the field from which a signaller takes
// the channel k a new one: nobody waits for that one before.
func remade(ev *lockobj.Event, k lockobj.Lock) bool {
	return ev.Op == lockobj.OpMake && ev.Lock.Path.Plain()+">" == k.Path.Plain()
}

// acquisition returns the cheapest way in which an event acquires the lock in
// a mode that the holder excludes, and the given functions that it calls.
func (q *query) acquisition(n *node, i int, ev *lockobj.Event) (*entry, []pending) {
	s := q.l.events
	k := needKey{ev, q.h.Class, q.h.Mode == lockobj.Read}
	if v, ok := s.needs[k]; ok {
		return v.e, v.pend
	}
	e, pend := q.acquire(n, i, ev)
	s.needs[k] = needs{e, pend}
	return e, pend
}

// needKey and needs remember what acquire found: many waits ask the same.
type needKey struct {
	ev    *lockobj.Event
	class string
	read  bool
}

type needs struct {
	e    *entry
	pend []pending
}

func (q *query) acquire(n *node, i int, ev *lockobj.Event) (*entry, []pending) {
	if ev.Kind == lockobj.Call && ev.Callee.Kind != lockobj.ParamFunc && ev.Callee.Kind != lockobj.FreeFunc &&
		!slices.ContainsFunc(n.targets[i], func(t target) bool { return q.mayAcquire(t.fn) }) {
		return nil, nil
	}
	var best *entry
	var pend []pending
	for _, e := range q.l.entriesOf(n, i, ev, q.h.Class) {
		if e.param > 0 || e.free > 0 {
			pend = append(pend, pending{e.param, e.free})
			continue
		}
		if q.excludes(e) && (best == nil || e.less(best)) {
			best = e
		}
	}
	return best, pend
}

// mayAcquire is a quick look at what a function may acquire.
func (q *query) mayAcquire(n *node) bool {
	return slices.ContainsFunc(n.entries, func(e *entry) bool {
		return e.lock.Class == q.h.Class || e.lock.Class == "" || e.param > 0 || e.free > 0
	})
}

// excludes reports whether the acquisition waits for the holder.
func (q *query) excludes(e *entry) bool {
	if e.lock.Class != q.h.Class {
		return false
	}
	return q.h.Mode == lockobj.Write || e.lock.Mode == lockobj.Write || q.l.graph.HasWriter(q.h.Class)
}

// otherInstance reports whether a signaller's lock is another one than the
// waiter's, whatever the event is. Where it is not known which object it is part
// of, which part of one it is may be.
func (q *query) otherInstance(n *node, e *entry) bool {
	switch {
	case q.coarse:
		return false
	case e.lock.Path == "":
		return parts(q.h.Path, e.last().ev.Lock.Path)
	}
	return q.l.elsewhere(q.n, q.h.Path, n, e.lock.Path)
}

// otherLock reports whether the lock and the event that a signaller names
// cannot both be those of the waiter: seen from one object, the event is the
// same and the lock is not, or the other way round.
func (q *query) otherLock(n *node, e *entry, event lockobj.Path) bool {
	lock := e.lock.Path
	switch {
	case q.coarse:
		return false
	case q.otherInstance(n, e):
		return true
	}
	if q.apart() && sameOwner(lock, event) || sameOwner(q.h.Path, q.event.Path) && twoOwners(lock, event) {
		return true
	}
	rh, sh := q.h.Path.Plain().Split()
	re, se := q.event.Path.Plain().Split()
	rl, sl := lock.Plain().Split()
	rk, sk := event.Plain().Split()
	if rh == "" || rh != re || rl == "" || rl != rk || strings.ContainsAny(sh+se+sl+sk, "[*'") {
		return false
	}
	switch {
	case sh == sl:
		return parted(se, sk)
	case se == sk:
		// A field may lead to another object of the type; a way through a
		// second object often leads back to the first.
		return strings.Count(sl, ">") <= strings.Count(sh, ">")+1
	}
	return false
}

// past reports whether the signaller was surely past an acquisition when the
// wait began: it signals something after it that the waiter had awaited.
func (q *query) past(n *node, acq *lockobj.Event) bool {
	s := q.l.events
	for _, r := range q.after {
		sites := s.sites[s.find(r.Class)]
		count := 0
		var at site
		for _, x := range sites {
			if op := x.n.Events[x.i].Op; op == lockobj.OpClose || op == lockobj.OpSend {
				at = x
				count++
			}
		}
		if count == 1 && at.n == n {
			r := &n.Events[at.i]
			if n.Precedes(acq, r) && !n.Precedes(r, acq) {
				return true
			}
		}
	}
	return false
}

// ended handles a goroutine whose end is the signal: all that it does comes
// before.
func (q *query) ended(n *node, i int, c *climbed) {
	if q.op != lockobj.OpGroupWait {
		return
	}
	ev := &n.Events[i]
	switch ev.Callee.Kind {
	case lockobj.ParamFunc:
		c.pend = []pending{{param: ev.Callee.Index + 1}}
	case lockobj.FreeFunc:
		c.pend = []pending{{free: ev.Callee.Index + 1}}
	}
	for j := range n.targets[i] {
		q.give(n, ev, n.targets[i][j], c)
		c.frames[len(c.frames)-1].to = n.targets[i][j].fn
	}
}

// give looks for an acquisition in a function that runs on the way to the
// signal.
func (q *query) give(n *node, ev *lockobj.Event, t target, c *climbed) {
	for _, sub := range t.fn.entries {
		if sub.lock.Class != q.h.Class && sub.lock.Class != "" && sub.param == 0 && sub.free == 0 {
			continue
		}
		for _, e := range q.l.through(nil, n, ev, t, sub) {
			if e.param > 0 || e.free > 0 || e.fresh || !q.excludes(e) || q.otherInstance(n, e) {
				continue
			}
			if c.need == nil || e.less(c.need.e) {
				c.need = &need{level: len(c.frames) - 1, e: e, given: true}
			}
		}
	}
}

// resolve looks into the functions that a caller gives to those below.
func (q *query) resolve(up callSite, c *climbed) {
	pend := c.pend
	c.pend = nil
	ev := &up.n.Events[up.i]
	for _, p := range pend {
		var a *lockobj.Arg
		switch {
		case p.param > 0 && p.param <= len(up.t.args):
			a = &up.t.args[p.param-1]
		case p.free > 0 && p.free <= len(up.t.bind):
			a = &up.t.bind[p.free-1]
		}
		switch {
		case a == nil || a.Func == nil:
		case a.Func.Param > 0:
			c.pend = append(c.pend, pending{param: a.Func.Param})
		case a.Func.Free > 0:
			c.pend = append(c.pend, pending{free: a.Func.Free})
		case c.need == nil:
			if g := q.l.funcs[a.Func.Sym]; g != nil {
				d := *c
				d.frames = append(slices.Clip(c.frames), frame{}) // the need belongs to the level above
				q.give(up.n, ev, target{fn: g, bind: a.Func.Bind}, &d)
				c.need = d.need
			}
		}
	}
}

// started handles a goroutine that is started with the lock read-held, by a
// function that starts what the reader waits for: behind a queued writer it
// never does.
func (q *query) started(ev *lockobj.Event, c *climbed) {
	if q.op != lockobj.OpSend || q.h.Mode != lockobj.Read || !q.l.graph.HasWriter(q.h.Class) {
		return
	}
	for i := range ev.Held {
		if h := &ev.Held[i]; h.Class == q.h.Class && h.Mode == lockobj.Read && !h.Fresh && !h.Maybe {
			c.need = &need{level: len(c.frames), start: h}
		}
	}
}

// found keeps the best signaller that needs the lock.
func (q *query) found(c climbed) {
	guesses := c.guesses + q.e.ambiguous
	ifaces := q.e.ifaces
	if c.need.e != nil {
		guesses += c.need.e.ambiguous
		for _, i := range c.need.e.ifaces {
			if slices.Contains(ifaces, i) {
				guesses = maxGuesses + 1 // two halves of one delegation
			}
		}
	}
	if q.far(c) || guesses > maxGuesses || q.another(c) || q.wraps(c) || q.stranger(c) {
		q.spare(c)
		return
	}
	q.roots[c.root()] = true
	o := &outcome{frames: c.frames, need: *c.need}
	if q.best == nil || o.cost() < q.best.cost() {
		q.best = o
	}
}

// spare handles a signaller that does not need the lock. One that holds it
// since before the wait can only be another waiter.
func (q *query) spare(c climbed) {
	if q.op == lockobj.OpSend || q.op == lockobj.OpSemAcquire {
		own := slices.ContainsFunc(c.frames, func(f frame) bool {
			return slices.ContainsFunc(f.n.heldAt(f.ev), func(g lockgraph.Gate) bool { return g.Class == q.h.Class })
		})
		if own && !c.spawned {
			return
		}
	}
	if r := c.root(); q.near(c) && !q.roots[r] {
		q.roots[r] = false
	}
}
