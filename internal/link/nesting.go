package link

import (
	"strings"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// Whether something orders two locks of one class.

// orderedBelow reports whether a function on the way compares the two.
func (l *linker) orderedBelow(e *entry) bool {
	for ; e != nil; e = e.sub {
		if e.ev.Ordered {
			return true
		}
	}
	return false
}

// unordered reports whether two paths are two instances that the caller picks:
// two parameters, two elements by parameters, or elements of a slice that the
// caller gave, locked one after the other.
func (n *node) unordered(a, b lockobj.Path) bool {
	ra, sa := a.Split()
	rb, sb := b.Split()
	if i, ok := number(ra, 'p'); ok {
		if j, ok := number(rb, 'p'); ok && i != j && sa == sb && !strings.Contains(sa, "[") &&
			i < len(n.ParamTypes) && j < len(n.ParamTypes) && n.ParamTypes[i] == n.ParamTypes[j] {
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

// callersOrder reports whether the two parameters that two paths start at are
// ordered by whoever calls n: all its callers are known, and each gives one that
// is new, or that a new object has, or two fields of one object in the same
// order as the others, or an element by its number and then any other.
func (l *linker) callersOrder(n *node, a, b lockobj.Path) bool {
	ra, _ := a.Split()
	rb, _ := b.Split()
	i, ok1 := number(ra, 'p')
	j, ok2 := number(rb, 'p')
	if !ok1 || !ok2 || l.entered(n) {
		return false
	}
	type pair struct{ first, second string }
	seen := map[pair]bool{}
	for _, c := range l.callersOf(n) {
		if i >= len(c.args) || j >= len(c.args) {
			return false
		}
		x, y := &c.args[i], &c.args[j]
		if x.Const == "nil" || y.Const == "nil" || x.Fresh || y.Fresh || x.Owned || y.Owned {
			continue
		}
		px, fx := lastPart(x.Path)
		py, fy := lastPart(y.Path)
		if px == "" || px != py || fx == fy || seen[pair{fy, fx}] {
			return false
		}
		seen[pair{fx, fy}] = true
	}
	return true
}

// callersOf lists the calls of a function that are known.
func (l *linker) callersOf(n *node) []target {
	var out []target
	for _, m := range l.nodes {
		for i := range m.targets {
			for _, t := range m.targets[i] {
				if t.fn == n {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// lastPart splits the path of what a field holds into the object's and the
// field's name, and that of an element into what has it and the element's
// number, "*" if it has none; "" if it is no such path.
func lastPart(p lockobj.Path) (object, part string) {
	s := strings.TrimSuffix(string(p.Plain()), ">")
	if i := strings.LastIndexByte(s, '['); i >= 0 && strings.HasSuffix(s, "]") && !strings.ContainsAny(s[:i], "[*'") {
		if _, ok := number("p"+s[i+1:len(s)-1], 'p'); ok {
			return s[:i], s[i:]
		}
		return s[:i], "*"
	}
	i := strings.LastIndexByte(s, '.')
	if i < 0 || strings.ContainsAny(s, "[*'") {
		return "", ""
	}
	return s[:i], s[i+1:]
}
