package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// resources locks 1,000,000 pages in one goroutine and unlocks them in
// another, with three settings of two classes.
func resources() []figure {
	var out []figure
	const n = 1000000
	for _, s := range []struct {
		name      string
		all, some bool
	}{{"off", false, false}, {"on", true, true}, {"one class of ten", false, true}} {
		var classes [10]*lockdep.ResourceClass
		for i := range classes {
			classes[i] = lockdep.NewResourceClass(fmt.Sprintf("page %s %d", s.name, i), lockdep.Handoff)
			classes[i].Track(s.all || s.some && i == 0)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		pages := make([]lockdep.Resource, n)
		f := compare(3, []contender{{s.name, n, func(n int) {
			for i := range pages {
				classes[i%10].Init(&pages[i])
			}
			locked := make(chan *lockdep.Resource, 1024)
			go func() {
				for i := range pages {
					pages[i].Acquire(lockdep.Exclusive)
					locked <- &pages[i]
				}
				close(locked)
			}()
			var mu lockdep.Mutex
			for p := range locked {
				mu.Lock() // the end of the input needs a lock
				mu.Unlock()
				p.Release()
			}
		}, nil}})[0]
		runtime.GC()
		runtime.ReadMemStats(&after)
		f.Extra = map[string]float64{"bytes per page": float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / n}
		runtime.KeepAlive(pages)
		out = append(out, f)
	}
	return out
}

// counterPlaces takes one contended lock, with the bookkeeping of a lock
// checker at four places: a counter that is shared or one for each processor,
// inside the critical section or outside.
func counterPlaces() []figure {
	var out []figure
	type padded struct {
		n atomic.Int64
		_ [56]byte
	}
	var shared atomic.Int64
	var shards [64]padded
	for _, procs := range []int{1, 2, 4, 8} {
		runtime.GOMAXPROCS(procs)
		contend := func(inside, sharded bool) func(int) {
			return func(n int) {
				var mu sync.Mutex
				value := 0
				var wg sync.WaitGroup
				for g := range 2 * procs {
					wg.Go(func() {
						note := func() {
							c := &shared
							if sharded {
								c = &shards[g%64].n
							}
							for range 4 { // class, chain, hold and release are counted
								c.Add(1)
							}
						}
						for range n / (2 * procs) {
							if !inside {
								note()
							}
							mu.Lock()
							if inside {
								note()
							}
							value++
							mu.Unlock()
						}
					})
				}
				wg.Wait()
			}
		}
		const n = 200000
		out = append(out, compare(7, []contender{
			{fmt.Sprintf("shared inside %d", procs), n, contend(true, false), nil},
			{fmt.Sprintf("shared outside %d", procs), n, contend(false, false), nil},
			{fmt.Sprintf("sharded inside %d", procs), n, contend(true, true), nil},
			{fmt.Sprintf("sharded outside %d", procs), n, contend(false, true), nil},
		})...)
	}
	return out
}

// goroutines starts 64 at a time that take a lock each.
func goroutines() int {
	const n, width = 300000, 64
	var mu [width]lockdep.Mutex
	for range n / width {
		var wg sync.WaitGroup
		for i := range width {
			wg.Go(func() {
				mu[i].Lock()
				runtime.Gosched()
				mu[i].Unlock()
			})
		}
		wg.Wait()
	}
	return n / width * width
}
