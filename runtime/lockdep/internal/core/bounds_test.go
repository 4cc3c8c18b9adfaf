package core

import (
	"runtime"
	"testing"
)

func TestManyGoroutines(t *testing.T) {
	startForTest()
	Reset()
	const n = 10000
	var l Lock
	l.Init(ClassByName("many", RW))
	hold, held := make(chan bool), make(chan bool)
	for range n {
		go func() {
			Acquire(&l, Read, 1, 0)
			held <- true
			<-hold
			Release(&l, Read, 0)
			held <- true
		}()
	}
	for range n {
		<-held
	}
	readers := 0
	EachHeld(func(h HeldLock) {
		if h.Inst == l.Inst() {
			readers++
		}
	})
	if readers != n {
		t.Errorf("%d of %d readers known", readers, n)
	}
	close(hold)
	for range n {
		<-held
	}
	EachHeld(func(h HeldLock) {
		if h.Inst == l.Inst() {
			t.Fatalf("still held by goroutine %d", h.Goid)
		}
	})
}

func TestDeepHeldStack(t *testing.T) {
	startForTest()
	Reset()
	const n = 300
	var l [n]Lock
	c := ClassByName("deep", RW|Instances)
	for i := range l {
		l[i].Init(c)
		l[i].Acquired(Acquire(&l[i], Write, 1, Under))
	}
	for i := range l { // in the order of acquisition, the worst for a stack
		if _, ok := Holds(&l[i]); !ok {
			t.Fatalf("lock %d is not held", i)
		}
		Release(&l[i], Write, l[i].Releasing(1))
		if _, ok := Holds(&l[i]); ok {
			t.Fatalf("lock %d is held after its release", i)
		}
	}
}

func TestClassesRunOut(t *testing.T) {
	startForTest()
	tablesFull[TableClasses].Store(false)
	filled := false
	Hook = func(f *Finding) { filled = filled || f.Kind == Full && f.Table == TableClasses }
	defer func() { Hook = nil }()
	saved := lastClass.Load()
	lastClass.Store(uint32(len(classes) - 1))
	defer lastClass.Store(saved)
	c := ClassByName("one too many", 0)
	Deliver()
	if c != 0 || !filled {
		t.Errorf("class %d, reported %v", c, filled)
	}
	var l, m Lock
	l.Init(c)
	m.Init(c)
	for range 2 {
		l.Acquired(Acquire(&l, Write, 1, 0))
		m.Acquired(Acquire(&m, Write, 1, 0))
		Release(&m, Write, m.Releasing(1))
		Release(&l, Write, l.Releasing(1))
	}
	if deps.used > 0 && deps.edge(deps.used-1).fromClass == 0 {
		t.Error("dependencies of unclassified locks were kept")
	}
}

func TestPairsForget(t *testing.T) {
	startForTest()
	Reset()
	outer := ClassByName("outer", Instances)
	inner := ClassByName("inner", Instances)
	var before, after runtime.MemStats
	run := func(n int) {
		for range n {
			a, b := new(Lock), new(Lock)
			a.Init(outer)
			b.Init(inner)
			a.Acquired(Acquire(a, Write, 1, 0))
			b.Acquired(Acquire(b, Write, 2, 0))
			Release(b, Write, b.Releasing(1))
			Release(a, Write, a.Releasing(1))
		}
	}
	run(2 * cfg.Pairs)
	runtime.GC()
	runtime.ReadMemStats(&before)
	run(4 * cfg.Pairs)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<16 {
		t.Errorf("%d bytes for pairs that are forgotten", grown)
	}
	if int(pairs.used) > cfg.Pairs {
		t.Errorf("%d pairs, limit %d", pairs.used, cfg.Pairs)
	}
}

// TestOrderOfClasses adds dependencies of a random order of classes, then
// closes a ring: the order must have stayed one all the time.
func TestOrderOfClasses(t *testing.T) {
	startForTest()
	Reset()
	seed := uint64(3)
	const n = 60
	var l [n]Lock
	for i := range l {
		l[i].Init(ClassByName(string(rune('A'+i))+"order", Instances))
	}
	rings := 0
	Hook = func(f *Finding) {
		if f.Kind == Inversion && f.Level == Weak {
			rings++
		}
	}
	defer func() { Hook = nil }()
	pair := func(a, b int) {
		l[a].Acquired(Acquire(&l[a], Write, 1, 0))
		l[b].Acquired(Acquire(&l[b], Write, 1, 0))
		Release(&l[b], Write, l[b].Releasing(1))
		Release(&l[a], Write, l[a].Releasing(1))
	}
	for range 1500 {
		seed = mix(seed, 1)
		a, b := int(seed>>8%n), int(seed>>24%n)
		if a > b {
			a, b = b, a
		}
		if a != b {
			pair(a, b)
		}
	}
	if rings > 0 {
		t.Fatalf("%d rings in a legal order", rings)
	}
	for i := int32(0); i < deps.used; i++ {
		e := deps.edge(i)
		if classes[e.fromClass].order >= classes[e.toClass].order {
			t.Fatalf("class %d lies before %d, against a dependency", e.toClass, e.fromClass)
		}
	}
	pair(n-1, 0)
	if rings != 1 {
		t.Errorf("%d findings for the ring", rings)
	}
}

func TestPoolCountsRecords(t *testing.T) {
	startForTest()
	var taken []*record
	before := recordsMade.Load()
	for range 100 {
		taken = append(taken, getRecord())
	}
	for _, r := range taken {
		putRecord(r)
	}
	made := recordsMade.Load() - before
	for range 100 {
		taken = append(taken[:0:0], getRecord())
		putRecord(taken[0])
	}
	if again := recordsMade.Load() - before; again > made+int64(len(poolCaches))*int64(poolHigh) {
		t.Errorf("%d records made for 100, then %d", made, again)
	}
}
