package lockdep_test

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

func TestSizes(t *testing.T) {
	for _, s := range []struct {
		name          string
		ours, theirs  uintptr
		beyond, exact uintptr // with the tag, and without
	}{
		{"Mutex", unsafe.Sizeof(lockdep.Mutex{}), unsafe.Sizeof(sync.Mutex{}), 16, 0},
		{"MutexOf", unsafe.Sizeof(lockdep.MutexOf[int]{}), unsafe.Sizeof(sync.Mutex{}), 16, 0},
		{"RWMutex", unsafe.Sizeof(lockdep.RWMutex{}), unsafe.Sizeof(sync.RWMutex{}), 16, 0},
		{"WaitGroup", unsafe.Sizeof(lockdep.WaitGroup{}), unsafe.Sizeof(sync.WaitGroup{}), 16, 0},
		{"Once", unsafe.Sizeof(lockdep.Once{}), unsafe.Sizeof(sync.Once{}), 20, 0}, // 16 and padding
		{"Resource", unsafe.Sizeof(lockdep.Resource{}), 0, 8, 0},
	} {
		most := s.exact
		if lockdep.Enabled() {
			most = s.beyond
		}
		if s.ours > s.theirs+most {
			t.Errorf("%s: %d bytes, sync's has %d", s.name, s.ours, s.theirs)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	var a, b lockdep.Mutex
	var rw lockdep.RWMutex
	var o lockdep.Once
	var wg lockdep.WaitGroup
	f := func() {}
	use := func() {
		a.Lock()
		b.Lock()
		rw.RLock()
		o.Do(f)
		wg.Add(1)
		wg.Done()
		rw.RUnlock()
		b.Unlock()
		a.Unlock()
	}
	use()
	if n := testing.AllocsPerRun(100, use); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
