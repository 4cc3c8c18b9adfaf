package core

// A topological order of the classes, kept up to date as dependencies come:
// whether a new dependency closes a ring by class is then known without a walk
// over the graph. Classes that lie on a ring together form a component; the
// order is one of components. (Pearce and Kelly, "A dynamic topological sort
// algorithm for directed acyclic graphs", 2006; merging components on a cycle
// is the usual extension.)

//go:norace
func component(c uint16) uint16 {
	for classes[c].comp != c {
		up := classes[c].comp
		classes[c].comp = classes[up].comp
		c = classes[c].comp
	}
	return c
}

// sameComponent reports whether a ring of dependencies goes through both.
//
//go:norace
func sameComponent(a, b uint16) bool { return a == b || component(a) == component(b) }

var (
	walkStackOfClasses []uint16
	forward, backward  []uint16 // components
	markF, markB       [maxClass/64 + 1]uint64
)

//go:norace
func has(m *[maxClass/64 + 1]uint64, c uint16) bool { return m[c>>6]&(1<<(c&63)) != 0 }

//go:norace
func put(m *[maxClass/64 + 1]uint64, c uint16) { m[c>>6] |= 1 << (c & 63) }

// order notes the dependency from -> to in the order of the classes.
//
//go:norace
func order(from, to uint16) {
	a, b := component(from), component(to)
	if a == b || classes[a].order < classes[b].order {
		return
	}
	low, high := classes[b].order, classes[a].order
	forward = reach(b, high, true, forward[:0], &markF)
	backward = reach(a, low, false, backward[:0], &markB)

	// Those before a, then the ring if there is one, then those behind b,
	// take the places that all of them had.
	places := make([]int32, 0, len(forward)+len(backward))
	var before, ring, behind []uint16
	for _, c := range backward {
		places = append(places, classes[c].order)
		if has(&markF, c) {
			ring = append(ring, c)
		} else {
			before = append(before, c)
		}
	}
	for _, c := range forward {
		if !has(&markB, c) {
			places = append(places, classes[c].order)
			behind = append(behind, c)
		}
	}
	for _, c := range forward {
		markF[c>>6] &^= 1 << (c & 63)
	}
	for _, c := range backward {
		markB[c>>6] &^= 1 << (c & 63)
	}
	sortPlaces(places)
	sortByOrder(before)
	sortByOrder(behind)
	k := 0
	for _, c := range before {
		classes[c].order = places[k]
		k++
	}
	if len(ring) > 0 {
		for _, c := range ring[1:] {
			classes[c].comp = ring[0]
			classes[c].next, classes[ring[0]].next = classes[ring[0]].next, classes[c].next
		}
		classes[ring[0]].order = places[k]
		k++
	}
	for i := range behind {
		classes[behind[len(behind)-1-i]].order = places[len(places)-1-i]
	}
}

// reach collects the components reachable from c, forwards or backwards, that
// lie within bound in the order.
//
//go:norace
func reach(c uint16, bound int32, ahead bool, found []uint16, mark *[maxClass/64 + 1]uint64) []uint16 {
	todo := walkStackOfClasses[:0]
	put(mark, c)
	todo = append(todo, c)
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		found = append(found, c)
		for m := c; ; {
			var i int32
			if ahead {
				i = *deps.outHead(uint64(m))
			} else {
				i = *deps.inHead(uint64(m))
			}
			for i >= 0 {
				x := deps.edge(i)
				var near, far uint64
				if ahead {
					near, far, i = x.from, x.to, x.nextOut
				} else {
					near, far, i = x.to, x.from, x.nextIn
				}
				if near != uint64(m) {
					continue
				}
				f := component(uint16(far))
				if has(mark, f) || ahead && classes[f].order > bound || !ahead && classes[f].order < bound {
					continue
				}
				put(mark, f)
				todo = append(todo, f)
			}
			if m = classes[m].next; m == c {
				break
			}
		}
	}
	walkStackOfClasses = todo
	return found
}

//go:norace
func sortPlaces(s []int32) {
	for i := 1; i < len(s); i++ {
		for j := i; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}

//go:norace
func sortByOrder(s []uint16) {
	for i := 1; i < len(s); i++ {
		for j := i; j > 0 && classes[s[j]].order < classes[s[j-1]].order; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}
