//go:build lockdep

package lockdep_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// inChild runs the test alone in a process of its own, where f is called; what
// it does there is fatal. It returns what the process wrote.
func inChild(t *testing.T, options string, f func()) string {
	t.Helper()
	if os.Getenv("LOCKDEP_CHILD") == t.Name() {
		lockdep.SetOptions("report=text")
		f()
		os.Exit(0)
	}
	return inChildAgain(t, options)
}

// inChildAgain runs the process of inChild with other options.
func inChildAgain(t *testing.T, options string) string {
	t.Helper()
	out, _ := child(t, t.Name(), "LOCKDEP_CHILD="+t.Name(), "LOCKDEP="+options)
	return out
}

func wantText(t *testing.T, out string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
			return
		}
	}
}

func TestRecursiveLock(t *testing.T) {
	out := inChild(t, "exit=1", func() {
		var m lockdep.Mutex
		m.Lock()
		m.Lock()
	})
	wantText(t, out, "recursive lock: ", "lockorder/recursive")
}

func TestUpgrade(t *testing.T) {
	out := inChild(t, "exit=1", func() {
		var m lockdep.RWMutex
		m.RLock()
		m.Lock()
	})
	wantText(t, out, "lock upgrade: ", "lockorder/recursive")
}

func TestUnlockOfUnlocked(t *testing.T) {
	out := inChild(t, "", func() {
		var m lockdep.Mutex
		m.Lock()
		m.Unlock()
		m.Unlock()
	})
	wantText(t, out, "unlock of ", "crossrelease/unlock", "fatal error: sync: unlock of unlocked mutex")
}

func TestRUnlockOfUnlocked(t *testing.T) {
	out := inChild(t, "", func() {
		var m lockdep.RWMutex
		m.RLock()
		m.RUnlock()
		m.RUnlock()
	})
	wantText(t, out, "unlock of ", "crossrelease/unlock", "fatal error: sync: RUnlock of unlocked RWMutex")
}

func TestExitOption(t *testing.T) {
	out := inChild(t, "exit=1", func() {
		var m lockdep.RWMutex
		lockdep.AssertHeld(&m)
		println("went on")
	})
	wantText(t, out, "assertion failed: ")
	if strings.Contains(out, "went on") {
		t.Error("the program went on after a report with exit=1")
	}
}

func TestCopiedWhileHeld(t *testing.T) {
	lockdep.Reset()
	type box struct{ mu lockdep.Mutex }
	a := new(box)
	a.mu.Lock()
	b := new(box)
	reflectCopy(b, a)
	if b.mu.TryLock() {
		t.Error("the copy is not locked")
	}
	a.mu.Unlock()
	go b.mu.Lock() // hangs for good
	for len(lockdep.Reports()) == 0 {
		runtime.Gosched()
	}
	found(t, lockdep.Strong, lockdep.CategoryCopied)
}

func TestCopyOfUnheldLock(t *testing.T) {
	lockdep.Reset()
	type box struct{ mu lockdep.Mutex }
	a := new(box)
	lockdep.SetClass(&a.mu, "box")
	nest(&a.mu)
	b := new(box)
	reflectCopy(b, a)
	nest(&b.mu)
	found(t, lockdep.Strong)
}

func TestGoroutineGone(t *testing.T) {
	lockdep.Reset()
	m := new(lockdep.Mutex)
	apart(func() { m.Lock() })
	for len(lockdep.Reports()) == 0 { // the goroutine has closed its channel, but may not have ended
		lockdep.CheckGoroutines()
		runtime.Gosched()
	}
	r := found(t, lockdep.Strong, lockdep.CategoryLeak)
	if len(r) == 1 && !strings.Contains(r[0].Message, "lock leak: ") {
		t.Errorf("message %q", r[0].Message)
	}
	lockdep.Reset()
	lockdep.CheckGoroutines()
	found(t, lockdep.Strong)
}

func TestCollectedWhileHeld(t *testing.T) {
	out := inChild(t, "collected=1", func() {
		lockdep.OnReport(func(r *lockdep.Report) {
			println(r.Message)
			os.Exit(0)
		})
		lockAndForget()
		for {
			runtime.GC()
		}
	})
	wantText(t, out, "was garbage-collected while held")
}

//go:noinline
func lockAndForget() {
	m := &struct {
		pad [64]byte
		mu  lockdep.Mutex
	}{}
	m.mu.Lock()
}

// stuck makes two or more goroutines deadlock for good and returns the report.
func stuck(t *testing.T, n int, lock func(i int) (first, second lockdep.Locker)) *lockdep.Report {
	t.Helper()
	lockdep.Reset()
	reports := make(chan *lockdep.Report, 10)
	lockdep.OnReport(func(r *lockdep.Report) {
		if r.Category == lockdep.CategoryDeadlock {
			reports <- r
		}
	})
	defer lockdep.OnReport(nil)
	locked, all := make(chan bool), make(chan bool)
	for i := range n {
		go func() {
			first, second := lock(i)
			first.Lock()
			locked <- true
			<-all
			second.Lock()
		}()
	}
	for range n {
		<-locked
	}
	close(all)
	return <-reports
}

func TestRealDeadlock(t *testing.T) {
	for n := 2; n <= 4; n++ {
		l := some(n)
		r := stuck(t, n, func(i int) (first, second lockdep.Locker) { return l[i], l[(i+1)%n] })
		if len(r.Edges) != n || len(r.Classes) != n {
			t.Errorf("%d goroutines: %v", n, r)
		}
	}
}

func TestRealDeadlockOfReaders(t *testing.T) {
	a, b := new(lockdep.RWMutex), new(lockdep.RWMutex)
	nest(a)
	nest(b)
	r := stuck(t, 2, func(i int) (first, second lockdep.Locker) {
		if i == 0 {
			return a.RLocker(), b
		}
		return b.RLocker(), a
	})
	if len(r.Edges) != 2 {
		t.Errorf("%v", r)
	}
}

func TestRealDeadlockBehindQueuedWriter(t *testing.T) {
	lockdep.Reset()
	reports := make(chan *lockdep.Report, 10)
	lockdep.OnReport(func(r *lockdep.Report) {
		if r.Category == lockdep.CategoryDeadlock {
			reports <- r
		}
	})
	defer lockdep.OnReport(nil)
	m := new(lockdep.RWMutex)
	locked := make(chan bool)
	go func() {
		m.RLock()
		locked <- true
		for m.TryRLock() { // until a writer is queued
			m.RUnlock()
			runtime.Gosched()
		}
		m.RLock()
	}()
	<-locked
	go m.Lock()
	if r := <-reports; len(r.Edges) != 2 || len(r.Classes) != 1 || r.Edges[0].Mode != "read->read" || len(r.Edges[1].Stack) == 0 {
		t.Errorf("%v", r)
	}
}

//go:noinline
func readLocks(m *lockdep.RWMutex) { m.RLock() }

//go:noinline
func readLocksBehindWriter(m *lockdep.RWMutex) {
	m.RLock()
	m.RUnlock()
}

// A read lock whose function has returned may be given up by another goroutine:
// what looks like a deadlock is none, and reading again is no proof.
func TestReadLockOfAnotherOwner(t *testing.T) {
	lockdep.Reset()
	lockdep.OnReport(func(r *lockdep.Report) { // before it can be withdrawn
		if text := r.String(); strings.Contains(text, "readLocks") {
			t.Error(text)
		}
	})
	defer lockdep.OnReport(nil)
	m := new(lockdep.RWMutex)
	done, wrote, released := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		readLocks(m)
		go func() {
			m.Lock()
			m.Unlock()
			close(wrote)
		}()
		for m.TryRLock() { // until the writer is queued
			m.RUnlock()
			runtime.Gosched()
		}
		go func() {
			until("readLocksBehindWriter", "sync.RWMutex.RLock")
			m.RUnlock()
			close(released)
		}()
		readLocksBehindWriter(m)
		<-released
	}()
	<-done
	<-wrote
}

//go:noinline
func readLocksOnceMore(m *lockdep.RWMutex, times int) {
	m.RLock()
	if times > 1 {
		readLocksOnceMore(m, times-1)
	}
	m.RUnlock()
}

// What is strong evidence, and what medium, for a read lock taken again.
func TestReadLockAgainByFunction(t *testing.T) {
	for name, test := range map[string]struct {
		run    func(m *lockdep.RWMutex)
		strong bool
	}{
		"two places in one function":    {func(m *lockdep.RWMutex) { m.RLock(); m.RLock(); m.RUnlock(); m.RUnlock() }, true},
		"a function that calls itself":  {func(m *lockdep.RWMutex) { readLocksOnceMore(m, 2) }, true},
		"a function that calls another": {func(m *lockdep.RWMutex) { m.RLock(); readLocksBehindWriter(m); m.RUnlock() }, true},
		"two that return":               {func(m *lockdep.RWMutex) { readLocks(m); readLocks(m); m.RUnlock(); m.RUnlock() }, false},
		"one that returns":              {func(m *lockdep.RWMutex) { readLocks(m); readLocksBehindWriter(m); m.RUnlock() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			lockdep.Reset()
			m := new(lockdep.RWMutex)
			nest(m)
			apart(func() { test.run(m) })
			if test.strong {
				found(t, lockdep.Strong, lockdep.CategoryRecursive)
			} else {
				found(t, lockdep.Medium, lockdep.CategoryRecursive)
			}
		})
	}
}

// More locks than a goroutine has letters are given up for it by another.
func TestManyUnlockedByAnother(t *testing.T) {
	lockdep.Reset()
	locks := make([]lockdep.Mutex, 20)
	var last lockdep.Mutex
	done := make(chan bool)
	go func() {
		defer close(done)
		for i := range locks {
			locks[i].Lock()
		}
		apart(func() {
			for i := range locks {
				locks[i].Unlock()
			}
		})
		last.Lock()
		held := 0
		for _, h := range lockdep.Snapshot().Held {
			if strings.Contains(h.Site.Func, "TestManyUnlockedByAnother") {
				held++
			}
		}
		if held != 1 {
			t.Errorf("%d locks are held, want the last one only", held)
		}
		last.Unlock()
	}()
	<-done
}
