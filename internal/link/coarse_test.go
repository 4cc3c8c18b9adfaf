package link

import (
	"testing"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// What the first look leaves out must be on no ring, and all that is on one must
// stay: through a call, through a function that is passed on, and at a wait.
func TestFindRelevant(t *testing.T) {
	held := func(classes ...string) []lockobj.Held {
		var out []lockobj.Held
		for _, c := range classes {
			out = append(out, lockobj.Held{Lock: lockobj.Lock{Class: c}})
		}
		return out
	}
	acquire := func(class string, under ...string) lockobj.Event {
		return lockobj.Event{Kind: lockobj.Acquire, Lock: lockobj.Lock{Class: class}, Held: held(under...)}
	}
	call := func(sym string, under ...string) lockobj.Event {
		return lockobj.Event{Kind: lockobj.Call, Callee: lockobj.Callee{Sym: sym}, Held: held(under...)}
	}
	callback := lockobj.Event{Kind: lockobj.Call, Callee: lockobj.Callee{Kind: lockobj.ParamFunc}, Held: held("p.T.around")}
	passing := call("each")
	passing.Args = []lockobj.Arg{{Func: &lockobj.FuncRef{Sym: "inner"}}}
	pkg := &lockobj.Package{Path: "p", Name: "p", Whole: true, Funcs: []*lockobj.Func{
		{Sym: "ab", Exported: true, Events: []lockobj.Event{acquire("p.T.a"), call("b", "p.T.a")}},
		{Sym: "b", Exported: true, Events: []lockobj.Event{acquire("p.T.b")}},
		{Sym: "ba", Exported: true, Events: []lockobj.Event{acquire("p.T.b"), acquire("p.T.a", "p.T.b")}},

		{Sym: "each", Exported: true, Params: 1, Events: []lockobj.Event{acquire("p.T.around"), callback}},
		{Sym: "passes", Exported: true, Events: []lockobj.Event{passing}},
		{Sym: "inner", Used: true, Events: []lockobj.Event{acquire("p.T.inside")}},
		{Sym: "back", Exported: true, Events: []lockobj.Event{acquire("p.T.inside"), acquire("p.T.around", "p.T.inside")}},

		{Sym: "waits", Exported: true, Events: []lockobj.Event{acquire("p.T.waiter"), {Kind: lockobj.Wait, Held: held("p.T.waiter")}}},

		{Sym: "one", Exported: true, Events: []lockobj.Event{acquire("p.T.first"), acquire("p.T.last", "p.T.first")}},
		{Sym: "starts", Exported: true, Events: []lockobj.Event{acquire("p.T.starter"), {
			Kind: lockobj.Go, Callee: lockobj.Callee{Sym: "startsBack"}, Held: held("p.T.starter"),
		}}},
		{Sym: "startsBack", Events: []lockobj.Event{acquire("p.T.last")}},
	}}
	l := newLinker([]*lockobj.Package{pkg}, Options{})
	l.load()
	l.resolve()
	l.findRelevant()
	for class, want := range map[string]bool{
		"p.T.a": true, "p.T.b": true, "p.T.around": true, "p.T.inside": true, "p.T.waiter": true,
		"p.T.first": false, "p.T.last": false, "p.T.starter": false,
		"": true, "p.G[T].mu": true, "p.T.neverSeen": true,
	} {
		if l.isRelevant(class) != want {
			t.Errorf("class %q is relevant: %v, want %v", class, !want, want)
		}
	}
}
