package main

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"unsafe"

	linkdata "github.com/linkdata/deadlock"
	sasha "github.com/sasha-s/go-deadlock"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

type locker[M any] interface {
	*M
	Lock()
	Unlock()
}

func init() {
	sasha.Opts.LogBuf = io.Discard
	sasha.Opts.OnPotentialDeadlock = func() {}
}

// pair locks and unlocks one mutex n times.
func pair[M any, P locker[M]](n int) {
	m := P(new(M))
	for range n {
		m.Lock()
		m.Unlock()
	}
}

func nested[M any, P locker[M]](n int) {
	var l [3]P
	for i := range l {
		l[i] = new(M)
	}
	for range n {
		l[0].Lock()
		l[1].Lock()
		l[2].Lock()
		l[2].Unlock()
		l[1].Unlock()
		l[0].Unlock()
	}
}

// crowd makes another goroutine hold 1,000 mutexes.
func crowd[M any, P locker[M]]() (teardown func()) {
	hold, release := make(chan bool), make(chan bool)
	go func() {
		others := make([]M, 1000)
		for i := range others {
			P(&others[i]).Lock()
		}
		hold <- true
		<-release
		for i := range others {
			P(&others[len(others)-1-i]).Unlock()
		}
		hold <- true
	}()
	<-hold
	return func() {
		release <- true
		<-hold
	}
}

// goroutineEach starts a goroutine that takes one lock, n times.
func goroutineEach[M any, P locker[M]](n int) {
	m := P(new(M))
	done := make(chan bool)
	f := func() {
		m.Lock()
		m.Unlock()
		done <- true
	}
	for range n {
		go f()
		<-done
	}
}

func micro() []figure {
	runtime.GOMAXPROCS(1)
	const rounds = 15
	var out []figure
	for _, w := range []struct {
		name       string
		fast, slow int // operations for sync and lockdep, and for the others
		sync       func(int)
		lockdep    func(int)
		sasha      func(int)
		linkdata   func(int)
		crowded    bool
	}{
		{"pair", 400000, 20000, pair[sync.Mutex], pair[lockdep.Mutex], pair[sasha.Mutex], pair[linkdata.DeadlockMutex], false},
		{"three", 200000, 4000, nested[sync.Mutex], nested[lockdep.Mutex], nested[sasha.Mutex], nested[linkdata.DeadlockMutex], false},
		{"crowded", 400000, 2000, pair[sync.Mutex], pair[lockdep.Mutex], pair[sasha.Mutex], pair[linkdata.DeadlockMutex], true},
		{"goroutine", 50000, 10000, goroutineEach[sync.Mutex], goroutineEach[lockdep.Mutex], goroutineEach[sasha.Mutex], goroutineEach[linkdata.DeadlockMutex], false},
	} {
		cs := []contender{
			{w.name + " sync", w.fast, w.sync, nil},
			{w.name + " lockdep", w.fast, w.lockdep, nil},
			{w.name + " go-deadlock", w.slow, w.sasha, nil},
			{w.name + " linkdata", w.slow, w.linkdata, nil},
		}
		if w.crowded {
			cs[0].setup = crowd[sync.Mutex]
			cs[1].setup = crowd[lockdep.Mutex]
			cs[2].setup = crowd[sasha.Mutex]
			cs[3].setup = crowd[linkdata.DeadlockMutex]
		}
		out = append(out, compare(rounds, cs)...)
	}
	return out
}

// parallel takes own locks on all processors.
func parallel() []figure {
	var out []figure
	for _, procs := range []int{1, 2, 4, 8} {
		runtime.GOMAXPROCS(procs)
		const n = 2000000
		out = append(out, compare(7, []contender{
			{fmt.Sprintf("sync %d", procs), n, func(n int) { spread(procs, n, pair[sync.Mutex]) }, nil},
			{fmt.Sprintf("lockdep %d", procs), n, func(n int) { spread(procs, n, pair[lockdep.Mutex]) }, nil},
		})...)
	}
	return out
}

func spread(procs, n int, f func(int)) {
	var wg sync.WaitGroup
	for range procs {
		wg.Go(func() { f(n / procs) })
	}
	wg.Wait()
}

// memory measures what tracked locks and idle goroutines cost.
func memory() []figure {
	var out []figure
	add := func(name string, bytes float64) {
		out = append(out, figure{Name: name, Extra: map[string]float64{"bytes": bytes}})
	}
	add("Mutex", float64(unsafe.Sizeof(lockdep.Mutex{})-unsafe.Sizeof(sync.Mutex{})))
	add("RWMutex", float64(unsafe.Sizeof(lockdep.RWMutex{})-unsafe.Sizeof(sync.RWMutex{})))
	add("WaitGroup", float64(unsafe.Sizeof(lockdep.WaitGroup{})-unsafe.Sizeof(sync.WaitGroup{})))
	add("Once", float64(unsafe.Sizeof(lockdep.Once{})-unsafe.Sizeof(sync.Once{})))
	add("Resource", float64(unsafe.Sizeof(lockdep.Resource{})))

	// The engine's memory is looked at from outside: heap before and after.
	const n = 10000
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	park := func(use func()) float64 {
		stop, ready := make(chan bool), make(chan bool)
		before := heap()
		for range n {
			go func() { use(); ready <- true; <-stop }()
		}
		for range n {
			<-ready
		}
		after := heap()
		close(stop)
		return (after - before) / n
	}
	park(func() {}) // the runtime's own goroutine records stay
	plain := park(func() {})
	add("goroutine without locks", park(func() {})-plain)
	m := new(lockdep.Mutex)
	add("goroutine that has taken a lock", park(func() { m.Lock(); m.Unlock() })-plain)

	before := heap()
	locks := make([]lockdep.Mutex, 1000000)
	for i := range locks {
		locks[i].Lock()
		locks[i].Unlock()
	}
	add("each of 1,000,000 locks, beyond sync's", (heap()-before)/1e6-8)
	runtime.KeepAlive(locks)
	return out
}
