package lockobj

import (
	"fmt"
	"slices"
	"testing"
)

func acquires(class string, held ...string) Event {
	return Event{Kind: Acquire, Lock: Lock{Class: class, Path: "p0.x"}, Held: holding(held)}
}

func calls(sym string, held ...string) Event {
	return Event{Kind: Call, Callee: Callee{Kind: Static, Sym: sym}, Held: holding(held)}
}

func callsBack(held ...string) Event {
	return Event{Kind: Call, Callee: Callee{Kind: ParamFunc, Index: 1}, Held: holding(held)}
}

func holding(classes []string) []Held {
	var out []Held
	for _, c := range classes {
		out = append(out, Held{Lock: Lock{Class: c, Path: "p0.x"}})
	}
	return out
}

func exportedClasses(p *Package, deps ...*Package) []string {
	var out []string
	for _, q := range Export(p, deps) {
		for _, f := range q.Funcs {
			for _, e := range f.Events {
				if e.Kind == Acquire && !slices.Contains(out, e.Lock.Class) {
					out = append(out, e.Lock.Class)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// Locks that can be in no cycle with what importers do are not told to them;
// each has its neighbour that is.
func TestExportLeavesOutLeafLocks(t *testing.T) {
	p := &Package{Path: "x/p", Name: "p", Whole: true, Funcs: []*Func{
		{Sym: "x/p.Leaf", Exported: true, Events: []Event{acquires("x/p.T.leaf")}},
		{Sym: "x/p.OverLeaf", Exported: true, Events: []Event{acquires("x/p.T.over"), acquires("x/p.T.leaf", "x/p.T.over")}},
		{Sym: "x/p.Embedded", Exported: true, Events: []Event{acquires("x/p.T.Mutex")}},
		{Sym: "x/p.Callback", Exported: true, Events: []Event{acquires("x/p.T.calls"), callsBack("x/p.T.calls")}},
		{Sym: "x/p.Outer", Exported: true, Events: []Event{acquires("x/p.T.outer"), calls("x/p.Callback", "x/p.T.outer")}},
		{Sym: "x/p.Idle", Exported: true, Events: []Event{acquires("x/p.T.idle"), calls("x/p.Leaf", "x/p.T.idle")}},
		{Sym: "x/p.Same", Exported: true, Events: []Event{acquires("x/p.T.same"), acquires("x/p.T.same", "x/p.T.same")}},
		{
			Sym: "x/p.Locked", Exported: true, Events: []Event{acquires("x/p.T.kept")},
			Net: []NetCase{{Acquires: holding([]string{"x/p.T.kept"})}},
		},
	}}
	want := []string{"x/p.T.Mutex", "x/p.T.calls", "x/p.T.kept", "x/p.T.outer", "x/p.T.same"}
	if got := exportedClasses(p); !slices.Equal(got, want) {
		t.Errorf("exported %q, want %q", got, want)
	}
}

func TestExportLeavesOutWhatOnlyItsOwnImportersCanCall(t *testing.T) {
	locked := func(sym string) *Func {
		return &Func{Sym: sym, Exported: true, Events: []Event{acquires("x/dep." + sym + ".Mutex")}}
	}
	initialiser := locked("i")
	initialiser.Init = true
	dep := &Package{
		Path: "x/dep", Name: "dep", Funcs: []*Func{locked("called"), locked("idle"), locked("method"), locked("behind"), initialiser},
		Types: []Type{{Name: "x/dep.T", Methods: []Method{{Name: "M", Sym: "method"}}}, {Name: "x/dep.U", Methods: []Method{{Name: "M", Sym: "idle"}}}},
	}
	dep.Funcs[2].Events = append(dep.Funcs[2].Events, calls("behind"))
	p := &Package{
		Path: "x/p", Name: "p", Whole: true,
		Funcs: []*Func{{Sym: "x/p.F", Exported: true, Events: []Event{calls("called")}}},
		Convs: []Conv{{From: "x/dep.T", To: "x/p.I"}},
	}
	want := []string{"x/dep.behind.Mutex", "x/dep.called.Mutex", "x/dep.i.Mutex", "x/dep.method.Mutex"}
	if got := exportedClasses(p, dep); !slices.Equal(got, want) {
		t.Errorf("exported %q, want %q", got, want)
	}
}

// A fact that is too large loses the functions of the packages that are the
// farthest away, and no types.
func TestFitLeavesOutTheFarthest(t *testing.T) {
	pkg := func(path string, imports ...string) *Package {
		p := &Package{Path: path, Name: path, Imports: imports, Types: []Type{{Name: path + ".T", Methods: []Method{{Name: "M", Sym: path + ".m"}}}}}
		for i := range 200 {
			// Numbers that do not repeat, or compression takes all for one.
			p.Funcs = append(p.Funcs, &Func{Sym: fmt.Sprintf("%s.f%d", path, i*i*7919%65536), Pos: Pos{Line: i * 7919 % 65536}})
		}
		return p
	}
	far := pkg("far")
	far.Funcs[0].Events = []Event{{Kind: Signal, Op: OpClose, Lock: Lock{Class: "far.T.done"}}}
	pkgs := []*Package{pkg("own", "near"), far, pkg("middle", "far"), pkg("near", "middle")}
	whole, left := fit(pkgs, 1<<20)
	if left != 0 {
		t.Fatalf("%d packages are left out though there is room", left)
	}
	for _, test := range []struct {
		limit int
		gone  []string
	}{
		{len(whole), nil},
		{len(whole) - 1, []string{"far"}},
		{len(whole) * 6 / 10, []string{"far", "middle"}},
		{len(whole) / 10, []string{"far", "middle", "near"}},
	} {
		data, left := fit(pkgs, test.limit)
		got, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		var gone []string
		for _, p := range got {
			if len(p.Funcs) == 0 {
				gone = append(gone, p.Path)
			}
			if len(p.Funcs) == 0 && p.Path == "far" && !slices.Equal(p.Events, []EventClass{{Class: "far.T.done", Escapes: EscapeRecv | EscapeSend}}) {
				t.Errorf("limit %d: that a function left out closes a channel is not told: %+v", test.limit, p.Events)
			}
			if len(p.Types) != 1 {
				t.Errorf("limit %d: the types of %s are gone", test.limit, p.Path)
			}
		}
		slices.Sort(gone)
		if !slices.Equal(gone, test.gone) || left != len(gone) {
			t.Errorf("limit %d of %d: %q are left out (%d), want %q", test.limit, len(whole), gone, left, test.gone)
		}
	}
	if pkgs[1].Funcs == nil {
		t.Error("Fit has changed the packages given")
	}
}

// Tests are no entry points for importers; a helper of the same file is.
func TestExportLeavesOutTests(t *testing.T) {
	p := &Package{Path: "x/p", Name: "p", Whole: true, Test: true, Funcs: []*Func{
		{Sym: "x/p.TestA", Name: "TestA", Exported: true, Test: true, Events: []Event{acquires("x/p.inTest.Mutex")}},
		{Sym: "x/p.TestA$1", Name: "TestA.func1", Escapes: true, Test: true, Events: []Event{acquires("x/p.inClosure.Mutex")}},
		{Sym: "x/p.Helper", Name: "Helper", Exported: true, Test: true, Events: []Event{acquires("x/p.inHelper.Mutex")}},
		{Sym: "x/p.TestBed", Name: "TestBed", Exported: true, Events: []Event{acquires("x/p.inTestBed.Mutex")}},
	}}
	want := []string{"x/p.inHelper.Mutex", "x/p.inTestBed.Mutex"}
	if got := exportedClasses(p); !slices.Equal(got, want) {
		t.Errorf("exported %q, want %q", got, want)
	}
}
