package compile

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// Freshness: an object allocated here that nobody else can reach cannot make
// anybody wait, so locking it adds no dependency. Publication is tracked per
// disjunct; what is stored into a fresh object becomes reachable with it.
// Calls whose target is not known are taken not to publish their arguments: a
// constructor that hands its object to interfaces before it is done would
// otherwise look like a user of it.

// keeping is an allocation that was put into a field of the object whose lock
// is held: until that is given up, nobody else comes by it.
type keeping struct {
	root string
	lock lockobj.Path
}

// keepings lists an object's keepings in order.
func (s *state) keepings() []keeping {
	return slices.SortedFunc(maps.Keys(s.kept.m), func(a, b keeping) int {
		return cmp.Or(cmp.Compare(a.root, b.root), cmp.Compare(a.lock, b.lock))
	})
}

// guard returns the lock held that guards a field, as far as being of the same
// object tells: "" if there is none.
func (s *state) guard(field lockobj.Path) lockobj.Path {
	o := field.Object()
	if o == "" || field.Local() {
		return ""
	}
	for _, h := range s.held {
		if h.mode == lockobj.Write && !h.maybe && h.path.Object() == o && !strings.HasSuffix(string(h.path), "]") {
			return h.path
		}
	}
	return ""
}

// unpublished reports whether the path is that of a fresh object.
func (f *flow) unpublished(st *state, p lockobj.Path) bool {
	root, steps := p.Split()
	return strings.HasPrefix(root, "a:") && st.own(root) && lockobj.Inside(steps)
}

// own reports whether nobody else can reach an allocation now.
func (s *state) own(root string) bool {
	if s.pub.m[root] {
		return false
	}
	for k := range s.kept.m {
		if k.root == root && !slices.ContainsFunc(s.held, func(h heldLock) bool { return h.path == k.lock && !h.maybe }) {
			return false
		}
	}
	return true
}

// reachable is the root under which a value can be published: that of an
// allocation, or of a closure.
func (f *flow) reachable(v ssa.Value) string {
	if mc, ok := v.(*ssa.MakeClosure); ok {
		return "%" + mc.Name()
	}
	root, steps := f.path(v).Split()
	if len(root) < 3 || root[:2] != "a:" {
		return ""
	}
	if steps != "" {
		// The address of a part leads to the whole; a value read from it
		// does not.
		switch v.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice:
		default:
			return ""
		}
	}
	return root
}

// publish makes what v refers to known to others.
func (f *flow) publish(st *state, v ssa.Value) {
	switch x := v.(type) {
	case *ssa.MakeInterface:
		v = x.X
	case *ssa.ChangeType:
		v = x.X
	}
	if r := f.reachable(v); r != "" {
		f.publishRoot(st, r, 0)
	}
	// A variable's cell holds a value that has a name of its own.
	if u, ok := v.(*ssa.UnOp); ok {
		if a, ok := u.X.(*ssa.Alloc); ok {
			f.publishRoot(st, "a:"+a.Name(), 0)
		}
	}
}

func (f *flow) publishRoot(st *state, root string, depth int) {
	if depth > 20 || st.pub.m[root] {
		return
	}
	st.pub.set(root, true)
	for _, c := range f.contains[root] {
		f.publishRoot(st, c, depth+1)
	}
}

// contain notes that v is kept in the fresh container.
func (f *flow) contain(container string, v ssa.Value) {
	r := f.reachable(v)
	if a, ok := v.(*ssa.Alloc); ok {
		r = "a:" + a.Name()
	}
	if r == "" || r == container {
		return
	}
	for _, c := range f.contains[container] {
		if c == r {
			return
		}
	}
	if f.contains == nil {
		f.contains = map[string][]string{}
	}
	f.contains[container] = append(f.contains[container], r)
}

// publishInto handles an assignment of v to a place at the given path.
func (f *flow) publishInto(st *state, to lockobj.Path, v ssa.Value) {
	root, _ := to.Split()
	if len(root) > 2 && root[:2] == "a:" {
		f.contain(root, v)
		if st.pub.m[root] {
			f.publish(st, v)
		}
		for _, k := range st.keepings() {
			if r := f.reachable(v); k.root == root && r != "" {
				f.keepUnder(st, k.lock, r, 0)
			}
		}
		return
	}
	f.keepHandle(st, v)
	if r := f.reachable(v); r != "" && !st.pub.m[r] {
		if lock := st.guard(to); lock != "" {
			f.keepUnder(st, lock, r, 0)
			return
		}
	}
	f.publish(st, v)
}

// keepUnder notes that an allocation, and what it contains, is kept by an
// object whose lock is held.
func (f *flow) keepUnder(st *state, lock lockobj.Path, root string, depth int) {
	k := keeping{root, lock}
	if depth > 20 || st.kept.m[k] {
		return
	}
	st.kept.set(k, true)
	for _, c := range f.contains[root] {
		f.keepUnder(st, lock, c, depth+1)
	}
}

// reveal makes known to others what was kept under a lock that was given up,
// and is now acquired again.
func (f *flow) reveal(st *state, lock lockobj.Path) {
	for _, k := range st.keepings() {
		if k.lock == lock {
			st.kept.delete(k)
			f.publishRoot(st, k.root, 0)
		}
	}
}

// publishes computes the parameters of fn that others can reach afterwards.
func (c *compiler) publishes(p *pather) uint64 {
	var bits uint64
	mark := func(v ssa.Value) {
		root, _ := p.path(v).Split()
		if n, ok := index(root, 'p'); ok && n < 64 {
			bits |= 1 << n
		}
	}
	for _, b := range p.fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				if to, _ := p.path(instr.Addr).Split(); to == "" || to[0] != 'a' {
					if from, _ := p.path(instr.Val).Split(); from != to {
						mark(instr.Val)
					}
				}
			case *ssa.MapUpdate:
				if to, _ := p.path(instr.Map).Split(); to == "" || to[0] != 'a' {
					mark(instr.Value)
				}
			case *ssa.Send:
				mark(instr.X)
			case *ssa.Go:
				for _, a := range instr.Call.Args {
					mark(a)
				}
				if instr.Call.IsInvoke() {
					mark(instr.Call.Value)
				}
				if mc, ok := instr.Call.Value.(*ssa.MakeClosure); ok {
					for _, bd := range mc.Bindings {
						if root, _ := p.binding(bd).Split(); len(root) > 0 {
							if n, ok := index(root, 'p'); ok && n < 64 {
								bits |= 1 << n
							}
						}
					}
				}
			case *ssa.Call:
				cc := instr.Common()
				if cc.IsInvoke() {
					continue
				}
				if callee := cc.StaticCallee(); callee != nil {
					if f := c.callee(callee); f != nil {
						for i, a := range cc.Args {
							if i < 64 && f.Publishes&(1<<i) != 0 {
								mark(a)
							}
						}
					}
				}
			}
		}
	}
	return bits
}
