package core

import (
	"runtime"
	"strings"
	"testing"
)

// slowly runs f with the forms that platforms without assembly use.
func slowly(f func()) {
	offset, mode := goidOffset, callerMode
	goidOffset, callerMode = 0, callerSlow
	defer func() { goidOffset, callerMode = offset, mode }()
	f()
}

func TestSelfCheck(t *testing.T) {
	startForTest()
	if !haveAsm {
		t.Skip("no assembly here")
	}
	if goidOffset == 0 || callerMode != callerFast {
		t.Errorf("the fast forms do not work here: offset %d, mode %d", goidOffset, callerMode)
	}
	keys := map[uintptr]uint64{}
	done := make(chan bool)
	for range 100 {
		go func() {
			key, goid := whoami()
			if slow := slowGoid(); goid != slow {
				t.Errorf("goroutine id %d, the stack says %d", goid, slow)
			}
			keys[key] = goid
			done <- true
		}()
		<-done
	}
}

func TestIDAcrossStackGrowth(t *testing.T) {
	startForTest()
	key, goid := whoami()
	deep(1000)
	if k, g := whoami(); k != key || g != goid {
		t.Errorf("goroutine changed from %x %d to %x %d", key, goid, k, g)
	}
}

//go:noinline
func deep(n int) int {
	var pad [256]byte
	if n == 0 {
		runtime.Gosched()
		return 0
	}
	return deep(n-1) + int(pad[n%256])
}

func TestWalkAgreesWithCallers(t *testing.T) {
	startForTest()
	if callerMode != callerFast {
		t.Skip("stacks are runtime.Callers's own here")
	}
	for _, n := range []int{1, 3, 20} {
		fast, slow := stacksAt(n)
		if f, s := frames(fast), frames(slow); f != s || f != n+1 {
			t.Errorf("%d and %d frames at depth %d", f, s, n)
		}
	}
}

// frames counts the frames of stacksAt.
func frames(pcs []uintptr) (n int) {
	for frames := runtime.CallersFrames(pcs); ; {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, ".stacksAt") {
			n++
		}
		if !more {
			return n
		}
	}
}

//go:noinline
func stacksAt(n int) (fast, slow []uintptr) {
	if n > 0 {
		fast, slow = stacksAt(n - 1)
		return fast, slow
	}
	fast, slow = make([]uintptr, 64), make([]uintptr, 64)
	fast = fast[:walkStack(fast)]
	slow = slow[:runtime.Callers(1, slow)]
	return fast, slow
}

func TestSlowPlatform(t *testing.T) {
	startForTest()
	slowly(func() {
		seed := uint64(7)
		for range 200 {
			trace := make([]byte, 8+seed%53)
			for i := range trace {
				seed = mix(seed, uint64(i))
				trace[i] = byte(seed >> 24)
			}
			trace[0] |= 1 // locks only
			checkTrace(t, trace)
		}
	})
}

func slotsUsed() (n int) {
	for i := range segments {
		if p := segments[i].Load(); p != nil {
			for j := range *p {
				if k := (*p)[j].key.Load(); k != 0 && k != tombstone {
					n++
				}
			}
		}
	}
	return n
}

// TestSlowPlatformGivesSlotsBack runs more goroutines than the table has room
// for, one after the other.
func TestSlowPlatformGivesSlotsBack(t *testing.T) {
	startForTest()
	slowly(func() {
		before, slots := recordsMade.Load(), slotsUsed()
		var l Lock
		l.Init(ClassByName("slow", 0))
		done := make(chan bool)
		for range 3 << firstSegment {
			go func() {
				l.Acquired(Acquire(&l, Write, 1, 0))
				Release(&l, Write, l.Releasing(1))
				done <- true
			}()
			<-done
		}
		if used := slotsUsed() - slots; used > 100 {
			t.Errorf("%d slots for goroutines that came one after the other", used)
		}
		if made := recordsMade.Load() - before; made > 10 {
			t.Errorf("%d records for goroutines that came one after the other", made)
		}
	})
}
