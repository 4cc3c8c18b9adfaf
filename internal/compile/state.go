package compile

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// maxStates bounds the distinct held sets kept at one point. Nearly all
// functions need one; four kept every known pairing apart.
const maxStates = 4

// maxHeld bounds one held set: a loop that locks without end stops here.
const maxHeld = 16

// heldLock is a lock held at a point.
type heldLock struct {
	class string
	path  lockobj.Path
	mode  lockobj.Mode
	pos   token.Pos
	in    string
	try   bool
	fresh bool // nobody else can know the lock's object
	maybe bool // a callee may have released it
	// handle is the call that acquired it and returned an object: where that
	// is kept, the lock is the object's and no longer the goroutine's.
	handle string
}

func (h heldLock) lock() lockobj.Lock {
	return lockobj.Lock{Class: h.class, Path: h.path, Mode: h.mode}
}

// sameLock reports whether both name one lock.
func sameLock(c1 string, p1 lockobj.Path, c2 string, p2 lockobj.Path) bool {
	if p1 != "" && p1.Plain() == p2.Plain() {
		return true
	}
	return p1 == "" && p2 == "" && c1 != "" && c1 == c2
}

// state is one disjunct: what holds at a point on some of the paths to it.
type state struct {
	held    []heldLock   // innermost last
	dropped []heldLock   // the caller's, released here and not retaken; fresh is unused
	defers  []*ssa.Defer // innermost last
	conds   cow[string]  // what branches and callees have told
	pub     cow[string]  // allocations that others can reach
	kept    cow[keeping] // allocations that others reach once a lock is given up
	// spent are locks acquired and released here; true until something runs
	// that may have taken one again.
	spent cow[lockobj.Path]
}

func (s *state) clone() *state {
	return &state{
		held:    slices.Clone(s.held),
		dropped: slices.Clone(s.dropped),
		defers:  slices.Clone(s.defers),
		conds:   s.conds.copied(),
		pub:     s.pub.copied(),
		kept:    s.kept.copied(),
		spent:   s.spent.copied(),
	}
}

// key identifies what makes two disjuncts different: all but the conditions,
// and, where no lock is involved, but what others know.
func (s *state) key() string {
	if len(s.held) == 0 && len(s.dropped) == 0 && len(s.defers) == 0 {
		return ""
	}
	var b strings.Builder
	for _, h := range s.held {
		fmt.Fprintf(&b, "h%s %s %d %d %v %v;", h.class, h.path, h.mode, h.pos, h.fresh, h.maybe)
	}
	for _, h := range s.dropped {
		fmt.Fprintf(&b, "d%s %s %d;", h.class, h.path, h.mode)
	}
	for _, d := range s.defers {
		fmt.Fprintf(&b, "D%d;", d.Pos())
	}
	for _, p := range slices.Sorted(maps.Keys(s.pub.m)) {
		b.WriteString("p" + p)
	}
	for _, k := range s.keepings() {
		b.WriteString("k" + k.root + " " + string(k.lock))
	}
	return b.String()
}

// lockKey identifies the held set alone, without sites.
func (s *state) lockKey() string {
	var b strings.Builder
	for _, h := range s.held {
		fmt.Fprintf(&b, "h%s %s %d%v;", h.class, h.path, h.mode, h.maybe)
	}
	b.WriteByte('|')
	for _, h := range s.dropped {
		fmt.Fprintf(&b, "d%s %s %d;", h.class, h.path, h.mode)
	}
	return b.String()
}

// late marks a captured variable to which the function has assigned, so that what
// is known of it is no condition on how the function was called.
const late = "late "

// maxWhen bounds the conditions of one event.
const maxWhen = 4

// visible returns the conditions on parameters and captured variables, which
// callers may know.
func (s *state) visible() []lockobj.Cond {
	var out []lockobj.Cond
	for k, v := range s.conds.m {
		if n, ok := strings.CutPrefix(k, "p"); ok || strings.HasPrefix(k, "f") {
			if !ok {
				n = k[1:]
			}
			n, _, _ = strings.Cut(n, "==")
			if !ok && !s.conds.m[late+k] {
				n = strings.TrimSuffix(n, ".~") // as it was when the closure was called
			}
			if _, err := strconv.Atoi(n); err == nil {
				out = append(out, lockobj.Cond{Key: k, Val: v})
			}
		}
	}
	// Where there are too many, a bool or an equality says most.
	weight := func(c lockobj.Cond) int {
		if strings.Contains(c.Key, "==") && !c.Val {
			return 1
		}
		return 0
	}
	slices.SortFunc(out, func(a, b lockobj.Cond) int {
		if d := weight(a) - weight(b); d != 0 {
			return d
		}
		return strings.Compare(a.Key, b.Key)
	})
	return out[:min(len(out), maxWhen)]
}

// cond says what a state knows of a condition. What equals one constant equals no
// other.
func (s *state) cond(key string) (val, known bool) {
	if v, ok := s.conds.m[key]; ok {
		return v, true
	}
	x, consts, ok := strings.Cut(key, "==")
	if !ok || !tells(consts) {
		return false, false
	}
	for c, v := range s.conds.m {
		y, others, ok := strings.Cut(c, "==")
		if v && ok && y == x && tells(others) && !slices.ContainsFunc(strings.Split(others, "|"), func(o string) bool { return slices.Contains(strings.Split(consts, "|"), o) }) {
			return false, true
		}
	}
	return false, false
}

// setCond records a condition.
func (s *state) setCond(key string, val bool) {
	s.conds.set(key, val)
}

// forget drops what is known of values with this name, which gets a new value,
// and ages the held locks that it names.
func (s *state) forget(name string) {
	for p := range s.spent.m {
		if mentions(string(p), name) {
			s.spent.delete(p)
		}
	}
	for k := range s.conds.m {
		if mentions(k, name) {
			s.conds.delete(k)
		}
	}
	aged := false
	for i := range s.held {
		if s.held[i].path.Mentions(name) {
			s.held[i].path = lockobj.Path(strings.ReplaceAll(string(s.held[i].path), name, name+"'"))
			aged = true
		}
	}
	if aged {
		s.held = compact(s.held)
	}
}

// mentions reports whether the key of a condition contains the name of a value.
func mentions(key, name string) bool {
	for from := 0; ; {
		i := strings.Index(key[from:], name)
		if i < 0 {
			return false
		}
		from += i + len(name)
		if from == len(key) || key[from] < '0' || key[from] > '9' {
			return true
		}
	}
}

// compact drops repeated entries, which loops make.
func compact(hs []heldLock) []heldLock {
	var out []heldLock
	for _, h := range hs {
		dup := false
		for _, o := range out {
			if o.class == h.class && o.path == h.path && o.mode == h.mode {
				dup = true
				break
			}
		}
		if !dup {
			out = append(out, h)
		}
	}
	return out
}

// find returns the index of the innermost held lock that an operation on l
// means, -1 if there is none. Pairing errs to silence: where no lock has the
// same path, one of the same class that could be it will do.
func (s *state) find(l lockobj.Lock, mode lockobj.Mode) int {
	best := -1
	for i := len(s.held) - 1; i >= 0; i-- {
		h := s.held[i]
		if sameLock(h.class, h.path, l.Class, l.Path) {
			if h.mode == mode {
				return i
			}
			if best < 0 {
				best = i
			}
		}
	}
	return best
}

// findLike is find for an unlock without an exact partner.
func (s *state) findLike(l lockobj.Lock, mode lockobj.Mode) int {
	for i := len(s.held) - 1; i >= 0; i-- {
		h := s.held[i]
		if h.mode == mode && h.class != "" && h.class == l.Class && !(certain(h.path) && certain(l.Path)) {
			return i
		}
	}
	return -1
}

// certain reports whether a path is made of parameters and fields only, so
// that another such path is another instance.
func certain(p lockobj.Path) bool {
	return p.Proven() && !p.Local() && !strings.Contains(string(p), "[")
}

// add appends a held lock. One that a loop acquires again at the same place is
// there already: its first acquisition is what matters.
func (s *state) add(h heldLock) {
	for _, o := range s.held {
		if o.pos == h.pos && o.path == h.path && o.class == h.class {
			return
		}
	}
	if len(s.held) < maxHeld {
		s.held = append(s.held, h)
	}
}

// join adds n to a point's disjuncts and reports whether anything changed.
func join(states []*state, n *state, folded *bool) ([]*state, bool) {
	k := n.key()
	for _, s := range states {
		if s.key() != k {
			continue
		}
		changed := meetConds(s, n)
		meetSpent(s, n)
		return states, reveals(s, n) || changed
	}
	if len(states) < maxStates {
		return append(states, n.clone()), true
	}
	// Too many: fold n into the last one, keeping what both agree on.
	*folded = true
	last := states[len(states)-1]
	before := last.key()
	nconds := len(last.conds.m)
	fold(last, n)
	return states, last.key() != before || len(last.conds.m) != nconds
}

// maxOneOf bounds the constants of one condition.
const maxOneOf = 8

// meetConds keeps in s the conditions that n has, too, and reports whether that
// changed any. Where each knows which constant something is, it is one of them.
func meetConds(s, n *state) (changed bool) {
	var wider []string
	for c := range n.conds.m {
		if strings.HasPrefix(c, late) && !s.conds.m[c] {
			s.conds.set(c, true)
			changed = true
		}
	}
	for c, v := range s.conds.m {
		if w, ok := n.conds.m[c]; ok && w == v || strings.HasPrefix(c, late) {
			continue
		}
		if key := oneOf(c, n); v && key != "" {
			if key == c {
				continue
			}
			wider = append(wider, key)
		}
		s.conds.delete(c)
		changed = true
	}
	for _, key := range wider {
		s.conds.set(key, true)
	}
	return changed
}

// oneOf widens a condition that something is one of some constants by those
// that it is in n: "" if that is not known, or they are too many.
func oneOf(key string, n *state) string {
	x, consts, ok := strings.Cut(key, "==")
	if !ok || !tells(consts) {
		return ""
	}
	all := strings.Split(consts, "|")
	for c, v := range n.conds.m {
		y, other, ok := strings.Cut(c, "==")
		if !v || !ok || y != x || !tells(other) {
			continue
		}
		all = append(all, strings.Split(other, "|")...)
		slices.Sort(all)
		all = slices.Compact(all)
		if len(all) > maxOneOf {
			return ""
		}
		return x + "==" + strings.Join(all, "|")
	}
	return ""
}

// tells reports whether two constants of such names are alike only if
// their names are.
func tells(consts string) bool {
	return consts != "nil" && consts != "zero"
}

// meetSpent keeps the releases that both states have seen.
func meetSpent(s, n *state) {
	for p, v := range s.spent.m {
		if w, ok := n.spent.m[p]; !ok {
			s.spent.delete(p)
		} else {
			s.spent.set(p, v && w)
		}
	}
}

// fold keeps in s the locks that s and n both hold; releases, and deferred
// calls, count if either has them.
func fold(s, n *state) {
	s.held = slices.DeleteFunc(s.held, func(h heldLock) bool {
		return !slices.ContainsFunc(n.held, func(o heldLock) bool {
			return o.class == h.class && o.path == h.path && o.mode == h.mode
		})
	})
	for _, d := range n.dropped {
		if !slices.ContainsFunc(s.dropped, func(o heldLock) bool { return o.class == d.class && o.path == d.path }) {
			s.dropped = append(s.dropped, d)
		}
	}
	// A deferred unlock that only one of them has must not be lost: a lock
	// thought held at the return would be an accusation.
	for _, d := range n.defers {
		if !slices.Contains(s.defers, d) {
			s.defers = append(s.defers, d)
		}
	}
	meetConds(s, n)
	meetSpent(s, n)
	reveals(s, n)
}

// reveals adds to s what others know in n, and reports whether any of it is new.
func reveals(s, n *state) (changed bool) {
	for k := range n.kept.m {
		if !s.kept.m[k] {
			s.kept.set(k, true)
			changed = true
		}
	}
	for p := range n.pub.m {
		if !s.pub.m[p] {
			s.pub.set(p, true)
			changed = true
		}
	}
	return changed
}
