package lockdep_test

import (
	"sync"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// Comparisons with peers and the published tables are made in bench/.

func BenchmarkLockUnlock(b *testing.B) {
	b.Run("sync", func(b *testing.B) {
		m := new(sync.Mutex)
		for b.Loop() {
			m.Lock()
			m.Unlock()
		}
	})
	b.Run("lockdep", func(b *testing.B) {
		m := new(lockdep.Mutex)
		b.ReportAllocs()
		for b.Loop() {
			m.Lock()
			m.Unlock()
		}
	})
}

func BenchmarkThreeNested(b *testing.B) {
	var l [3]lockdep.Mutex
	for i := range l {
		lockdep.SetClass(&l[i], string(rune('a'+i)))
	}
	b.ReportAllocs()
	for b.Loop() {
		l[0].Lock()
		l[1].Lock()
		l[2].Lock()
		l[2].Unlock()
		l[1].Unlock()
		l[0].Unlock()
	}
}

func BenchmarkRLockRUnlock(b *testing.B) {
	m := new(lockdep.RWMutex)
	b.ReportAllocs()
	for b.Loop() {
		m.RLock()
		m.RUnlock()
	}
}

func BenchmarkGoroutineWithLock(b *testing.B) {
	m := new(lockdep.Mutex)
	done := make(chan bool)
	for b.Loop() {
		go func() {
			m.Lock()
			m.Unlock()
			done <- true
		}()
		<-done
	}
}
