package lockdep_test

import (
	"io"
	"sync"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// What follows compiles with and without the tag only if the twins have the
// same signatures.
var (
	_ func(any, string)                             = lockdep.SetClass
	_ func(lockdep.Locker, ...lockdep.How)          = lockdep.Lock
	_ func(interface{ RLock() }, ...lockdep.How)    = lockdep.RLock
	_ func(int) lockdep.How                         = lockdep.Nested
	_ func(any) lockdep.How                         = lockdep.Under
	_ func(any)                                     = lockdep.AssertHeld
	_ func(any)                                     = lockdep.AssertRHeld
	_ func(any)                                     = lockdep.AssertNotHeld
	_ func(any) lockdep.Cookie                      = lockdep.Pin
	_ func(any, lockdep.Cookie)                     = lockdep.Unpin
	_ func() bool                                   = lockdep.Enabled
	_ func(string) error                            = lockdep.SetOptions
	_ func(...lockdep.Level) []lockdep.Report       = lockdep.Reports
	_ func()                                        = lockdep.Reset
	_ func(func(*lockdep.Report))                   = lockdep.OnReport
	_ func()                                        = lockdep.CheckGoroutines
	_ func() lockdep.Graph                          = lockdep.Snapshot
	_ func() lockdep.Stats                          = lockdep.ReadStats
	_ func(io.Writer) error                         = lockdep.WriteText
	_ func(io.Writer) error                         = lockdep.WriteJSON
	_ func(io.Writer) error                         = lockdep.WriteDOT
	_ func(io.Writer) error                         = lockdep.WriteDump
	_ func(lockdep.Locker) *lockdep.Cond            = lockdep.NewCond
	_ func(func()) func()                           = lockdep.OnceFunc
	_ func(func() int) func() int                   = lockdep.OnceValue[int]
	_ func(func() (int, error)) func() (int, error) = lockdep.OnceValues[int, error]

	_ func(string, lockdep.Kind) *lockdep.ResourceClass = lockdep.NewResourceClass
	_ func(*lockdep.ResourceClass, *lockdep.Resource)   = (*lockdep.ResourceClass).Init
	_ func(*lockdep.ResourceClass, bool)                = (*lockdep.ResourceClass).Track
	_ func(*lockdep.Resource, lockdep.Mode)             = (*lockdep.Resource).Acquire
	_ func(*lockdep.Resource, lockdep.Mode)             = (*lockdep.Resource).Acquired
	_ func(*lockdep.Resource)                           = (*lockdep.Resource).Release
	_ func(*lockdep.Resource)                           = (*lockdep.Resource).Wait
	_ func(*lockdep.Resource)                           = (*lockdep.Resource).Signal

	_ mutex   = (*lockdep.Mutex)(nil)
	_ mutex   = (*lockdep.MutexOf[int])(nil)
	_ rwmutex = (*lockdep.RWMutex)(nil)
	_ rwmutex = (*lockdep.RWMutexOf[int])(nil)
	_ group   = (*lockdep.WaitGroup)(nil)
	_ once    = (*lockdep.Once)(nil)
	_ cond    = (*lockdep.Cond)(nil)
	_         = lockdep.Cond{L: &lockdep.Mutex{}}
)

type mutex interface {
	Lock()
	Unlock()
	TryLock() bool
}

type rwmutex interface {
	mutex
	RLock()
	RUnlock()
	TryRLock() bool
	RLocker() sync.Locker
}

type group interface {
	Add(int)
	Done()
	Wait()
	Go(func())
}

type once interface{ Do(func()) }

type cond interface {
	Wait()
	Signal()
	Broadcast()
}

func TestMutexExcludes(t *testing.T) {
	var plain lockdep.Mutex
	var of lockdep.MutexOf[testing.T]
	var rw lockdep.RWMutex
	for _, mu := range []mutex{&plain, &of, &rw} {
		n := 0
		var wg lockdep.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 500 {
					mu.Lock()
					n++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if n != 4000 {
			t.Errorf("%T: %d increments of 4000 counted", mu, n)
		}
	}
}

func TestTryLock(t *testing.T) {
	var plain lockdep.Mutex
	var rw lockdep.RWMutexOf[int]
	for _, mu := range []mutex{&plain, &rw} {
		if !mu.TryLock() {
			t.Errorf("%T: TryLock of a free lock failed", mu)
		}
		if mu.TryLock() {
			t.Errorf("%T: TryLock of a held lock succeeded", mu)
		}
		mu.Unlock()
	}
}

func TestReadersShare(t *testing.T) {
	var rw lockdep.RWMutex
	rw.RLock()
	inside := make(chan bool)
	go func() {
		l := rw.RLocker()
		l.Lock()
		inside <- rw.TryLock()
		l.Unlock()
		inside <- rw.TryRLock()
		rw.RUnlock()
		close(inside)
	}()
	if <-inside {
		t.Error("write lock taken beside two readers")
	}
	if !<-inside {
		t.Error("TryRLock failed beside a reader")
	}
	<-inside
	rw.RUnlock()
	if !rw.TryLock() {
		t.Error("write lock not free after its readers left")
	}
	rw.Unlock()
}

func TestCondWakes(t *testing.T) {
	var mu lockdep.Mutex
	for _, c := range []*lockdep.Cond{lockdep.NewCond(&mu), {L: &mu}} {
		ready, woken := 0, make(chan bool)
		for range 3 {
			go func() {
				c.L.Lock()
				for ready == 0 {
					c.Wait()
				}
				c.L.Unlock()
				woken <- true
			}()
		}
		mu.Lock()
		ready = 1
		c.Signal()
		c.Broadcast()
		mu.Unlock()
		for range 3 {
			<-woken
		}
	}
}

func TestOnceRunsOnce(t *testing.T) {
	var o lockdep.Once
	n := 0
	for range 3 {
		func() {
			defer func() { recover() }()
			o.Do(func() { n++; panic("once") })
		}()
	}
	if n != 1 {
		t.Errorf("function ran %d times", n)
	}
}

func TestOnceFuncs(t *testing.T) {
	n := 0
	f := lockdep.OnceFunc(func() { n++ })
	f()
	f()
	v := lockdep.OnceValue(func() int { n++; return n })
	v()
	a, b := lockdep.OnceValues(func() (int, string) { return v(), "x" })()
	if n != 2 || a != 2 || b != "x" {
		t.Errorf("n=%d a=%d b=%q", n, a, b)
	}
	bad := lockdep.OnceFunc(func() { panic("bad") })
	for range 2 {
		func() {
			defer func() {
				if r := recover(); r != "bad" {
					t.Errorf("recovered %v", r)
				}
			}()
			bad()
		}()
	}
}

func TestWaitGroupWaits(t *testing.T) {
	var wg lockdep.WaitGroup
	var mu lockdep.Mutex
	n := 0
	wg.Add(2)
	for range 2 {
		go func() {
			defer wg.Done()
			mu.Lock()
			n++
			mu.Unlock()
		}()
	}
	wg.Wait()
	if n != 2 {
		t.Errorf("Wait returned after %d of 2", n)
	}
}

func TestAnnotatedLocksLock(t *testing.T) {
	var parent, child lockdep.Mutex
	var rw lockdep.RWMutex
	parent.Lock()
	lockdep.Lock(&child, lockdep.Under(&parent))
	lockdep.AssertHeld(&child)
	c := lockdep.Pin(&child)
	lockdep.RLock(&rw, lockdep.Nested(1))
	lockdep.AssertRHeld(&rw)
	if child.TryLock() || rw.TryLock() {
		t.Error("an annotated acquisition did not lock")
	}
	rw.RUnlock()
	lockdep.Unpin(&child, c)
	child.Unlock()
	parent.Unlock()
	lockdep.AssertNotHeld(&child)
}

func TestNestedRefusesLevels(t *testing.T) {
	for _, n := range []int{-1, 0, 16} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Nested(%d) did not panic", n)
				}
			}()
			lockdep.Nested(n)
		}()
	}
}
