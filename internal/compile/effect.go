package compile

import (
	"fmt"
	"go/types"
	"slices"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// maxCases bounds the ways in which one function may change a held set.
const maxCases = 8

// summarise computes what callers see of the function: its net effect on
// their held set, and where its results come from.
func (f *flow) summarise() {
	f.results()
	f.wrongReleases()
	f.leaks = f.leaked()
	var cases []lockobj.NetCase
	for _, x := range f.exits {
		cases = append(cases, f.exitCase(x))
	}
	f.out.Net = netCases(cases)
	for _, x := range f.exits {
		f.entry(x.st)
	}
	sort.Slice(f.out.Entry, func(i, j int) bool { return lockLess(f.out.Entry[i], f.out.Entry[j]) })
}

func lockLess(a, b lockobj.Lock) bool {
	if a.Class != b.Class {
		return a.Class < b.Class
	}
	if a.Path != b.Path {
		return a.Path < b.Path
	}
	return a.Mode < b.Mode
}

// entry notes what a state shows to have been held by the caller.
func (f *flow) entry(st *state) {
	for _, d := range st.dropped {
		l := d.lock()
		l.Path = l.Path.Outside()
		if (l.Class != "" || l.Path != "") && !slices.Contains(f.out.Entry, l) {
			f.out.Entry = append(f.out.Entry, l)
		}
	}
}

// exitCase describes one return in terms of parameters, captures and results.
func (f *flow) exitCase(x exit) lockobj.NetCase {
	var nc lockobj.NetCase
	for _, h := range x.st.held {
		if h.maybe || f.leaks[h.pos] {
			continue
		}
		l := h.lock()
		l.Path = f.outside(l.Path, x)
		if l.Path == "" {
			// A caller that cannot name the lock cannot release it either:
			// the release was not recognised, or comes from elsewhere.
			continue
		}
		nc.Acquires = append(nc.Acquires, lockobj.Held{Lock: l, Pos: f.c.pos(h.pos), In: h.in, Try: h.try})
	}
	for _, d := range x.st.dropped {
		l := d.lock()
		l.Path = f.outside(l.Path, x)
		if l.Path == "" && l.Class == "" {
			continue
		}
		nc.Releases = append(nc.Releases, l)
	}
	sort.Slice(nc.Releases, func(i, j int) bool { return lockLess(nc.Releases[i], nc.Releases[j]) })
	for k, v := range x.st.conds.m {
		if k == "" || strings.ContainsAny(k, "%'") || k[0] != 'p' && k[0] != 'f' && k[0] != 'g' || x.st.conds.m[late+k] {
			continue
		}
		nc.When = append(nc.When, lockobj.Cond{Key: k, Val: v})
	}
	for i, r := range x.ret.Results {
		key := "r" + strconv.Itoa(i)
		if isBool(r.Type()) {
			k, neg, val := f.condKey(r)
			if val != nil {
				nc.When = append(nc.When, lockobj.Cond{Key: key, Val: *val})
			} else if v, ok := x.st.cond(k); ok {
				nc.When = append(nc.When, lockobj.Cond{Key: key, Val: v != neg})
			}
			continue
		}
		if n := f.nilness(x.st, r); n != unknown {
			nc.When = append(nc.When, lockobj.Cond{Key: key + "==nil", Val: n == isNil})
		}
	}
	sort.Slice(nc.When, func(i, j int) bool { return nc.When[i].Key < nc.When[j].Key })
	return nc
}

// outside names a path for callers, through a result where it is local.
func (f *flow) outside(p lockobj.Path, x exit) lockobj.Path {
	if !p.Local() {
		return p.Outside()
	}
	root, steps := p.Split()
	for i, r := range x.ret.Results {
		if rp := f.path(r); string(rp) == root {
			return lockobj.Path("r"+strconv.Itoa(i)) + lockobj.Path(steps)
		}
	}
	return ""
}

func effectKey(nc lockobj.NetCase) string {
	var b strings.Builder
	for _, a := range nc.Acquires {
		fmt.Fprintf(&b, "+%s %s %d;", a.Class, a.Path, a.Mode)
	}
	for _, r := range nc.Releases {
		fmt.Fprintf(&b, "-%s %s %d;", r.Class, r.Path, r.Mode)
	}
	for _, r := range nc.Drops {
		fmt.Fprintf(&b, "?%s %s %d;", r.Class, r.Path, r.Mode)
	}
	return b.String()
}

// netCases applies the exit agreement: effects that no visible condition tells
// apart are reduced to what all exits acquire and any exit releases.
func netCases(cases []lockobj.NetCase) []lockobj.NetCase {
	if len(cases) == 0 {
		return nil
	}
	same := true
	for _, nc := range cases[1:] {
		if effectKey(nc) != effectKey(cases[0]) {
			same = false
		}
	}
	if same {
		nc := cases[0]
		nc.When = nil
		if len(nc.Acquires) == 0 && len(nc.Releases) == 0 {
			return nil
		}
		return []lockobj.NetCase{nc}
	}
	told := true
	for i := range cases {
		for j := range cases[:i] {
			if effectKey(cases[i]) != effectKey(cases[j]) && !apart(cases[i], cases[j]) {
				told = false
			}
		}
	}
	var out []lockobj.NetCase
	if told {
		seen := map[string]bool{}
		for _, nc := range cases {
			if k := effectKey(nc) + fmt.Sprint(nc.When); !seen[k] {
				seen[k] = true
				out = append(out, nc)
			}
		}
		if len(out) <= maxCases {
			return out
		}
	}
	var nc lockobj.NetCase
	for _, a := range cases[0].Acquires {
		all := true
		for _, o := range cases[1:] {
			if !slices.ContainsFunc(o.Acquires, func(b lockobj.Held) bool { return a.Lock == b.Lock }) {
				all = false
			}
		}
		if all {
			nc.Acquires = append(nc.Acquires, a)
		}
	}
	for _, o := range cases {
		for _, r := range slices.Concat(o.Releases, o.Drops) {
			if slices.Contains(nc.Releases, r) || slices.Contains(nc.Drops, r) {
				continue
			}
			if slices.ContainsFunc(cases, func(c lockobj.NetCase) bool { return !slices.Contains(c.Releases, r) }) {
				nc.Drops = append(nc.Drops, r)
			} else {
				nc.Releases = append(nc.Releases, r)
			}
		}
	}
	if len(nc.Acquires) == 0 && len(nc.Releases) == 0 && len(nc.Drops) == 0 {
		return nil
	}
	return []lockobj.NetCase{nc}
}

// apart reports whether some condition has opposite values in the two cases.
func apart(a, b lockobj.NetCase) bool {
	for _, x := range a.When {
		for _, y := range b.When {
			if x.Key == y.Key && x.Val != y.Val {
				return true
			}
		}
	}
	return false
}

// results finds where each result comes from, where all returns agree.
func (f *flow) results() {
	n := f.fn.Signature.Results().Len()
	if n == 0 || len(f.exits) == 0 {
		return
	}
	rs := make([]lockobj.Result, n)
	useful := false
	for i := range n {
		t := f.fn.Signature.Results().At(i).Type()
		switch t.Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Signature, *types.Map, *types.Slice, *types.Chan:
		default:
			continue
		}
		first := true
		for _, x := range f.exits {
			v := x.ret.Results[i]
			if k, ok := v.(*ssa.Const); ok && k.IsNil() || empty(v) {
				continue
			}
			r := f.resultOf(x.st, v)
			if first {
				rs[i] = r
				first = false
				continue
			}
			rs[i] = meet(rs[i], r)
		}
		if rs[i].Path != "" || rs[i].Fresh || rs[i].Func != nil || rs[i].Type != "" || rs[i].Class != "" {
			useful = true
		}
	}
	if useful {
		f.out.Results = rs
	}
}

// empty reports whether a value is a function that does nothing, as it is
// returned in place of one that releases where there is nothing to release.
func empty(v ssa.Value) bool {
	fn, ok := v.(*ssa.Function)
	if !ok || len(fn.Blocks) != 1 || len(fn.Blocks[0].Instrs) != 1 {
		return false
	}
	ret, ok := fn.Blocks[0].Instrs[0].(*ssa.Return)
	return ok && len(ret.Results) == 0
}

func (f *flow) resultOf(st *state, v ssa.Value) lockobj.Result {
	var r lockobj.Result
	p := f.path(v)
	r.Path = p.Outside()
	if root, steps := p.Split(); steps == "" && strings.HasPrefix(root, "a:") {
		r.Fresh = !st.pub.m[root] && !slices.ContainsFunc(st.keepings(), func(k keeping) bool { return k.root == root })
		for _, k := range f.known(v) {
			if k.Is = k.Is.Outside(); k.Is != "" {
				r.Known = append(r.Known, k)
			}
		}
	}
	if f.c.isLock(v.Type()) || f.isRLocker(v, 0) {
		l := f.lockRef(v)
		r.Class, r.Read = l.Class, l.Mode == lockobj.Read
	} else if isEvent(v.Type()) {
		r.Class = f.classOf(v, 0)
	}
	switch v.Type().Underlying().(type) {
	case *types.Signature:
		if fr := f.funcRef(st, v); fr != nil && fr.Free == 0 {
			c := *fr
			c.Bind = slices.Clone(fr.Bind)
			for i := range c.Bind {
				c.Bind[i].Path = c.Bind[i].Path.Outside()
			}
			r.Func = &c
		}
	case *types.Interface:
		if mi := f.madeInterface(v); mi != nil {
			r.Type = f.c.concrete(mi.X.Type())
		} else {
			r.Type = f.resultType(v)
			if ts := f.c.dynamicTypes(v); r.Type == "" && len(ts) == 1 && !universal(v.Type()) {
				r.Type = ts[0]
			}
		}
	}
	return r
}

func meet(a, b lockobj.Result) lockobj.Result {
	if a.Path != b.Path {
		a.Path = ""
	}
	if a.Class != b.Class || a.Read != b.Read {
		a.Class, a.Read = "", false
	}
	if a.Type != b.Type {
		a.Type = ""
	}
	if a.Func != nil && (b.Func == nil || a.Func.Sym != b.Func.Sym || a.Func.Param != b.Func.Param) {
		a.Func = nil
	}
	a.Fresh = a.Fresh && b.Fresh
	a.Known = slices.DeleteFunc(slices.Clone(a.Known), func(k lockobj.Known) bool { return !slices.Contains(b.Known, k) })
	return a
}
