package lockgraph

import (
	"strings"
	"testing"
)

func rings(g *Graph) string {
	var out []string
	for _, c := range g.Cycles() {
		out = append(out, strings.Join(c.Classes(), "-"))
	}
	return strings.Join(out, " ")
}

func TestCycles(t *testing.T) {
	write := func(from, to string) *Edge { return &Edge{From: from, To: to, Key: from + to} }
	gated := func(from, to string, gates ...Gate) *Edge { return &Edge{From: from, To: to, Gates: gates} }
	reads := func(from, to string) *Edge { return &Edge{From: from, To: to, FromRead: true, ToRead: true} }
	over := func(from, inner, to string, gates ...Gate) *Edge {
		return &Edge{From: from, To: to, Inner: []string{inner}, Gates: gates}
	}
	via := func(from, to, iface string) *Edge { return &Edge{From: from, To: to, Ifaces: []string{iface}} }
	at := func(line int) Site { return Site{File: "a.go", Line: line, Col: 1} }
	for _, c := range []struct {
		name    string
		edges   []*Edge
		writers []string
		want    string
	}{
		{"one order", []*Edge{write("a", "b"), write("b", "c")}, nil, ""},
		{"inversion", []*Edge{write("b", "a"), write("a", "b")}, nil, "a-b"},
		{"ring", []*Edge{write("b", "c"), write("c", "a"), write("a", "b")}, nil, "a-b-c"},
		{"a ring that a pair explains", []*Edge{write("a", "b"), write("b", "a"), write("b", "c"), write("c", "a")}, nil, "a-b"},
		{"common gate", []*Edge{gated("a", "b", Gate{Class: "g"}), gated("b", "a", Gate{Class: "g"})}, nil, ""},
		{"gate on one side", []*Edge{gated("a", "b", Gate{Class: "g"}), write("b", "a")}, nil, "a-b"},
		{"gates read by both", []*Edge{gated("a", "b", Gate{"g", true}), gated("b", "a", Gate{"g", true})}, nil, "a-b"},
		{"gate read by one", []*Edge{gated("a", "b", Gate{"g", true}), gated("b", "a", Gate{"g", false})}, nil, ""},
		{"a gated witness and a free one", []*Edge{gated("a", "b", Gate{Class: "g"}), write("a", "b"), gated("b", "a", Gate{Class: "g"})}, nil, "a-b"},
		{"readers without a writer", []*Edge{reads("a", "b"), reads("b", "a")}, nil, ""},
		{"readers with a writer of one", []*Edge{reads("a", "b"), reads("b", "a")}, []string{"a"}, ""},
		{"readers with writers of both", []*Edge{reads("a", "b"), reads("b", "a")}, []string{"a", "b"}, "a-b"},
		{"an inner lock that the rest explains", []*Edge{write("a", "c"), write("c", "b"), over("a", "c", "b"), write("b", "a")}, nil, "a-c-b"},
		{"an inner lock under the outer as gate", []*Edge{write("a", "c"), gated("c", "b", Gate{Class: "a"}), over("a", "c", "b"), write("b", "a")}, nil, "a-c-b"},
		{"one interface on both sides", []*Edge{{From: "a", To: "b", Ifaces: []string{"I.M"}}, {From: "b", To: "a", Ifaces: []string{"I.M"}}}, nil, ""},
		{"a guess on one side", []*Edge{{From: "a", To: "b", Ambiguous: 1}, write("b", "a")}, nil, "a-b"},
		{"guesses on both", []*Edge{{From: "a", To: "b", Ambiguous: 1}, {From: "b", To: "a", Ambiguous: 1}}, nil, ""},
		{"one way through all three", []*Edge{{From: "a", To: "b", ToSite: at(1)}, {From: "b", To: "a", FromSite: at(1), ToSite: at(2), Outer: true}}, nil, ""},
		{"the same from another place", []*Edge{{From: "a", To: "b", ToSite: at(1)}, {From: "b", To: "a", FromSite: at(1), ToSite: at(2)}}, nil, "a-b"},
		{"one way, met by another", []*Edge{{From: "a", To: "b", ToSite: at(1)}, {From: "a", To: "b", ToSite: at(3), Length: 9}, {From: "b", To: "a", FromSite: at(1), ToSite: at(2), Outer: true}}, nil, "a-b"},
		{"a ring through interfaces only", []*Edge{via("a", "b", "I.M"), via("b", "c", "J.M"), via("c", "a", "K.M"), over("a", "b", "c")}, nil, ""},
		{"a ring with a plain edge", []*Edge{via("a", "b", "I.M"), via("b", "c", "J.M"), write("c", "a")}, nil, "a-b-c"},
	} {
		g := New()
		for _, w := range c.writers {
			g.Writer(w)
		}
		for _, e := range c.edges {
			g.Add(e)
		}
		if got := rings(g); got != c.want {
			t.Errorf("%s: cycles %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOrderOfEdgesDoesNotMatter(t *testing.T) {
	es := []*Edge{{From: "a", To: "b", Key: "2"}, {From: "a", To: "b", Key: "1"}, {From: "b", To: "a", Key: "3"}, {From: "b", To: "c"}, {From: "c", To: "b"}}
	pick := func(order []int) string {
		g := New()
		for _, i := range order {
			g.Add(es[i])
		}
		s := rings(g)
		for _, c := range g.Cycles() {
			for _, e := range c.Edges {
				s += " " + e.Key
			}
		}
		return s
	}
	want := pick([]int{0, 1, 2, 3, 4})
	for _, order := range [][]int{{4, 3, 2, 1, 0}, {1, 0, 4, 2, 3}} {
		if got := pick(order); got != want {
			t.Errorf("order %v gives %q, order 0-4 gives %q", order, got, want)
		}
	}
}

func TestDrop(t *testing.T) {
	g := New()
	g.Add(&Edge{From: "a", To: "b", Key: "kept"})
	g.Add(&Edge{From: "b", To: "a", Key: "out"})
	g.Drop(func(e *Edge) bool { return e.Key == "out" })
	if got := rings(g); got != "" || len(g.Edges()) != 1 {
		t.Errorf("cycles %q and %d edges after a drop, want none and one", got, len(g.Edges()))
	}
}

func TestWitnessesAreBounded(t *testing.T) {
	g := New()
	for i := range 3 * maxWitnesses {
		g.Add(&Edge{From: "a", To: "b", Gates: []Gate{{Class: string(rune('A' + i))}}})
	}
	if n := len(g.Between("a", "b")); n != maxWitnesses || g.Dropped == 0 {
		t.Errorf("%d witnesses kept, %d dropped; want %d and some", n, g.Dropped, maxWitnesses)
	}
}
