package compile

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// Net effects of calls through interfaces: what the methods that may be meant
// agree on.

// releaseUnknown assumes that an unknown method of an object which carries a
// held lock gives that lock up.
func (f *flow) releaseUnknown(st *state, recv lockobj.Path) {
	if recv == "" {
		return
	}
	for i := len(st.held) - 1; i >= 0; i-- {
		if p := string(st.held[i].path); strings.HasPrefix(p, string(recv)+".") {
			st.held = append(st.held[:i:i], st.held[i+1:]...)
		}
	}
}

// invokeEffects applies what the possible callees agree on, and the releases
// of any.
func (f *flow) invokeEffects(st *state, instr ssa.CallInstruction, impls []*lockobj.Func, kind lockobj.EventKind) []*state {
	if kind == lockobj.Go {
		return []*state{st}
	}
	cc := instr.Common()
	args := append([]ssa.Value{cc.Value}, cc.Args...)
	var with []*lockobj.Func
	equal := true
	for _, fn := range impls {
		if fn != nil && len(fn.Net) > 0 {
			with = append(with, fn)
			if netKey(fn.Net) != netKey(with[0].Net) {
				equal = false
			}
		}
	}
	if len(with) == 0 {
		return []*state{st}
	}
	if equal && len(with) == len(impls) {
		return f.apply(st, with[0], instr, args, nil)
	}
	// The implementations name the lock each in its own way: its class tells.
	releasers := map[lockobj.Lock]int{}
	var order []lockobj.Lock
	for _, fn := range with {
		seen := map[lockobj.Lock]bool{}
		for _, nc := range fn.Net {
			for _, r := range slices.Concat(nc.Releases, nc.Drops) {
				l := f.translate(r, args, nil)
				k := lockobj.Lock{Class: l.Class, Mode: l.Mode}
				if seen[k] {
					continue
				}
				seen[k] = true
				if releasers[k]++; releasers[k] == 1 {
					order = append(order, k)
				}
			}
		}
	}
	for _, k := range order {
		for i := len(st.held) - 1; i >= 0; i-- {
			if h := st.held[i]; h.class != k.Class || h.mode != k.Mode {
				continue
			}
			if releasers[k] == len(impls) {
				st.held = append(st.held[:i:i], st.held[i+1:]...)
			} else {
				st.held = slices.Clone(st.held)
				st.held[i].maybe = true
			}
			break
		}
	}
	// Types that embed one another have one lock, each at a place of its own.
	if len(with) == len(impls) {
		for _, l := range acquiredByAll(with) {
			f.acquire(st, heldLock{class: l.Class, path: lockobj.Path("%" + nameOf(instr)), mode: l.Mode, pos: instr.Pos(), in: with[0].Name})
		}
	}
	return []*state{st}
}

// acquiredByAll lists what all functions return with, by class.
func acquiredByAll(fns []*lockobj.Func) []lockobj.Lock {
	var common []lockobj.Lock
	for i, fn := range fns {
		if len(fn.Net) != 1 {
			return nil
		}
		var ls []lockobj.Lock
		for _, a := range fn.Net[0].Acquires {
			if a.Class == "" || a.Try {
				return nil
			}
			ls = append(ls, lockobj.Lock{Class: a.Class, Mode: a.Mode})
		}
		if i > 0 && !slices.Equal(ls, common) {
			return nil
		}
		common = ls
	}
	return common
}

// embedded is a method as one of an object that has its receiver as the field
// via: its net effect speaks of that field.
func embedded(fn *lockobj.Func, via lockobj.Path) *lockobj.Func {
	if fn == nil || via == "" || len(fn.Net) == 0 {
		return fn
	}
	shift := func(p lockobj.Path) lockobj.Path {
		if root, steps := p.Split(); root == "p0" {
			return "p0" + via + lockobj.Path(steps)
		}
		return p
	}
	locks := func(ls []lockobj.Lock) []lockobj.Lock {
		ls = slices.Clone(ls)
		for i := range ls {
			ls[i].Path = shift(ls[i].Path)
		}
		return ls
	}
	g := *fn
	g.Net = slices.Clone(fn.Net)
	for i := range g.Net {
		nc := &g.Net[i]
		nc.When = slices.Clone(nc.When)
		for j := range nc.When {
			nc.When[j].Key = string(shift(lockobj.Path(nc.When[j].Key)))
		}
		nc.Acquires = slices.Clone(nc.Acquires)
		for j := range nc.Acquires {
			nc.Acquires[j].Path = shift(nc.Acquires[j].Path)
		}
		nc.Releases, nc.Drops = locks(nc.Releases), locks(nc.Drops)
	}
	return &g
}

func netKey(net []lockobj.NetCase) string {
	var b strings.Builder
	for _, nc := range net {
		fmt.Fprintf(&b, "%v:%s|", nc.When, effectKey(nc))
	}
	return b.String()
}
