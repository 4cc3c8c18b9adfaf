//go:build lockdep

package lockdep

import "github.com/lockvet/lockvet/runtime/lockdep/internal/core"

// Snapshot returns what was observed so far.
func Snapshot() Graph {
	core.Deliver()
	var g Graph
	for c := 1; c <= core.NumClasses(); c++ {
		_, props := core.ClassSource(uint16(c))
		k := Class{Name: className(uint16(c)), Kind: kindName(props), Named: props&core.Named != 0, Handoff: props&core.Handoff != 0}
		k.Acquired, k.Contended = core.ClassCounts(uint16(c))
		g.Classes = append(g.Classes, k)
	}
	core.EachDep(func(l core.Link) { g.Deps = append(g.Deps, edgeOf(l)) })
	g.Reports = Reports(Weak, Medium, Strong)
	core.EachHeld(func(h core.HeldLock) {
		g.Held = append(g.Held, Held{className(h.Class), h.Inst, modeName(h.Mode), siteOf(h.PC), h.Goid})
	})
	g.Stats = ReadStats()
	return g
}

// ReadStats returns the engine's counters.
func ReadStats() Stats {
	events, records := core.Counts()
	s := Stats{Records: records}
	for i, n := range events {
		s.Events = append(s.Events, EventCount{core.EventNames[i][0], n, core.EventNames[i][1]})
	}
	for t, name := range core.TableNames {
		if core.FullTable(t) {
			s.Full = append(s.Full, name)
		}
	}
	return s
}
