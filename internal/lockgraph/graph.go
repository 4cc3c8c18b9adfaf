// Package lockgraph finds cycles among lock classes.
//
// In go dependencies: "To was acquired while From was held", with modes, gates
// and a rank, from the linker or from runtime dumps. Out come minimal cycles.
// It knows classes only; it never sees source, types or instances.
package lockgraph

import (
	"cmp"
	"slices"
	"sort"
)

// maxWitnesses bounds the edges kept for one pair of classes.
const maxWitnesses = 8

// maxAmbiguous is the number of guesses at which a witness is no proof.
const maxAmbiguous = 2

// maxRing bounds the length of a cycle: longer ones need so many goroutines at
// one time that those found were never true.
const maxRing = 4

// A Gate is a lock held around an acquisition, besides the two that the edge
// is about.
type Gate struct {
	Class string
	Read  bool
}

// A Site is a place in the source.
type Site struct {
	File      string
	Line, Col int
}

// An Edge is one witness of a dependency.
type Edge struct {
	From, To         string
	FromRead, ToRead bool   // modes: read or write
	Gates            []Gate // sorted
	// Inner are classes acquired between From and To by the same goroutine:
	// the edge follows from others if these are not gates.
	Inner []string
	// Outer is true if a lock of class To is held before From is acquired.
	Outer bool
	// FromSite and ToSite are where the two are acquired.
	FromSite, ToSite Site
	// Ifaces are the interface methods that the witness was dispatched
	// through; Ambiguous counts those with several targets.
	Ifaces    []string
	Ambiguous int
	Length    int    // steps of the witness
	Key       string // orders edges that are alike otherwise
	Fn        string // function that holds From
	Data      any    // what the maker of the graph wants back
}

// better orders witnesses: few ambiguous dispatches, then direct, then short.
func better(a, b *Edge) int {
	return cmp.Or(
		cmp.Compare(a.Ambiguous, b.Ambiguous),
		cmp.Compare(len(a.Inner), len(b.Inner)),
		cmp.Compare(len(a.Gates), len(b.Gates)),
		cmp.Compare(a.Length, b.Length),
		cmp.Compare(a.Key, b.Key),
	)
}

// A Graph is a set of edges.
type Graph struct {
	edges   map[[2]string][]*Edge
	writers map[string]bool
	// Dropped counts witnesses beyond the bound.
	Dropped int
}

// New returns an empty graph.
func New() *Graph {
	return &Graph{edges: map[[2]string][]*Edge{}, writers: map[string]bool{}}
}

// Writer says that a write lock of the class exists.
func (g *Graph) Writer(class string) { g.writers[class] = true }

// HasWriter reports whether a write lock of the class exists.
func (g *Graph) HasWriter(class string) bool { return g.writers[class] }

// Add adds a witness.
func (g *Graph) Add(e *Edge) {
	k := [2]string{e.From, e.To}
	es := g.edges[k]
	for _, o := range es {
		// One that is no worse in every way that matters makes e useless.
		if o.FromRead == e.FromRead && o.ToRead == e.ToRead && o.Ambiguous <= e.Ambiguous && subset(o.Gates, e.Gates) &&
			len(o.Inner) <= len(e.Inner) && subsetStrings(o.Ifaces, e.Ifaces) && better(o, e) <= 0 &&
			o.ToSite == e.ToSite && o.Outer == e.Outer && (!o.Outer || o.FromSite == e.FromSite) {
			return
		}
	}
	es = append(es, e)
	slices.SortFunc(es, better)
	if len(es) > maxWitnesses {
		es = es[:maxWitnesses]
		g.Dropped++
	}
	g.edges[k] = es
}

// Drop leaves out the witnesses for which a function returns true.
func (g *Graph) Drop(out func(*Edge) bool) {
	for k, es := range g.edges {
		if es = slices.DeleteFunc(es, out); len(es) == 0 {
			delete(g.edges, k)
		} else {
			g.edges[k] = es
		}
	}
}

func subset(a, b []Gate) bool {
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y Gate) bool { return x.Class == y.Class && (!x.Read || y.Read) }) {
			return false
		}
	}
	return true
}

func subsetStrings(a, b []string) bool {
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}

// Edges returns the witnesses of every dependency, in order.
func (g *Graph) Edges() []*Edge {
	var out []*Edge
	for _, k := range g.pairs() {
		out = append(out, g.edges[k]...)
	}
	return out
}

// Between returns the witnesses from one class to another, best first.
func (g *Graph) Between(from, to string) []*Edge { return g.edges[[2]string{from, to}] }

func (g *Graph) pairs() [][2]string {
	ks := make([][2]string, 0, len(g.edges))
	for k := range g.edges {
		ks = append(ks, k)
	}
	sort.Slice(ks, func(i, j int) bool {
		return cmp.Or(cmp.Compare(ks[i][0], ks[j][0]), cmp.Compare(ks[i][1], ks[j][1])) < 0
	})
	return ks
}

// A Cycle is a ring of edges: each one's To is the next one's From. The
// smallest class comes first.
type Cycle struct{ Edges []*Edge }

// Classes returns the classes of the ring.
func (c Cycle) Classes() []string {
	out := make([]string, len(c.Edges))
	for i, e := range c.Edges {
		out[i] = e.From
	}
	return out
}

// Cycles returns the minimal cycles: first those of two classes, then for each
// edge that none of these covers the shortest cycle through it which reuses no
// edge of a reported one. Edges with an inner lock are used last, and only
// where no reported cycle explains them.
func (g *Graph) Cycles() []Cycle {
	f := &finder{g: g, used: map[[2]string]bool{}}
	direct := func(e *Edge) bool { return len(e.Inner) == 0 }
	f.twos(direct)
	f.rings(direct)
	f.twos(func(e *Edge) bool { return !f.explained(e) })
	sort.Slice(f.found, func(i, j int) bool {
		a, b := f.found[i], f.found[j]
		return cmp.Or(cmp.Compare(len(a.Edges), len(b.Edges)), slices.Compare(a.Classes(), b.Classes())) < 0
	})
	return f.found
}

type finder struct {
	g     *Graph
	used  map[[2]string]bool
	found []Cycle
}

// use marks edges as accounted for.
func (f *finder) use(es []*Edge) {
	for _, e := range es {
		f.used[[2]string{e.From, e.To}] = true
	}
}

// vague reports whether the goroutines of a ring meet by way of interfaces only,
// so that nothing says that their objects are the same.
func vague(es []*Edge) bool {
	return len(es) > 2 && !slices.ContainsFunc(es, func(e *Edge) bool { return len(e.Ifaces) == 0 })
}

func (f *finder) report(es []*Edge) {
	first := 0
	f.use(es)
	for i, e := range es {
		if e.From < es[first].From {
			first = i
		}
	}
	f.found = append(f.found, Cycle{append(slices.Clone(es[first:]), es[:first]...)})
}

// explained reports whether an edge over inner locks follows from edges of
// cycles that are reported.
func (f *finder) explained(e *Edge) bool {
	for _, in := range e.Inner {
		if f.used[[2]string{e.From, in}] || f.used[[2]string{in, e.To}] || f.used[[2]string{e.To, in}] || f.used[[2]string{in, e.From}] {
			return true
		}
	}
	return false
}

// twos reports the cycles of two classes among the edges that ok admits.
func (f *finder) twos(ok func(*Edge) bool) {
	for _, k := range f.g.pairs() {
		back := [2]string{k[1], k[0]}
		if k[0] >= k[1] || f.used[k] || f.used[back] {
			continue
		}
		if es := f.choose([][2]string{k, back}, ok); es != nil {
			f.report(es)
		}
	}
}

// choose picks one witness for each pair so that all exclude no other.
func (f *finder) choose(pairs [][2]string, ok func(*Edge) bool) []*Edge {
	picked := make([]*Edge, 0, len(pairs))
	budget := 4096
	var pick func(i int) bool
	pick = func(i int) bool {
		if i == len(pairs) {
			return f.blocks(picked)
		}
		for _, e := range f.g.edges[pairs[i]] {
			if budget--; budget < 0 {
				return false
			}
			if !ok(e) || !compatible(picked, e) {
				continue
			}
			picked = append(picked, e)
			if pick(i + 1) {
				return true
			}
			picked = picked[:len(picked)-1]
		}
		return false
	}
	if !pick(0) {
		return nil
	}
	return picked
}

// compatible reports whether e can happen at the same time as the others, and
// is not the other half of a delegation.
func compatible(es []*Edge, e *Edge) bool {
	for _, o := range es {
		for _, a := range o.Gates {
			for _, b := range e.Gates {
				if a.Class == b.Class && !(a.Read && b.Read) {
					return false
				}
			}
		}
		for _, i := range o.Ifaces {
			if slices.Contains(e.Ifaces, i) {
				return false
			}
		}
		if o.Ambiguous > 0 && e.Ambiguous > 0 {
			return false
		}
		if again(o, e) || again(e, o) {
			return false
		}
	}
	return e.Ambiguous < maxAmbiguous
}

// again reports whether two edges are one way of the program: e takes a second
// lock of one class with another lock between the two, and o is the first half
// of that, the same acquisition. Whether the second can be the first of another
// goroutine is a question of nesting, not of the lock between them.
func again(e, o *Edge) bool {
	return e.Outer && e.To == o.From && e.From == o.To && e.FromSite == o.ToSite
}

// blocks reports whether each goroutine of the ring really waits: a reader
// waits for a reader only behind a writer, which must exist.
func (f *finder) blocks(es []*Edge) bool {
	for i, e := range es {
		next := es[(i+1)%len(es)]
		if e.ToRead && next.FromRead && !f.g.writers[e.To] {
			return false
		}
	}
	return true
}

// rings reports longer cycles.
func (f *finder) rings(admitted func(*Edge) bool) {
	// Three goroutines or more at once, and a guess among them, is too much.
	ok := func(e *Edge) bool { return admitted(e) && e.Ambiguous == 0 }
	succ := map[string][]string{}
	pairs := f.g.pairs()
	for _, k := range pairs {
		if slices.ContainsFunc(f.g.edges[k], ok) {
			succ[k[0]] = append(succ[k[0]], k[1])
		}
	}
	comp := components(succ)
	for _, k := range pairs {
		if f.used[k] || comp[k[0]] != comp[k[1]] || !slices.Contains(succ[k[0]], k[1]) {
			continue
		}
		if es := f.shortest(k, succ, comp, ok); es != nil {
			f.report(es)
		}
	}
}

// shortest finds the shortest ring through one edge over unused edges.
func (f *finder) shortest(k [2]string, succ map[string][]string, comp map[string]int, ok func(*Edge) bool) []*Edge {
	budget := 20000
	for limit := 3; limit <= maxRing; limit++ {
		path := []string{k[0], k[1]}
		var result []*Edge
		var walk func() bool
		walk = func() bool {
			if budget--; budget < 0 {
				return true
			}
			last := path[len(path)-1]
			if len(path) == limit {
				if !slices.Contains(succ[last], k[0]) || f.used[[2]string{last, k[0]}] {
					return false
				}
				var pairs [][2]string
				for i := range path {
					pairs = append(pairs, [2]string{path[i], path[(i+1)%len(path)]})
				}
				if result = f.choose(pairs, ok); result != nil && vague(result) {
					f.use(result)
					result = nil
				}
				return result != nil
			}
			for _, n := range succ[last] {
				if comp[n] != comp[k[0]] || slices.Contains(path, n) || f.used[[2]string{last, n}] {
					continue
				}
				path = append(path, n)
				if walk() {
					return true
				}
				path = path[:len(path)-1]
			}
			return false
		}
		if walk() {
			return result
		}
	}
	return nil
}

// components numbers the strongly connected components (Tarjan 1972).
func components(succ map[string][]string) map[string]int {
	comp := map[string]int{}
	index := map[string]int{}
	low := map[string]int{}
	on := map[string]bool{}
	var stack []string
	n, c := 0, 0
	var visit func(v string)
	visit = func(v string) {
		n++
		index[v], low[v] = n, n
		stack = append(stack, v)
		on[v] = true
		for _, w := range succ[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] == index[v] {
			c++
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				on[w] = false
				comp[w] = c
				if w == v {
					break
				}
			}
		}
	}
	keys := make([]string, 0, len(succ))
	for k := range succ {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if index[k] == 0 {
			visit(k)
		}
	}
	return comp
}
