package confirm

import (
	"testing"

	"github.com/lockvet/lockvet/internal/dump"
	"github.com/lockvet/lockvet/internal/finding"
)

func inversion(classes ...string) finding.Finding {
	f := finding.Finding{ID: "LV-1", Analyzer: "lockorder", Category: "inversion", Classes: classes}
	for i, c := range classes {
		f.Edges = append(f.Edges, finding.Edge{From: c, To: classes[(i+1)%len(classes)]})
	}
	return f
}

// graph makes a process that showed the pairs, and their dependencies.
func graph(pairs ...dump.Pair) *dump.Graph {
	g := &dump.Graph{Pairs: pairs}
	for _, p := range pairs {
		g.Deps = append(g.Deps, dump.Dep{From: p.From, To: p.To, Stack: []dump.Site{
			{Func: "example.com/m/bank.(*A).F", File: "/src/bank.go", Line: 3},
			{Func: "example.com/m/bank_test.TestF.func1", File: "/src/bank_test.go", Line: 9},
			{Func: "testing.tRunner", File: "/go/testing.go", Line: 1},
		}})
	}
	return g
}

func TestStatus(t *testing.T) {
	ab := func(i, j uint64) dump.Pair { return dump.Pair{From: "A", To: "B", FromInst: i, ToInst: j} }
	ba := func(i, j uint64) dump.Pair { return dump.Pair{From: "B", To: "A", FromInst: i, ToInst: j} }
	bc := dump.Pair{From: "B", To: "C", FromInst: 2, ToInst: 3}
	ca := dump.Pair{From: "C", To: "A", FromInst: 3, ToInst: 1}
	deadlock := &dump.Graph{Reports: []dump.Report{{Category: "deadlock", Level: "strong", Classes: []string{"B", "A"}}}}
	again := &dump.Graph{Reports: []dump.Report{{Category: "recursive", Level: "strong", Classes: []string{"A"}}}}
	recursive := inversion("A")
	recursive.Category = "recursive"
	nesting := inversion("A")
	nesting.Category = "nesting"
	aa := func(i, j uint64) dump.Pair { return dump.Pair{From: "A", To: "A", FromInst: i, ToInst: j} }
	waitheld := inversion("A", "E")
	waitheld.Category = "waitheld"
	// wait and signal make a process that showed one edge each, of a kind of event.
	wait := func(kind string, i, j uint64) *dump.Graph {
		g := graph(dump.Pair{From: "A", To: "E", FromInst: i, ToInst: j})
		g.Deps[0].Event, g.Deps[0].Mode = kind, "write->wait"
		return g
	}
	signal := func(kind, mode string, i, j uint64) *dump.Graph {
		g := graph(dump.Pair{From: "E", To: "A", FromInst: i, ToInst: j, Mode: mode})
		g.Deps[0].Event, g.Deps[0].Mode = kind, mode
		return g
	}
	join := func(a, b *dump.Graph) *dump.Graph {
		return &dump.Graph{Deps: append(a.Deps, b.Deps...), Pairs: append(a.Pairs, b.Pairs...)}
	}
	waitheld.Edges[0].Mode = "write->wait"
	at := []dump.Site{{Func: "m.F", File: "/src/m.go", Line: 1}}
	waits := dump.Blocked{Wants: "E", Holds: []dump.Held{{Class: "A"}}, Stack: at}
	wants := dump.Blocked{Wants: "A", Stack: at}
	idle := dump.Blocked{Wants: "E", Stack: at}
	tests := []struct {
		name   string
		f      finding.Finding
		graphs []*dump.Graph
		want   string
	}{
		{"no run", inversion("A", "B"), nil, Unseen},
		{"same instances", inversion("A", "B"), []*dump.Graph{graph(ab(1, 2), ba(2, 1))}, Confirmed},
		{"other instances", inversion("A", "B"), []*dump.Graph{graph(ab(1, 2), ba(3, 4))}, Observed},
		{"same numbers in two processes", inversion("A", "B"), []*dump.Graph{graph(ab(1, 2)), graph(ba(2, 1))}, Observed},
		{"one edge", inversion("A", "B"), []*dump.Graph{graph(ba(2, 1))}, Partial},
		{"ring", inversion("A", "B", "C"), []*dump.Graph{graph(ab(7, 8), ab(1, 2), bc, ca)}, Confirmed},
		{"ring of other instances", inversion("A", "B", "C"), []*dump.Graph{graph(ab(7, 8), bc, ca)}, Observed},
		{"deadlock", inversion("A", "B"), []*dump.Graph{deadlock}, Deadlocked},
		{"recursive", recursive, []*dump.Graph{again}, Confirmed},
		{"recursive, not seen", recursive, []*dump.Graph{graph(aa(1, 2))}, Unseen},
		{"nesting one way", nesting, []*dump.Graph{graph(aa(1, 2))}, Observed},
		{"signal", waitheld, []*dump.Graph{join(wait("event", 1, 2), signal("event", "signal->write", 2, 1))}, Confirmed},
		{"signal, lock in an earlier turn", waitheld, []*dump.Graph{join(wait("event", 1, 2), signal("event", "earlier->write", 2, 1))}, Confirmed},
		{"signal of another event", waitheld, []*dump.Graph{join(wait("event", 1, 2), signal("event", "signal->write", 3, 1))}, Observed},
		{"send that waits, and room", waitheld, []*dump.Graph{join(wait("room", 1, 2), signal("room", "signal->write", 2, 1))}, Confirmed},
		{"receive that waits, and room", waitheld, []*dump.Graph{join(wait("event", 1, 2), signal("room", "signal->write", 3, 1))}, Partial},
		{"both blocked for good", waitheld, []*dump.Graph{{Blocked: []dump.Blocked{wants, waits}}}, Deadlocked},
		{"one blocked for good", waitheld, []*dump.Graph{{Blocked: []dump.Blocked{waits}}, {Blocked: []dump.Blocked{wants}}}, Unseen},
		{"blocked without the lock", waitheld, []*dump.Graph{{Blocked: []dump.Blocked{idle, wants}}}, Unseen},
		{"nesting both ways", nesting, []*dump.Graph{graph(aa(1, 2), aa(2, 1))}, Confirmed},
	}
	for _, test := range tests {
		got := Judge([]finding.Finding{test.f}, test.graphs, false, nil)
		if len(got) != 1 || got[0].Runtime.Status != test.want {
			t.Errorf("%s: got %d findings, first %s, want one, %s", test.name, len(got), got[0].Runtime.Status, test.want)
		}
	}
}

func TestSeenBy(t *testing.T) {
	pair := dump.Pair{From: "A", To: "B", FromInst: 1, ToInst: 2}
	got := Judge([]finding.Finding{inversion("A", "B")}, []*dump.Graph{graph(pair), graph(pair)}, false, nil)
	seen := got[0].Runtime.Seen
	if len(seen) != 1 || seen[0].By != "bank.TestF" || len(seen[0].Steps) != 2 || seen[0].Steps[0].Func != "bank.(*A).F" {
		t.Errorf("got %+v, want the edge once, in bank.TestF, down to the test", seen)
	}
}

func TestOnlyRunDeadlocks(t *testing.T) {
	g := &dump.Graph{Reports: []dump.Report{
		{ID: "LV-2", Category: "inversion", Level: "strong", Classes: []string{"A", "B"}},
		{ID: "LV-3", Category: "deadlock", Level: "strong", Classes: []string{"B", "A"}},
		{ID: "LV-4", Category: "deadlock", Level: "strong", Classes: []string{"C"}},
	}}
	got := Judge(nil, []*dump.Graph{g}, false, nil)
	if len(got) != 2 || got[0].ID != "LV-4" || got[1].ID != "LV-2" || got[1].Runtime.Status != Deadlocked {
		t.Errorf("got %+v, want one finding for the inversion and its deadlock, and one for the other", got)
	}
}

func TestOnlyRun(t *testing.T) {
	report := dump.Report{ID: "LV-2", Category: "inversion", Level: "strong", Classes: []string{"A", "B"}, Message: "m"}
	weak := report
	weak.Level, weak.Classes = "weak", []string{"C", "D"}
	g := &dump.Graph{Reports: []dump.Report{report, weak}}
	got := Judge(nil, []*dump.Graph{g, g}, false, nil)
	if len(got) != 1 || got[0].ID != "LV-2" || got[0].Runtime.Status != OnlyRun || got[0].Analyzer != "lockorder" {
		t.Errorf("got %+v, want the strong one, once", got)
	}
	g.Reports[0].Standard = true
	if got := Judge(nil, []*dump.Graph{g}, false, nil); len(got) != 0 {
		t.Errorf("got %+v of the standard library, want nothing", got)
	}
	if got := Judge(nil, []*dump.Graph{g}, true, nil); len(got) != 1 {
		t.Errorf("got %+v with std, want the one of the standard library", got)
	}
}
