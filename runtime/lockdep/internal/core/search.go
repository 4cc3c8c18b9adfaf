package core

// Level is how good the evidence of a finding is.
type Level uint8

const (
	Weak   Level = iota + 1 // the classes only
	Medium                  // the same instances, one goroutine
	Strong                  // the same instances, two goroutines, no common gate
)

// ringSearch looks for rings through one edge, short ones first.
type ringSearch struct {
	g      *graph
	path   [maxRing]int32
	steps  int // edges looked at
	most   int // when to give up
	total  int // of all searches
	limit  int
	target uint64
	best   [maxRing]int32
	n      int
	level  Level
}

var searching ringSearch

// search looks for a ring through the edge at, and returns its edges and what
// evidence they are: a strong one if there is one, else the shortest. The
// result is valid until the next search.
//
//go:norace
func (g *graph) search(at int32) ([]int32, Level) {
	e := g.edge(at)
	if !sameComponent(e.fromClass, e.toClass) {
		return nil, 0
	}
	s := &searching
	s.g, s.steps, s.n, s.level, s.target = g, 0, 0, 0, e.from
	s.path[0] = at
	if e.from == e.to {
		if canRecur(e) {
			s.candidate(1)
		}
		return s.best[:s.n], s.level
	}
	s.most = maxSteps
	if s.total > manySteps {
		s.most = maxSteps / 64
	}
	for s.limit = 2; s.limit <= maxRing; s.limit++ {
		if !s.visit(1) || s.done() || s.steps > s.most {
			break
		}
	}
	s.total += s.steps
	if s.steps > s.most {
		count(SearchCut)
	}
	return s.best[:s.n], s.level
}

// canRecur reports whether an edge from a class to itself is a ring of its own:
// not if all of it happens under a gate.
//
//go:norace
func canRecur(e *edge) bool { return e.kind == kindHeld && !exclude(e, e) && joint(e, e) }

// visit extends the path, n edges long, at its end: by an edge that closes the
// ring if that makes it as long as the limit, else by any other. It reports
// whether longer paths exist.
//
//go:norace
func (s *ringSearch) visit(n int) (deeper bool) {
	last := s.g.edge(s.path[n-1])
	if n+1 == s.limit {
		for i := *s.g.exactHead(last.to, s.target); i >= 0; i = s.g.edge(i).nextExact {
			x := s.g.edge(i)
			s.steps++
			if x.from != last.to || x.to != s.target || !joint(last, x) || !joint(x, s.g.edge(s.path[0])) || !s.fits(x, n, true) {
				continue
			}
			s.path[n] = i
			s.candidate(n + 1)
			if s.done() {
				return false
			}
		}
		return *s.g.outHead(last.to) >= 0
	}
	for i := *s.g.outHead(last.to); i >= 0; i = s.g.edge(i).nextOut {
		x := s.g.edge(i)
		if s.steps++; s.steps > s.most {
			return false
		}
		if x.from != last.to || x.to == s.target || !sameComponent(x.fromClass, x.toClass) || !joint(last, x) || !s.fits(x, n, false) {
			continue
		}
		s.path[n] = i
		if s.visit(n + 1) {
			deeper = true
		}
		if s.done() {
			return false
		}
	}
	return deeper
}

// done reports whether nothing better can be found.
//
//go:norace
func (s *ringSearch) done() bool { return s.level == Strong || s.level != 0 && s.g == &deps }

// fits reports whether x can be part of a ring with the path: no two of its
// edges exclude each other, no node comes twice.
//
//go:norace
func (s *ringSearch) fits(x *edge, n int, closes bool) bool {
	for j := 0; j < n; j++ {
		p := s.g.edge(s.path[j])
		if exclude(p, x) || !closes && (p.from == x.to || p.to == x.to) || meet(p, x) {
			return false
		}
	}
	return true
}

// meet reports whether two edges wait for both sides of one channel: who waits
// to send on it and who waits to receive from it end each other's wait.
//
//go:norace
func meet(a, b *edge) bool {
	return a.kind == kindWait && b.kind == kindWait && a.toInst^b.toInst == roomInst
}

// joint reports whether the end of one edge can block the start of the next:
// two readers do only if a writer can queue between them.
//
//go:norace
func joint(a, b *edge) bool {
	if a.toMode == Write || b.fromMode == Write || a.kind == kindWait || b.kind == kindSignal {
		return true
	}
	return classes[a.toClass].flags.Load()&classWriter != 0
}

// candidate rates the ring of the first n edges of the path and keeps it if it
// is the best so far.
//
//go:norace
func (s *ringSearch) candidate(n int) {
	level := s.rate(n)
	if level <= s.level {
		return
	}
	s.level = level
	s.n = n
	for i := 0; i < n; i++ {
		s.best[i] = s.path[i]
	}
}

//go:norace
func (s *ringSearch) rate(n int) Level {
	if s.g == &deps {
		return Weak
	}
	one := s.g.edge(s.path[0])
	if n == 1 {
		return Strong // only a class that the user named has such an edge
	}
	two, events, many := one.goid2 != 0, false, false
	for j := 0; j < n; j++ {
		e := s.g.edge(s.path[j])
		two = two || e.goid2 != 0 || e.goid1 != one.goid1
		events = events || e.kind != kindHeld
		many = many || e.manyGates
	}
	switch {
	case two && !many:
		return Strong
	case events:
		return Weak // who waits and who signals must be two
	}
	return Medium
}
