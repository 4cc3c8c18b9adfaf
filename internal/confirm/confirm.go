// Package confirm compares what the static analysis found with what runs showed.
//
// In go findings and the graphs of processes; out come the findings with a
// status each, and those that only the runs had.
package confirm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/dump"
	"github.com/lockvet/lockvet/internal/finding"
)

// Statuses of a finding.
const (
	Deadlocked = "deadlocked" // it happened
	Confirmed  = "confirmed"  // every edge was seen, on the same locks
	Observed   = "observed"   // every edge was seen, on different locks
	Partial    = "partial"    // some edges were seen
	Unseen     = "unseen"     // none was
	OnlyRun    = "runtime"    // the analysis did not find it
)

// Judge gives each finding its status, and adds what only runs showed with
// strong evidence; problems among locks of the standard library alone only with
// std. missed, which may be nil, says why the analysis can have missed one of
// these.
func Judge(static []finding.Finding, graphs []*dump.Graph, std bool, missed func(*dump.Report) string) []finding.Finding {
	var out []finding.Finding
	for _, f := range static {
		f.Runtime = judge(&f, graphs)
		out = append(out, f)
	}
	known := make(map[string]bool)
	for _, f := range static {
		known[key(f.Category, f.Classes)] = true
	}
	var more []finding.Finding
	for _, g := range graphs {
		for _, r := range g.Reports {
			k := key(r.Category, r.Classes)
			if r.Level == "strong" && !known[k] && r.Category != "deadlock" && (std || !r.Standard) {
				known[k] = true
				more = append(more, onlyRun(r, missed))
			}
		}
	}
	for _, g := range graphs {
		for _, r := range g.Reports {
			if r.Category != "deadlock" {
				continue
			}
			for i := range more {
				if f := &more[i]; deadlocks(f.Category) && slices.Equal(finding.Rotate(f.Classes), finding.Rotate(r.Classes)) {
					f.Runtime.Status = Deadlocked
				}
			}
			// A deadlock whose order was reported is no second problem.
			if !known[key("inversion", r.Classes)] && !known[key("nesting", r.Classes)] && !known[key("recursive", r.Classes)] && !known[key("deadlock", r.Classes)] {
				known[key("deadlock", r.Classes)] = true
				more = append(more, onlyRun(r, missed))
			}
		}
	}
	return append(out, finding.Sort(more)...)
}

func key(category string, classes []string) string {
	return category + "\x00" + strings.Join(finding.Rotate(classes), "\x00")
}

func judge(f *finding.Finding, graphs []*dump.Graph) *finding.Runtime {
	run := &finding.Runtime{Status: Unseen}
	for _, g := range graphs {
		for _, r := range g.Reports {
			same := slices.Equal(finding.Rotate(r.Classes), finding.Rotate(f.Classes))
			switch {
			case !same:
			case r.Category == "deadlock" && deadlocks(f.Category):
				run.Status = Deadlocked
			case r.Category == f.Category && run.Status != Deadlocked && (r.Level != "weak" || len(f.Edges) == 0):
				run.Status = Confirmed
			case r.Category == f.Category && run.Status == Unseen:
				run.Status = Observed
			}
			if same && (r.Category == f.Category || r.Category == "deadlock") {
				for _, e := range r.Edges {
					run.Seen = see(run.Seen, e.From, e.To, e.Mode, e.ToSite, e.Stack)
				}
			}
		}
	}
	ring := edgesOf(f)
	deps := depsOf(ring, graphs, "event")
	if room := depsOf(ring, graphs, "room"); covered(room) > covered(deps) {
		deps = room
	}
	seen := covered(deps)
	for _, list := range deps {
		for _, d := range list {
			run.Seen = see(run.Seen, d.From, d.To, d.Mode, d.ToSite, d.Stack)
		}
	}
	if run.Status == Unseen || run.Status == Observed {
		switch {
		case seen == 0 || len(ring) == 0:
		case seen < len(ring):
			run.Status = Partial
		case slices.ContainsFunc(graphs, func(g *dump.Graph) bool { return closes(ring, g.Pairs) }):
			run.Status = Confirmed
		default:
			run.Status = Observed
		}
	}
	if f.Category == "waitheld" {
		for _, g := range graphs {
			if stuck(f, g, run) {
				run.Status = Deadlocked
				break
			}
		}
	}
	slices.SortStableFunc(run.Seen, func(a, b finding.Seen) int {
		return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To), strings.Compare(a.By, b.By))
	})
	return run
}

// NoteShared says of findings that no run showed whole where that can be because
// a line has locks of several classes: a run cannot tell these apart. shared has
// the lines, as FILE:LINE.
func NoteShared(findings []finding.Finding, shared map[string]bool) {
	for _, f := range findings {
		if f.Runtime.Status != Unseen && f.Runtime.Status != Partial {
			continue
		}
		for _, e := range f.Edges {
			for _, s := range e.Steps {
				at := fmt.Sprintf("%s:%d", s.Pos.File, s.Pos.Line)
				if shared[at] && f.Runtime.Missed == "" {
					f.Runtime.Missed = at + " has locks of several classes"
				}
			}
		}
	}
}

// stuck reports whether a process ended with the goroutines of a wait under a
// lock blocked for good: one that holds the lock and waits for the event, and
// one that wants the lock which it needs before it signals. It notes where.
func stuck(f *finding.Finding, g *dump.Graph, run *finding.Runtime) bool {
	for _, wait := range f.Edges {
		if !strings.HasSuffix(wait.Mode, "wait") {
			continue
		}
		for _, signal := range f.Edges {
			if signal.From != wait.To {
				continue
			}
			for i := range g.Blocked {
				w := &g.Blocked[i]
				if w.Wants != wait.To || !w.Has(wait.From) {
					continue
				}
				for j := range g.Blocked {
					if s := &g.Blocked[j]; i != j && s.Wants == signal.To && len(s.Stack) > 0 && len(w.Stack) > 0 {
						run.Seen = see(nil, wait.From, wait.To, "", w.Stack[0], w.Stack)
						run.Seen = see(run.Seen, signal.From, signal.To, "", s.Stack[0], s.Stack)
						return true
					}
				}
			}
		}
	}
	return false
}

// depsOf returns what was seen of each edge of a ring. A channel is two events
// of one name, those of its receivers and of its senders, which do not wait for
// each other's: event says which of them counts.
func depsOf(ring []finding.Edge, graphs []*dump.Graph, event string) [][]dump.Dep {
	deps := make([][]dump.Dep, len(ring))
	for i, e := range ring {
		for _, g := range graphs {
			for _, d := range g.Deps {
				if d.From == e.From && d.To == e.To && (d.Event == "" || d.Event == event) {
					deps[i] = append(deps[i], d)
				}
			}
		}
	}
	return deps
}

// covered returns how many edges were seen.
func covered(deps [][]dump.Dep) int {
	n := 0
	for _, list := range deps {
		if len(list) > 0 {
			n++
		}
	}
	return n
}

func deadlocks(category string) bool {
	return category == "inversion" || category == "nesting" || category == "recursive"
}

// edgesOf returns the dependencies that a finding is made of. One about a
// single lock, taken twice or kept, has none that a graph could show.
func edgesOf(f *finding.Finding) []finding.Edge {
	switch f.Category {
	case "recursive", "leak", "unlock":
		return nil
	case "nesting":
		// Two locks of one class each way round, or the same way round twice.
		if len(f.Edges) == 1 {
			return []finding.Edge{f.Edges[0], f.Edges[0]}
		}
	}
	return f.Edges
}

// closes reports whether pairs of instances form the ring.
func closes(ring []finding.Edge, pairs []dump.Pair) bool {
	var follow func(i int, first, at uint64) bool
	follow = func(i int, first, at uint64) bool {
		if i == len(ring) {
			return at == first
		}
		for _, p := range pairs {
			if p.From == ring[i].From && p.To == ring[i].To && p.FromInst == at && follow(i+1, first, p.ToInst) {
				return true
			}
		}
		return false
	}
	for _, p := range pairs {
		if p.From == ring[0].From && p.To == ring[0].To && follow(1, p.FromInst, p.ToInst) {
			return true
		}
	}
	return false
}

// maxSeen bounds what is told of each edge: who wants all reads the dumps.
const maxSeen = 3

func see(list []finding.Seen, from, to, mode string, at dump.Site, stack []dump.Site) []finding.Seen {
	s := finding.Seen{From: from, To: to, By: testOf(stack)}
	n := 0
	for _, old := range list {
		if old.From == from && old.To == to {
			if old.By == s.By {
				return list
			}
			n++
		}
	}
	if n == maxSeen {
		return list
	}
	s.Steps = stepsOf(at, stack)
	// The stack of a signal is not that of the acquisition before it.
	earlier := strings.HasPrefix(mode, "earlier")
	if earlier || strings.HasPrefix(mode, "signal") {
		acquires := stepsOf(at, nil)
		acquires[0].What = "acquires " + to
		if earlier {
			acquires[0].What += " in an earlier turn of its loop"
		}
		s.Steps[0].What = "signals " + from
		s.Steps = append(acquires, s.Steps...)
	}
	return append(list, s)
}

// stepsOf returns the frames of a stack down to the test that began it.
func stepsOf(at dump.Site, stack []dump.Site) []finding.Step {
	if len(stack) == 0 {
		stack = []dump.Site{at}
	}
	var steps []finding.Step
	for _, s := range stack {
		if strings.HasPrefix(s.Func, "testing.") || strings.HasPrefix(s.Func, "runtime.") {
			break
		}
		steps = append(steps, finding.Step{Pos: finding.Position{File: s.File, Line: s.Line, Col: 1}, Func: shortFunc(s.Func)})
	}
	return steps
}

// testOf names the test whose function is on the stack, "" if there is none.
func testOf(stack []dump.Site) string {
	for _, s := range stack {
		name := shortFunc(s.Func)
		_, fn, ok := strings.Cut(name, ".")
		fn, _, _ = strings.Cut(fn, ".")
		if !ok || !strings.HasSuffix(s.File, "_test.go") {
			continue
		}
		for _, prefix := range []string{"Test", "Fuzz", "Benchmark", "Example"} {
			if strings.HasPrefix(fn, prefix) {
				return strings.TrimSuffix(name[:strings.IndexByte(name, '.')], "_test") + "." + fn
			}
		}
	}
	return ""
}

// shortFunc takes the directories off an import path.
func shortFunc(name string) string {
	head, _, _ := strings.Cut(name, "[")
	if i := strings.LastIndexByte(head, '/'); i >= 0 {
		return name[i+1:]
	}
	return name
}

// analyzerOf returns the static analysis that has the category, or lockdep.
func analyzerOf(category string) string {
	switch category {
	case "inversion", "nesting", "recursive":
		return "lockorder"
	case "waitheld", "leak", "unlock":
		return "crossrelease"
	}
	return "lockdep"
}

func onlyRun(r dump.Report, missed func(*dump.Report) string) finding.Finding {
	f := fromReport(r)
	if missed != nil {
		f.Runtime.Missed = missed(&r)
	}
	return f
}

// fromReport makes a finding of what only a run showed.
func fromReport(r dump.Report) finding.Finding {
	f := finding.Finding{
		ID: r.ID, Analyzer: analyzerOf(r.Category), Category: r.Category, Message: r.Message, Classes: r.Classes,
		Runtime: &finding.Runtime{Status: OnlyRun},
	}
	for i, e := range r.Edges {
		// The wait, if there is one, is what people see.
		if i == 0 || strings.HasSuffix(e.Mode, "wait") && !strings.HasSuffix(r.Edges[0].Mode, "wait") {
			f.Pos = finding.Position{File: e.ToSite.File, Line: e.ToSite.Line, Col: 1}
		}
		edge := finding.Edge{From: e.From, To: e.To, Mode: e.Mode}
		if e.FromSite != e.ToSite && e.FromSite.File != "" && !strings.HasPrefix(e.Mode, "signal") {
			edge.Steps = append(edge.Steps, finding.Step{
				Pos:  finding.Position{File: e.FromSite.File, Line: e.FromSite.Line, Col: 1},
				Func: shortFunc(e.FromSite.Func), What: "acquires " + e.From,
			})
		}
		does := "acquires"
		if strings.HasSuffix(e.Mode, "wait") {
			does = "waits for"
		}
		// The stack is that of the wait or the signal.
		last := fmt.Sprintf("%s %s", does, e.To)
		if strings.HasPrefix(e.Mode, "signal") {
			edge.Steps = append(edge.Steps, finding.Step{
				Pos:  finding.Position{File: e.ToSite.File, Line: e.ToSite.Line, Col: 1},
				Func: shortFunc(e.ToSite.Func), What: "acquires " + e.To,
			})
			last = "signals " + e.From
		}
		steps := stepsOf(e.ToSite, e.Stack)
		slices.Reverse(steps)
		for j := range steps {
			steps[j].What = "calls on"
			if j == len(steps)-1 {
				steps[j].What = last
			}
		}
		edge.Steps = append(edge.Steps, steps...)
		f.Edges = append(f.Edges, edge)
	}
	return f
}
