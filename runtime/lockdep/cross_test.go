//go:build lockdep

package lockdep_test

import (
	"strings"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

func TestWaitGroupUnderLock(t *testing.T) {
	for _, first := range []string{"worker", "stop"} {
		lockdep.Reset()
		var mu lockdep.Mutex
		var wg lockdep.WaitGroup
		wg.Add(1)
		worker := func() { nest(&mu); wg.Done() }
		stop := func() { mu.Lock(); wg.Wait(); mu.Unlock() }
		if first == "worker" {
			apart(worker)
			apart(stop)
		} else {
			// The worker is past the lock when the stop begins, as far as the
			// schedule goes, but signals only while stop waits.
			locked, stopped := make(chan bool), make(chan bool)
			go func() { nest(&mu); close(locked); <-locked; wg.Done() }()
			<-locked
			go func() { stop(); close(stopped) }()
			<-stopped
		}
		r := found(t, lockdep.Strong, lockdep.CategoryWaitHeld)
		if len(r) == 1 && !strings.HasPrefix(r[0].Message, "wait under lock: waits for ") {
			t.Errorf("message %q", r[0].Message)
		}
	}
}

func TestLockBeforeBirthDoesNotCount(t *testing.T) {
	lockdep.Reset()
	var mu lockdep.Mutex
	var wg lockdep.WaitGroup
	work, end := make(chan bool), make(chan bool)
	go func() {
		nest(&mu) // in another iteration, before there was anything to wait for
		work <- true
		<-work
		wg.Done()
		close(end)
	}()
	<-work
	mu.Lock()
	wg.Add(1)
	work <- true
	wg.Wait()
	mu.Unlock()
	<-end
	found(t, lockdep.Strong)
}

// A goroutine that joins a group owes the signal from then on.
func TestLockBeforeOwnAdd(t *testing.T) {
	for needs, want := range map[string]bool{"before": false, "after": true} {
		lockdep.Reset()
		var mu lockdep.Mutex
		var wg lockdep.WaitGroup
		wg.Add(1)
		apart(func() {
			if needs == "before" {
				nest(&mu)
			}
			wg.Add(1)
			if needs == "after" {
				nest(&mu)
			}
			wg.Done()
		})
		wg.Done()
		apart(func() { mu.Lock(); wg.Wait(); mu.Unlock() })
		if want {
			found(t, lockdep.Strong, lockdep.CategoryWaitHeld)
		} else {
			found(t, lockdep.Strong)
		}
	}
}

func TestOwnWaitEndsIteration(t *testing.T) {
	lockdep.Reset()
	var mu lockdep.Mutex
	var work, done lockdep.WaitGroup
	work.Add(1)
	done.Add(1)
	apart(func() { work.Done() })
	apart(func() {
		nest(&mu)
		work.Wait() // a new iteration begins
		done.Done()
	})
	apart(func() { mu.Lock(); done.Wait(); mu.Unlock() })
	found(t, lockdep.Strong)
}

func TestSignalerThatNeedsNoLock(t *testing.T) {
	lockdep.Reset()
	var mu, other lockdep.Mutex
	nest(&other)
	var wg lockdep.WaitGroup
	wg.Add(1)
	apart(func() { nest(&other); wg.Done(); nest(&mu) })
	apart(func() { mu.Lock(); wg.Wait(); mu.Unlock() })
	found(t, lockdep.Strong)
}

func TestWaiterAlsoSignals(t *testing.T) {
	lockdep.Reset()
	var mu lockdep.Mutex
	var wg lockdep.WaitGroup
	wg.Add(1)
	nest(&mu)
	wg.Done()
	mu.Lock()
	wg.Wait()
	mu.Unlock()
	found(t, lockdep.Strong)
	found(t, lockdep.Medium)
}

func TestCondUnderOtherLock(t *testing.T) {
	lockdep.Reset()
	var outer, mu lockdep.Mutex
	nest(&outer)
	c := lockdep.NewCond(&mu)
	waiting := make(chan bool)
	ok := false
	go func() {
		outer.Lock()
		mu.Lock()
		for !ok {
			waiting <- true
			c.Wait()
		}
		mu.Unlock()
		outer.Unlock()
		close(waiting)
	}()
	<-waiting
	mu.Lock() // given up by Wait
	ok = true
	c.Signal()
	mu.Unlock()
	<-waiting
	found(t, lockdep.Strong)
	// A signaller that needs the outer lock could not have come.
	apart(func() { outer.Lock(); mu.Lock(); c.Signal(); mu.Unlock(); outer.Unlock() })
	found(t, lockdep.Strong, lockdep.CategoryWaitHeld)
}

func TestCondOnRLocker(t *testing.T) {
	lockdep.Reset()
	var rw lockdep.RWMutex
	c := lockdep.NewCond(rw.RLocker())
	waiting, ok := make(chan bool), false
	go func() {
		c.L.Lock()
		for !ok {
			waiting <- true
			c.Wait()
			lockdep.AssertRHeld(&rw)
		}
		c.L.Unlock()
		close(waiting)
	}()
	<-waiting
	rw.Lock()
	ok = true
	c.Broadcast()
	rw.Unlock()
	<-waiting
	found(t, lockdep.Strong)
}

func TestOnceAsLock(t *testing.T) {
	lockdep.Reset()
	var mu lockdep.Mutex
	var o lockdep.Once
	apart(func() { o.Do(func() { nest(&mu) }) })
	apart(func() { mu.Lock(); o.Do(func() {}); mu.Unlock() })
	found(t, lockdep.Strong, lockdep.CategoryInversion)
}

var (
	pages  = lockdep.NewResourceClass("page", lockdep.Handoff)
	rows   = lockdep.NewResourceClass("row", lockdep.Owned)
	events = lockdep.NewResourceClass("event", lockdep.Handoff)
)

func TestOwnedResources(t *testing.T) {
	lockdep.Reset()
	var a, b lockdep.Resource
	rows.Init(&a)
	rows.Init(&b)
	take := func(x, y *lockdep.Resource) {
		x.Acquire(lockdep.Exclusive)
		y.Acquire(lockdep.Exclusive)
		y.Release()
		x.Release()
	}
	apart(func() { take(&a, &b) })
	found(t, lockdep.Strong)
	apart(func() { take(&b, &a) })
	found(t, lockdep.Strong, lockdep.CategoryNesting)
}

func TestOwnedResourceReleasedElsewhere(t *testing.T) {
	lockdep.Reset()
	var a lockdep.Resource
	rows.Init(&a)
	for range 3 {
		a.Acquire(lockdep.Exclusive)
		apart(a.Release)
	}
	for _, h := range lockdep.Snapshot().Held {
		if h.Class == "row" {
			t.Errorf("still held: %+v", h)
		}
	}
	found(t, lockdep.Strong)
}

func TestPageLock(t *testing.T) {
	lockdep.Reset()
	var page lockdep.Resource
	pages.Init(&page)
	var mu lockdep.Mutex
	page.Acquire(lockdep.Exclusive)
	apart(func() { nest(&mu); page.Release() }) // the end of the input needs mu
	apart(func() { mu.Lock(); page.Acquire(lockdep.Exclusive); mu.Unlock() })
	found(t, lockdep.Strong, lockdep.CategoryWaitHeld)
}

func TestEventResource(t *testing.T) {
	lockdep.Reset()
	var done lockdep.Resource // stands for a channel that is closed
	events.Init(&done)
	var mu lockdep.Mutex
	apart(func() { nest(&mu); done.Signal() })
	apart(func() { mu.Lock(); done.Wait(); mu.Unlock() })
	found(t, lockdep.Strong, lockdep.CategoryWaitHeld)
}

func TestResourceClassSwitchedOff(t *testing.T) {
	lockdep.Reset()
	off := lockdep.NewResourceClass("off", lockdep.Handoff)
	off.Track(false)
	var done lockdep.Resource
	off.Init(&done)
	var mu lockdep.Mutex
	apart(func() { nest(&mu); done.Signal() })
	apart(func() { mu.Lock(); done.Wait(); mu.Unlock() })
	found(t, lockdep.Strong)
	off.Track(true)
	off.Init(&done)
	apart(func() { nest(&mu); done.Signal() })
	apart(func() { mu.Lock(); done.Wait(); mu.Unlock() })
	found(t, lockdep.Strong, lockdep.CategoryWaitHeld)
}
