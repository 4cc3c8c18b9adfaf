package lockdep

import (
	"encoding/json"
	"fmt"
	"io"
)

// dumpHeader is the first line of a dump, see WriteDump.
const dumpHeader = "lockvet dump 1"

// A Graph is what was observed so far.
type Graph struct {
	Classes []Class  `json:"classes"`
	Deps    []Edge   `json:"deps"`
	Reports []Report `json:"reports"` // of every level
	Held    []Held   `json:"held"`
	Stats   Stats    `json:"stats"`
}

// A Class is one lock class of the program.
type Class struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`                // mutex, rwmutex or event
	Named     bool   `json:"named,omitempty"`     // by the user
	Handoff   bool   `json:"handoff,omitempty"`   // locks are released by other goroutines
	Acquired  uint64 `json:"acquired,omitempty"`  // with stats=1
	Contended uint64 `json:"contended,omitempty"` // with stats=1
}

// Held is a lock that a goroutine holds.
type Held struct {
	Class     string `json:"class"`
	Instance  uint64 `json:"instance"`
	Mode      string `json:"mode"`
	Site      Site   `json:"site"`
	Goroutine uint64 `json:"goroutine"`
}

// Stats are the engine's own counters. Events are all 0 unless stats=1.
type Stats struct {
	Events  []EventCount `json:"events"`
	Records int64        `json:"records"` // goroutine records that exist
	Full    []string     `json:"full"`    // tables that were full
}

// EventCount is how often one thing happened inside the engine.
type EventCount struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
	Help  string `json:"help"`
}

// WriteJSON writes the observed graph to w as one JSON object.
func WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "\t")
	return enc.Encode(Snapshot())
}

// WriteText writes the observed graph to w for reading.
func WriteText(w io.Writer) error {
	g := Snapshot()
	p := printer{w: w}
	p.f("reports: %d\n", len(g.Reports))
	for i := range g.Reports {
		p.f("%v\n", &g.Reports[i])
	}
	p.f("classes: %d\n", len(g.Classes))
	for _, c := range g.Classes {
		p.f("\t%s (%s) acquired %d contended %d\n", c.Name, c.Kind, c.Acquired, c.Contended)
	}
	p.f("dependencies: %d\n", len(g.Deps))
	for _, e := range g.Deps {
		p.f("\t%s -> %s (%s) %v\n", e.From, e.To, e.Mode, e.ToSite)
	}
	p.f("held: %d\n", len(g.Held))
	for _, h := range g.Held {
		p.f("\t%s (%s) by goroutine %d since %v\n", h.Class, h.Mode, h.Goroutine, h.Site)
	}
	p.f("goroutine records: %d\n", g.Stats.Records)
	for _, t := range g.Stats.Full {
		p.f("table full: %s\n", t)
	}
	p.f("events:\n")
	for _, c := range g.Stats.Events {
		p.f("\t%-18s %10d  %s\n", c.Name, c.Count, c.Help)
	}
	return p.err
}

// WriteDOT writes the dependencies to w as a graph for Graphviz.
func WriteDOT(w io.Writer) error {
	g := Snapshot()
	p := printer{w: w}
	p.f("digraph lockdep {\n")
	bad := map[[2]string]bool{}
	for _, r := range g.Reports {
		for _, e := range r.Edges {
			bad[[2]string{e.From, e.To}] = r.Level == Strong
		}
	}
	for _, e := range g.Deps {
		color := ""
		if bad[[2]string{e.From, e.To}] {
			color = ", color=red"
		}
		p.f("\t%q -> %q [label=%q%s]\n", e.From, e.To, e.Mode, color)
	}
	p.f("}\n")
	return p.err
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
