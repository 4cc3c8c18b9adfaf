//go:build lockdep

package lockdep_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/runtime/lockdep"
)

func TestMain(m *testing.M) {
	if err := lockdep.SetOptions("report=none"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// apart runs f in a goroutine of its own and waits for it to end. Every half
// of a test runs so: one after the other, and nothing hangs.
func apart(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// nest locks the locks in order and unlocks them in reverse.
func nest(locks ...lockdep.Locker) {
	for _, l := range locks {
		l.Lock()
	}
	for i := range locks {
		locks[len(locks)-1-i].Unlock()
	}
}

// some returns locks of classes A, B, …, judged by instance.
func some(n int) []lockdep.Locker {
	locks := make([]lockdep.Locker, n)
	for i := range locks {
		locks[i] = firstUse(i)
	}
	return locks
}

// firstUse returns a mutex whose class is a line of its own.
func firstUse(i int) lockdep.Locker {
	m := new(lockdep.Mutex)
	switch i {
	case 0:
		m.Lock()
	case 1:
		m.Lock()
	case 2:
		m.Lock()
	case 3:
		m.Lock()
	}
	m.Unlock()
	return m
}

// someRW returns two RWMutexes of different classes, which have no writer yet.
func someRW() (a, b *lockdep.RWMutex) {
	a, b = new(lockdep.RWMutex), new(lockdep.RWMutex)
	a.RLock()
	a.RUnlock()
	b.RLock()
	b.RUnlock()
	return a, b
}

// found checks that exactly the reports of the given level and category exist,
// and no strong ones otherwise.
func found(t *testing.T, level lockdep.Level, categories ...string) []lockdep.Report {
	t.Helper()
	var got []string
	reports := lockdep.Reports(level)
	for _, r := range reports {
		got = append(got, r.Category)
	}
	if fmt.Sprint(got) != fmt.Sprint(categories) {
		t.Errorf("%v reports: got %v, want %v", level, got, categories)
		for _, r := range lockdep.Reports(lockdep.Weak, lockdep.Medium, lockdep.Strong) {
			t.Log(r.String())
		}
	}
	if level != lockdep.Strong {
		found(t, lockdep.Strong)
	}
	return reports
}

func TestInversionByTwoGoroutines(t *testing.T) {
	lockdep.Reset()
	l := some(2)
	apart(func() { nest(l[0], l[1]) })
	found(t, lockdep.Strong)
	apart(func() { nest(l[1], l[0]) })
	r := found(t, lockdep.Strong, lockdep.CategoryInversion)
	if len(r) == 1 {
		if len(r[0].Edges) != 2 || r[0].Edges[0].Goroutine == r[0].Edges[1].Goroutine {
			t.Errorf("edges %+v", r[0].Edges)
		}
		for _, e := range r[0].Edges {
			if e.FromSite.Line == 0 || e.ToSite.Line == 0 || len(e.Stack) == 0 {
				t.Errorf("edge without sites or stack: %+v", e)
			}
		}
		if want := finding.ID("lockorder", "inversion", r[0].Classes); r[0].ID != want {
			t.Errorf("ID %s, the static finding has %s", r[0].ID, want)
		}
	}
}

func TestInversionByOneGoroutineIsMedium(t *testing.T) {
	lockdep.Reset()
	l := some(2)
	nest(l[0], l[1])
	nest(l[1], l[0])
	found(t, lockdep.Medium, lockdep.CategoryInversion)
	// Another goroutine in either order makes it strong.
	apart(func() { nest(l[0], l[1]) })
	found(t, lockdep.Strong, lockdep.CategoryInversion)
}

func TestInversionOnOtherInstancesIsWeak(t *testing.T) {
	lockdep.Reset()
	l, m := some(2), some(2)
	apart(func() { nest(l[0], l[1]) })
	apart(func() { nest(m[1], m[0]) })
	found(t, lockdep.Weak, lockdep.CategoryInversion)
}

type classA struct{}
type classB struct{}

func TestInversionOnOtherInstancesOfNamedClasses(t *testing.T) {
	lockdep.Reset()
	var a1, a2 lockdep.MutexOf[classA]
	var b1, b2 lockdep.RWMutexOf[classB]
	apart(func() { nest(&a1, &b1) })
	apart(func() { nest(&b2, &a2) })
	r := found(t, lockdep.Strong, lockdep.CategoryInversion)
	const path = "github.com/lockvet/lockvet/runtime/lockdep_test."
	if len(r) == 1 && fmt.Sprint(r[0].Classes) != fmt.Sprintf("[%sclassA %[1]sclassB]", path) {
		t.Errorf("classes %v", r[0].Classes)
	}

	lockdep.Reset()
	var c [4]lockdep.Mutex
	for i := range c {
		lockdep.SetClass(&c[i], string("xy"[i%2]))
	}
	apart(func() { nest(&c[0], &c[1]) })
	apart(func() { nest(&c[3], &c[2]) })
	r = found(t, lockdep.Strong, lockdep.CategoryInversion)
	if len(r) == 1 && r[0].String() != "" && fmt.Sprint(r[0].Classes) != "[x y]" {
		t.Errorf("classes %v", r[0].Classes)
	}
}

func TestRings(t *testing.T) {
	for _, ring := range []string{"AB BC CA", "AB BC CD DA", "ABC BCA", "ABC AB CA"} {
		lockdep.Reset()
		l := some(4)
		for _, half := range strings.Fields(ring) {
			apart(func() {
				var order []lockdep.Locker
				for _, c := range half {
					order = append(order, l[c-'A'])
				}
				nest(order...)
			})
		}
		if len(lockdep.Reports()) == 0 {
			t.Errorf("%s: nothing reported", ring)
		}
	}
}

func TestOrdersWithoutRing(t *testing.T) {
	lockdep.Reset()
	l := some(4)
	for _, order := range []string{"ABCD", "ACD", "BD", "AD", "BCD", "A", "D"} {
		apart(func() {
			var o []lockdep.Locker
			for _, c := range order {
				o = append(o, l[c-'A'])
			}
			nest(o...)
		})
	}
	for _, level := range []lockdep.Level{lockdep.Weak, lockdep.Medium, lockdep.Strong} {
		found(t, level)
	}
}

func TestGate(t *testing.T) {
	lockdep.Reset()
	l := some(3)
	apart(func() { nest(l[2], l[0], l[1]) })
	apart(func() { nest(l[2], l[1], l[0]) })
	found(t, lockdep.Strong)
	found(t, lockdep.Medium)
	// Without the gate on one side, the two sides still exclude each other only
	// if both hold it.
	apart(func() { nest(l[0], l[1]) })
	found(t, lockdep.Strong, lockdep.CategoryInversion)
}

func TestReadGateIsNone(t *testing.T) {
	lockdep.Reset()
	l := some(2)
	var gate lockdep.RWMutex
	apart(func() { nest(gate.RLocker(), l[0], l[1]) })
	apart(func() { nest(gate.RLocker(), l[1], l[0]) })
	found(t, lockdep.Strong, lockdep.CategoryInversion)
}

func TestReaders(t *testing.T) {
	lockdep.Reset()
	a, b := someRW()
	apart(func() { nest(a.RLocker(), b.RLocker()) })
	apart(func() { nest(b.RLocker(), a.RLocker()) })
	found(t, lockdep.Strong)
	// A writer of one of them alone does not block the other.
	apart(func() { nest(a) })
	found(t, lockdep.Strong)
	apart(func() { nest(b) })
	found(t, lockdep.Strong, lockdep.CategoryInversion)
}

func TestReadAgainstWrite(t *testing.T) {
	lockdep.Reset()
	a, b := someRW()
	apart(func() { nest(a.RLocker(), b) })
	apart(func() { nest(b.RLocker(), a) })
	found(t, lockdep.Strong, lockdep.CategoryInversion)
}

func TestRecursiveRead(t *testing.T) {
	lockdep.Reset()
	a := new(lockdep.RWMutex)
	a.RLock()
	a.RLock()
	a.RUnlock()
	a.RUnlock()
	found(t, lockdep.Strong)
	apart(func() { nest(a) })
	r := found(t, lockdep.Strong, lockdep.CategoryRecursive)
	if len(r) == 1 && !strings.HasPrefix(r[0].Message, "recursive read lock: ") {
		t.Errorf("message %q", r[0].Message)
	}
}

func TestTryLockOrdersNothing(t *testing.T) {
	lockdep.Reset()
	l := some(2)
	a, b := l[0].(*lockdep.Mutex), l[1].(*lockdep.Mutex)
	apart(func() { nest(a, b) })
	apart(func() {
		b.Lock()
		if !a.TryLock() {
			t.Error("TryLock failed")
		}
		apart(func() {
			if a.TryLock() {
				t.Error("TryLock of a held lock succeeded")
			}
		})
		lockdep.AssertHeld(a)
		a.Unlock()
		b.Unlock()
	})
	found(t, lockdep.Strong)
	found(t, lockdep.Weak)
	// But what is acquired under it is ordered.
	apart(func() {
		b.TryLock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
	found(t, lockdep.Strong, lockdep.CategoryInversion)
}

func TestHandoffIsSilent(t *testing.T) {
	lockdep.Reset()
	var m lockdep.Mutex
	for range 3 {
		m.Lock()
		apart(m.Unlock)
	}
	lockdep.AssertNotHeld(&m)
	found(t, lockdep.Strong)
}

// Read locks that are given up elsewhere, more than a goroutine can be told of
// one by one, between its taking one more and giving that up itself.
func TestHandoffOfReadLocks(t *testing.T) {
	const n = 20
	one := new(lockdep.RWMutex)
	for _, locks := range [][]*lockdep.RWMutex{slices.Repeat([]*lockdep.RWMutex{one}, n), make([]*lockdep.RWMutex, n)} {
		lockdep.Reset()
		for i := range locks {
			if locks[i] == nil {
				locks[i] = new(lockdep.RWMutex)
			}
			locks[i].RLock()
		}
		locks[0].RLock()
		apart(func() {
			for _, l := range locks {
				l.RUnlock()
			}
		})
		locks[0].RUnlock()
		found(t, lockdep.Strong)
		for _, l := range locks {
			lockdep.AssertNotHeld(l)
		}
		found(t, lockdep.Strong)
	}
}

func TestHandoffInRing(t *testing.T) {
	lockdep.Reset()
	l := some(2)
	a, b := l[0], l[1]
	// a is released by a goroutine that needs b on its way there, and awaited
	// by one that holds b.
	a.Lock()
	apart(func() { nest(b); a.Unlock() })
	apart(func() { nest(b, a) })
	found(t, lockdep.Strong, lockdep.CategoryWaitHeld)
}

func TestNestedClass(t *testing.T) {
	lockdep.Reset()
	var x, y lockdep.MutexOf[classA]
	nest(&x, &y)
	found(t, lockdep.Strong, lockdep.CategoryNesting)

	lockdep.Reset()
	x.Lock()
	lockdep.Lock(&y, lockdep.Nested(1))
	y.Unlock()
	x.Unlock()
	found(t, lockdep.Strong)
	y.Lock()
	lockdep.Lock(&x, lockdep.Nested(1))
	x.Unlock()
	y.Unlock()
	found(t, lockdep.Strong)

	lockdep.Reset()
	var parent lockdep.MutexOf[classB]
	parent.Lock()
	lockdep.Lock(&x, lockdep.Under(&parent))
	lockdep.Lock(&y, lockdep.Under(&parent))
	y.Unlock()
	x.Unlock()
	parent.Unlock()
	found(t, lockdep.Strong)
	lockdep.Lock(&x, lockdep.Under(&parent))
	x.Unlock()
	found(t, lockdep.Strong, lockdep.CategoryAssert)
}

func TestNestedInstances(t *testing.T) {
	lockdep.Reset()
	l := []lockdep.Locker{firstUse(0), firstUse(0)}
	apart(func() { nest(l[0], l[1]) })
	found(t, lockdep.Weak, lockdep.CategoryNesting)
	apart(func() { nest(l[1], l[0]) })
	found(t, lockdep.Strong, lockdep.CategoryNesting)
}

func TestAsserts(t *testing.T) {
	lockdep.Reset()
	var m lockdep.RWMutex
	m.RLock()
	lockdep.AssertRHeld(&m)
	found(t, lockdep.Strong)
	lockdep.AssertHeld(&m)
	found(t, lockdep.Strong, lockdep.CategoryAssert)
	m.RUnlock()

	lockdep.Reset()
	lockdep.AssertNotHeld(&m)
	lockdep.AssertRHeld(&m)
	found(t, lockdep.Strong, lockdep.CategoryAssert)

	lockdep.Reset()
	m.Lock()
	c := lockdep.Pin(&m)
	lockdep.Unpin(&m, c)
	found(t, lockdep.Strong)
	c = lockdep.Pin(&m)
	m.Unlock()
	m.Lock()
	lockdep.Unpin(&m, c)
	m.Unlock()
	found(t, lockdep.Strong, lockdep.CategoryAssert)
}

func TestCallbackThatLocks(t *testing.T) {
	lockdep.Reset()
	l := some(3)
	reported := 0
	lockdep.OnReport(func(r *lockdep.Report) {
		reported++
		nest(l[2])
		lockdep.Reports()
	})
	defer lockdep.OnReport(nil)
	apart(func() { nest(l[0], l[1]) })
	apart(func() { nest(l[1], l[0]) })
	if reported != 1 {
		t.Errorf("%d reports", reported)
	}
}

func TestReportedOnce(t *testing.T) {
	lockdep.Reset()
	n := 0
	lockdep.OnReport(func(*lockdep.Report) { n++ })
	defer lockdep.OnReport(nil)
	for range 5 {
		l := some(2)
		for range 5 {
			apart(func() { nest(l[0], l[1]) })
			apart(func() { nest(l[1], l[0]) })
		}
	}
	if n != 1 {
		t.Errorf("%d reports of one cycle", n)
	}
}
