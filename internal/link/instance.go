package link

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// Whether a signaller speaks of the event and of the lock that a waiter means:
// classes are alike for all objects of a type, paths tell some of them apart.

// sameEvent reports whether a signal is of the event that is awaited.
func (q *query) sameEvent(n *node, k lockobj.Lock) bool {
	s := q.l.events
	if s.find(k.Class) != s.find(q.event.Class) {
		return false
	}
	if q.coarse {
		return true
	}
	a, b := keeper(q.event.Path), keeper(k.Path)
	if a != "" && b != "" && a != b {
		return false
	}
	root, steps := k.Path.Split()
	if q.born.n != nil {
		// The waiter made it, and waits for it before anybody else can.
		if n == q.born.n && root != q.born.root {
			return false
		}
	} else if a != "" && b == "" && steps != "" && strings.HasPrefix(root, "a:") && !n.keeps(root, a) {
		return false
	}
	return !q.l.elsewhere(q.n, q.event.Path, n, k.Path)
}

// keeps reports whether a function puts an object that it makes into a field,
// as far as that is known.
func (n *node) keeps(root, field string) bool {
	return slices.ContainsFunc(n.Kept, func(k lockobj.Kept) bool { return k.Root == root && (k.Field == field || k.Field == "*") })
}

// keeper is the field that holds the object which an event is a part of: a
// group inside a type of its own is known by who has it, since many do. "" if
// a path does not tell.
func keeper(p lockobj.Path) string {
	_, steps := p.Plain().Split()
	steps = strings.TrimSuffix(steps, ">")
	i := strings.LastIndexByte(steps, '>')
	if i < 0 {
		return ""
	}
	steps = steps[:i]
	return steps[strings.LastIndexAny(steps, ".]")+1:]
}

// owner is the path of the object that a path leads to a field of, "" if that
// is not known.
func owner(p lockobj.Path) string {
	plain := strings.TrimSuffix(string(p.Plain()), ">")
	return strings.TrimSuffix(plain[:max(strings.LastIndexByte(plain, '.'), 0)], ">")
}

// sameOwner reports whether a lock and an event are fields of one object.
func sameOwner(lock, event lockobj.Path) bool {
	o := owner(lock)
	return o != "" && o == owner(event)
}

// twoOwners reports whether a lock and an event, seen from one object, are of two
// others. A way through a second pointer may lead back.
func twoOwners(lock, event lockobj.Path) bool {
	a, b := owner(lock), owner(event)
	further := hops(lock) - hops(event)
	return a != "" && b != "" && a != b && sameRoot(lockobj.Path(a), lockobj.Path(b)) && !strings.Contains(a+b, "'") && -1 <= further && further <= 1
}

// hops counts the pointers on the way to a field; that to an element goes with
// the one to what has it.
func hops(p lockobj.Path) int {
	s := strings.TrimSuffix(string(p.Plain()), ">")
	return strings.Count(s, ">") - strings.Count(s, ">[")
}

// apart reports whether the lock that the waiter holds and the event that it
// waits for are of two objects: the event's is an element of what the lock's
// owner has, or was come upon through an interface, behind which another one
// stands.
func (q *query) apart() bool {
	lock, event := owner(q.h.Path), owner(q.event.Path)
	switch {
	case lock == "":
		return false
	case event == "":
		return len(q.e.ifaces) > 0
	}
	below, ok := strings.CutPrefix(event, lock)
	return ok && strings.Contains(below, "[")
}

// elsewhere reports whether two paths are two instances: they are different
// parts of the objects that hold them, or start at objects of one type and go
// different ways from there.
func (l *linker) elsewhere(n *node, a lockobj.Path, m *node, b lockobj.Path) bool {
	if parts(a, b) || l.embeddedElsewhere(n, a, b) || l.embeddedElsewhere(m, b, a) {
		return true
	}
	ra, sa := a.Plain().Split()
	rb, sb := b.Plain().Split()
	i, ok1 := number(ra, 'p')
	j, ok2 := number(rb, 'p')
	if !ok1 || !ok2 || i >= len(n.ParamTypes) || j >= len(m.ParamTypes) || n.ParamTypes[i] == "" || n.ParamTypes[i] != m.ParamTypes[j] {
		return false
	}
	return parted(sa, sb)
}

// embeddedElsewhere reports whether a path ends in a part of n's parameter, and
// another one in the same part of something that is embedded under the name of
// another type.
func (l *linker) embeddedElsewhere(n *node, a, b lockobj.Path) bool {
	root, steps := a.Plain().Split()
	pa, pb := part(a), part(b)
	i, ok := number(root, 'p')
	if !ok || i >= len(n.ParamTypes) || steps != pa || !strings.HasSuffix(pb, pa) || pb == pa {
		return false
	}
	pkg := n.ParamTypes[i][:strings.LastIndexByte(n.ParamTypes[i], '.')+1]
	outer := strings.TrimSuffix(pb, pa)
	outer = pkg + outer[strings.LastIndexByte(outer, '.')+1:]
	return outer != n.ParamTypes[i] && (l.isType(outer) || l.isType("*"+outer))
}

func (l *linker) isType(name string) bool {
	_, ok := l.types[name]
	return ok
}

// parted reports whether two ways from one object lead to two others: they
// have the same number of pointers in them, since a longer one may lead back.
func parted(a, b string) bool {
	return a != b && !strings.ContainsAny(a+b, "[*'") && strings.Count(a, ">") == strings.Count(b, ">")
}

// parts reports whether two paths end in different parts of an object.
func parts(a, b lockobj.Path) bool {
	pa, pb := part(a), part(b)
	return !strings.HasSuffix(pa, pb) && !strings.HasSuffix(pb, pa)
}

// part is where inside its object a path ends, "" if that is not known.
func part(p lockobj.Path) string {
	_, steps := p.Plain().Split()
	steps = strings.TrimSuffix(steps, ">")
	steps = steps[strings.LastIndexByte(steps, '>')+1:]
	return steps[strings.LastIndexByte(steps, ']')+1:]
}

// far reports whether too many calls lie between the acquisition and the
// signal, down to the one and down to the other, for the two to have anything
// in common. Two readers also need a third goroutine between them, that waits to
// write: there the waiter's own way counts, too.
func (q *query) far(c climbed) bool {
	if c.need.e == nil {
		return false
	}
	steps := c.need.level + c.need.e.depth
	if q.h.Mode == lockobj.Read && c.need.e.lock.Mode == lockobj.Read {
		steps += q.e.depth
	}
	return steps > maxChain
}

// another reports whether a signaller that the waiter has started itself, for
// an event of its own, needs another lock than the waiter holds. Both are seen
// from one function there, so that their paths must agree.
func (q *query) another(c climbed) bool {
	if q.coarse || c.need.e == nil || c.need.given || q.h.Path == "" {
		return false
	}
	leaf := q.e.leaf()
	if root, steps := leaf.ev.Lock.Path.Split(); steps != "" || !lockobj.Path(root).Local() {
		return false
	}
	k := c.need.e.lock
	for i := c.need.level; i+1 < len(c.frames); i++ {
		var ok bool
		if k, ok = q.l.across(c.frames[i+1].n, c.frames[i+1].ev, c.frames[i].n, k); !ok {
			return false
		}
	}
	top := c.frames[len(c.frames)-1].n
	for x := q.e; x != nil; x = x.sub {
		if x.fn != top && x == leaf {
			// The waiter's function has called the one that starts it.
			for i := range top.callersIn(x.fn) {
				if up, ok := q.l.across(x.fn, &x.fn.Events[i], top, k); ok {
					return q.differs(up, x.fn)
				}
			}
		}
		if x.fn == top {
			return q.differs(k, top)
		}
	}
	return false
}

// wraps reports whether the signaller needs the lock only because it calls the
// waiter's own method on what it wraps, another object of an interface that it
// has itself.
func (q *query) wraps(c climbed) bool {
	e := c.need.e
	if e == nil || !slices.Contains(e.ifaces, decorator) {
		return false
	}
	last := e.last()
	return last.fn == q.n && last.ev.Pos == q.h.Pos
}

// stranger reports whether the event is another package's, and nothing says
// that the one which is signalled is the one that is waited for: there are as
// many of them as that package has users.
func (q *query) stranger(c climbed) bool {
	if q.coarse || c.need.e == nil || c.need.given || q.born.n != nil || packageOf(q.event.Class) == c.frames[c.need.level].n.pkg {
		return false
	}
	for x := q.e; x != nil; x = x.sub {
		if slices.ContainsFunc(c.frames[c.need.level:], func(f frame) bool { return f.n == x.fn && (f.spawn || f.ev.Kind == lockobj.Go) }) {
			return false // it has started the signaller
		}
	}
	k := c.need.e.lock
	for i := c.need.level; i < len(c.frames); i++ {
		f := c.frames[i]
		if i > c.need.level {
			k, _ = q.l.across(f.n, f.ev, c.frames[i-1].n, k)
		}
		if sameRoot(k.Path, f.at.Path) && sameRoot(q.h.Path, q.event.Path) && !strings.Contains(string(f.at.Path), "[") {
			return false
		}
		if strings.HasPrefix(string(f.at.Path), "g{") && sameRoot(f.at.Path, q.event.Path) {
			return false
		}
	}
	return true
}

// sameRoot reports whether two paths start at one object.
func sameRoot(a, b lockobj.Path) bool {
	r, _ := a.Split()
	s, _ := b.Split()
	return r != "" && r == s
}

// packageOf is the import path in the name of a field's or variable's class.
func packageOf(class string) string {
	slash := strings.LastIndexByte(head(class), '/') + 1
	dot := strings.IndexByte(class[slash:], '.')
	return class[:slash+max(dot, 0)]
}

// differs compares a lock, in the terms of a function on the way to the wait,
// with the one that the waiter holds.
func (q *query) differs(k lockobj.Lock, at *node) bool {
	k, ok := q.l.liftTo(q.e, at, k)
	a, b := q.h.Path.Plain(), k.Path.Plain()
	return ok && a != "" && b != "" && a != b && !strings.ContainsAny(string(a+b), "*'")
}

// callersIn yields the events of n that call the function.
func (n *node) callersIn(in *node) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range in.Events {
			if slices.ContainsFunc(in.targets[i], func(t target) bool { return t.fn == n }) && !yield(i) {
				return
			}
		}
	}
}

// across puts a callee's lock in terms of the function whose event calls it.
func (l *linker) across(n *node, ev *lockobj.Event, callee *node, k lockobj.Lock) (lockobj.Lock, bool) {
	for i := range n.Events {
		if &n.Events[i] != ev {
			continue
		}
		for _, t := range n.targets[i] {
			if t.fn == callee {
				k, _ = l.inTerms(k, t.args, t.bind)
				return k, true
			}
		}
	}
	return k, false
}

// liftTo puts a lock of a function on an entry's way in terms of the function
// in which the way begins.
func (l *linker) liftTo(e *entry, from *node, k lockobj.Lock) (lockobj.Lock, bool) {
	if e.fn == from {
		return k, true
	}
	if e.sub == nil {
		return k, false
	}
	k, ok := l.liftTo(e.sub, from, k)
	if !ok {
		return k, false
	}
	return l.across(e.fn, e.ev, e.to, k)
}

// near reports whether a signaller has what the waiter made, as one that the
// waiter's function started does.
func (q *query) near(c climbed) bool {
	return q.born.n == nil || slices.ContainsFunc(c.frames, func(f frame) bool { return f.n == q.born.n })
}
