package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The model is what the engine should conclude, with nothing fast about it:
// every observation is kept with all that was held, and all rings are tried.

const (
	modelGoroutines = 3
	modelLocks      = 5
	modelEvents     = 2
)

type observation struct {
	from, to         int // nodes: locks, then events
	fromMode, toMode uint8
	gates            map[int]uint8
	goroutine        int
	kind             int
}

type modelHeld struct {
	lock int
	mode uint8
	era  int
}

type model struct {
	seen   []observation
	held   [modelGoroutines][]modelHeld
	window [modelGoroutines][]modelHeld
	era    int
	born   [modelEvents]int
	writer [modelLocks]bool
	class  [modelLocks]int
}

func (m *model) acquire(g, l int, mode uint8) {
	for _, h := range m.held[g] {
		gates := map[int]uint8{}
		for _, other := range m.held[g] {
			if other.lock != h.lock {
				gates[other.lock] = other.mode
			}
		}
		m.seen = append(m.seen, observation{h.lock, l, h.mode, mode, gates, g, kindHeld})
	}
	if mode == Write {
		for i := range m.class {
			if m.class[i] == m.class[l] {
				m.writer[i] = true
			}
		}
	}
	m.held[g] = append(m.held[g], modelHeld{l, mode, m.era})
	m.window[g] = append(m.window[g], modelHeld{l, mode, m.era})
}

func (m *model) holds(g, l int) int {
	return slices.IndexFunc(m.held[g], func(h modelHeld) bool { return h.lock == l })
}

func (m *model) wait(g, e int) {
	for _, h := range m.held[g] {
		m.seen = append(m.seen, observation{h.lock, modelLocks + e, h.mode, Write, nil, g, kindWait})
	}
	m.window[g] = nil
}

func (m *model) signal(g, node, born int) {
	for _, h := range slices.Concat(m.window[g], m.held[g]) {
		if h.era >= born && h.lock != node {
			m.seen = append(m.seen, observation{node, h.lock, Write, h.mode, nil, g, kindSignal})
		}
	}
}

// rings returns the strong rings, as the sorted classes of their nodes.
func (m *model) rings() map[string]bool {
	rings := map[string]bool{}
	var path []observation
	var extend func()
	extend = func() {
		last := path[len(path)-1]
		for _, o := range m.seen {
			if o.from != last.to || !m.joint(last, o) {
				continue
			}
			clash := false
			for _, p := range path {
				clash = clash || m.exclude(p, o)
				clash = clash || o.to != path[0].from && (p.to == o.to || p.from == o.to)
			}
			if clash {
				continue
			}
			path = append(path, o)
			if o.to == path[0].from {
				if m.joint(o, path[0]) && slices.ContainsFunc(path, func(p observation) bool { return p.goroutine != path[0].goroutine }) {
					rings[m.name(path)] = true
				}
			} else if len(path) < modelLocks+modelEvents {
				extend()
			}
			path = path[:len(path)-1]
		}
	}
	for _, o := range m.seen {
		path = []observation{o}
		extend()
	}
	return rings
}

func (m *model) joint(a, b observation) bool {
	if a.kind == kindWait || b.kind == kindSignal || a.toMode == Write || b.fromMode == Write {
		return true
	}
	return m.writer[a.to]
}

func (m *model) exclude(a, b observation) bool {
	for l, am := range a.gates {
		if bm, ok := b.gates[l]; ok && (am == Write || bm == Write) {
			return true
		}
	}
	return false
}

func (m *model) name(path []observation) string {
	var nodes []string
	for _, o := range path {
		n := o.from
		if n < modelLocks {
			n = m.class[n]
		}
		nodes = append(nodes, fmt.Sprint(n))
	}
	slices.Sort(nodes)
	return strings.Join(slices.Compact(nodes), " ")
}

// A rig runs a trace on the engine, each of its goroutines a real one.
type rig struct {
	do    [modelGoroutines]chan func()
	done  chan bool
	locks [modelLocks]Lock
	event [modelEvents]Lock
	node  map[uint16]int
	found map[string]bool
}

func newRig(classes [modelLocks]int) *rig {
	Reset()
	r := &rig{done: make(chan bool), node: map[uint16]int{}, found: map[string]bool{}}
	Hook = func(f *Finding) {
		if f.Level != Strong || f.Kind != Inversion && f.Kind != Nesting && f.Kind != WaitHeld {
			return
		}
		var nodes []string
		for _, l := range f.Links {
			nodes = append(nodes, fmt.Sprint(r.node[l.From]))
		}
		slices.Sort(nodes)
		r.found[strings.Join(slices.Compact(nodes), " ")] = true
	}
	for i := range r.locks {
		c := ClassByName(fmt.Sprintf("lock%d", classes[i]), RW|Instances)
		r.locks[i].Init(c)
		r.node[c] = classes[i]
	}
	for i := range r.event {
		c := ClassByName(fmt.Sprintf("event%d", i), Event|Instances)
		r.event[i].Init(c)
		r.event[i].addr.Store(0)
		r.node[c] = modelLocks + i
	}
	for i := range r.do {
		r.do[i] = make(chan func())
		go func() {
			for f := range r.do[i] {
				f()
				r.done <- true
			}
		}()
	}
	return r
}

func (r *rig) run(g int, f func()) {
	r.do[g] <- f
	<-r.done
}

func (r *rig) stop() {
	for i := range r.do {
		close(r.do[i])
	}
	Hook = nil
}

func startForTest() {
	if !On() {
		Start(Config{
			Cross: true, Pool: true, Deadlocks: true, Stats: true,
			Classes: 1000, Deps: 4096, Pairs: 4096, Chains: 4096, Records: 1 << 20, Stacks: 64,
		})
	}
}

// checkTrace runs a trace on the engine and on the model and compares the
// verdicts: the engine finds a ring if there is one, and only such as exist.
func checkTrace(t *testing.T, trace []byte) {
	startForTest()
	if len(trace) == 0 {
		return
	}
	m := &model{class: [modelLocks]int{0, 1, 2, 3, 4}}
	if trace[0]&1 != 0 { // two locks of one class; no events then
		m.class[4] = 3
	}
	r := newRig(m.class)
	defer r.stop()
	var log []string
	holder := func(l int) (holders []int) {
		for g := range m.held {
			if m.holds(g, l) >= 0 {
				holders = append(holders, g)
			}
		}
		return holders
	}
	for _, b := range trace[1:min(len(trace), 60)] {
		g, op, x := int(b)%modelGoroutines, int(b)/modelGoroutines%7, int(b)/(7*modelGoroutines)
		l, e := x%modelLocks, x%modelEvents
		if len(m.window[g]) >= windowSize {
			m.window[g] = nil // start over: the engine would forget one by one
			r.run(g, func() { Wait(&r.event[0], 1) })
			m.wait(g, 0)
		}
		mode := Write
		switch op {
		case 0, 1, 2: // acquire
			if op == 2 {
				mode = Read
			}
			free := true
			for _, o := range holder(l) {
				at := m.held[o][m.holds(o, l)]
				free = free && o != g && mode == Read && at.mode == Read
			}
			if !free {
				continue
			}
			r.run(g, func() {
				slot := Acquire(&r.locks[l], mode, uintptr(1000+l), 0)
				if mode == Write {
					r.locks[l].Acquired(slot)
				}
			})
			m.acquire(g, l, mode)
			log = append(log, fmt.Sprintf("g%d acquires %d mode %d", g, l, mode))
		case 3, 4: // release
			at := m.holds(g, l)
			if at < 0 {
				continue
			}
			mode = m.held[g][at].mode
			r.run(g, func() {
				h := uint32(0)
				if mode == Write {
					h = r.locks[l].Releasing(1)
				}
				Release(&r.locks[l], mode, h)
			})
			m.held[g] = slices.Delete(m.held[g], at, at+1)
			log = append(log, fmt.Sprintf("g%d releases %d", g, l))
		case 5: // release by another, or wait
			if hs := holder(l); len(hs) == 1 && hs[0] != g && m.class[4] == 4 && m.held[hs[0]][m.holds(hs[0], l)].mode == Write {
				r.run(g, func() { Release(&r.locks[l], Write, r.locks[l].Releasing(1)) })
				m.held[hs[0]] = slices.Delete(m.held[hs[0]], m.holds(hs[0], l), m.holds(hs[0], l)+1)
				m.signal(g, l, 0)
				log = append(log, fmt.Sprintf("g%d releases %d of g%d", g, l, hs[0]))
			} else if m.class[4] == 4 {
				r.run(g, func() { Wait(&r.event[e], 1) })
				m.wait(g, e)
				log = append(log, fmt.Sprintf("g%d waits %d", g, e))
			}
		case 6: // signal, or birth
			if m.class[4] != 4 {
				continue
			}
			if x >= 8 {
				r.run(g, func() { r.event[e].Born() })
				m.era++
				m.born[e] = m.era
				log = append(log, fmt.Sprintf("event %d born", e))
				continue
			}
			r.run(g, func() { Signal(&r.event[e]) })
			m.signal(g, modelLocks+e, m.born[e])
			log = append(log, fmt.Sprintf("g%d signals %d", g, e))
		}
	}
	for g := range m.held {
		for len(m.held[g]) > 0 {
			h := m.held[g][len(m.held[g])-1]
			r.run(g, func() {
				s := uint32(0)
				if h.mode == Write {
					s = r.locks[h.lock].Releasing(1)
				}
				Release(&r.locks[h.lock], h.mode, s)
			})
			m.held[g] = m.held[g][:len(m.held[g])-1]
		}
	}
	want := m.rings()
	if (len(want) > 0) != (len(r.found) > 0) {
		t.Fatalf("engine found %v, model %v\n%s", slices.Sorted(maps.Keys(r.found)), slices.Sorted(maps.Keys(want)), strings.Join(log, "\n"))
	}
	for ring := range r.found {
		if !want[ring] {
			t.Fatalf("engine found ring %q, model only %v\n%s", ring, slices.Sorted(maps.Keys(want)), strings.Join(log, "\n"))
		}
	}
}

func FuzzAgainstModel(f *testing.F) {
	f.Add([]byte{0, 0, 21, 30, 9, 22, 1, 10, 31})
	f.Fuzz(checkTrace)
}

// TestRandomTraces is the fuzz test for a fixed time of luck: the same traces
// every time.
func TestRandomTraces(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 500
	}
	seed := uint64(1)
	found := 0
	for range n {
		trace := make([]byte, 8+seed%53)
		for i := range trace {
			seed = mix(seed, uint64(i))
			trace[i] = byte(seed >> 24)
		}
		checkTrace(t, trace)
		if seen.n > 0 {
			found++
		}
	}
	t.Logf("%d of %d traces have a finding", found, n)
}
