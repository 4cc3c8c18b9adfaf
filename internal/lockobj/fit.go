package lockobj

import (
	"slices"
)

// MaxFact bounds what Fit returns, in bytes: each importer reads it.
const MaxFact = 256 << 10

// Fit encodes what [Export] returned in at most [MaxFact] bytes. Where all is
// too much, the functions of some packages are left out, those that the first
// package imports by way of the most others first, and their number is
// returned. Types stay, so that a call through an interface has no fewer targets
// than before. The first package stays whole, whatever its size.
func Fit(pkgs []*Package) (data []byte, left int) {
	return fit(pkgs, MaxFact)
}

func fit(pkgs []*Package, limit int) (data []byte, left int) {
	data = Encode(pkgs)
	if len(data) <= limit {
		return data, 0
	}
	pkgs = farthestLast(pkgs)
	events := func(p *Package) int {
		n := len(p.Funcs)
		for _, f := range p.Funcs {
			n += len(f.Events)
		}
		return n
	}
	for kept := len(pkgs); len(data) > limit && kept > 1; data = Encode(pkgs) {
		all := 0
		for _, p := range pkgs {
			all += events(p)
		}
		// Aim a little below, so that few rounds are needed.
		excess := all - all*(limit-limit/32)/len(data)
		for ; kept > 1 && excess >= 0; kept-- {
			p := *pkgs[kept-1]
			if len(p.Funcs) == 0 {
				continue
			}
			excess -= events(&p)
			p.Events = signalledElsewhere(&p)
			p.Funcs, p.Stores = nil, nil
			pkgs[kept-1] = &p
			left++
		}
	}
	return data, left
}

// signalledElsewhere adds to a package's events that somebody signals, and
// receives, what its functions do: they are going to be left out.
func signalledElsewhere(p *Package) []EventClass {
	out := slices.Clone(p.Events)
	for _, f := range p.Funcs {
		for i := range f.Events {
			e := &f.Events[i]
			if e.Kind != Signal || e.Lock.Class == "" {
				continue
			}
			at := slices.IndexFunc(out, func(c EventClass) bool { return c.Class == e.Lock.Class })
			if at < 0 {
				at = len(out)
				out = append(out, EventClass{Class: e.Lock.Class})
			}
			out[at].Escapes |= EscapeRecv | EscapeSend
		}
	}
	return out
}

// farthestLast orders packages by how many imports lead to them from the first.
func farthestLast(pkgs []*Package) []*Package {
	byPath := map[string]*Package{}
	for _, p := range pkgs {
		byPath[p.Path] = p
	}
	far := map[string]int{pkgs[0].Path: 0}
	for work := []string{pkgs[0].Path}; len(work) > 0; work = work[1:] {
		if p := byPath[work[0]]; p != nil {
			for _, i := range p.Imports {
				if _, ok := far[i]; !ok {
					far[i] = far[work[0]] + 1
					work = append(work, i)
				}
			}
		}
	}
	out := slices.Clone(pkgs)
	slices.SortStableFunc(out[1:], func(a, b *Package) int {
		da, oka := far[a.Path]
		db, okb := far[b.Path]
		if oka != okb { // one that nothing here is known to import
			if oka {
				return -1
			}
			return 1
		}
		return da - db
	})
	return out
}
