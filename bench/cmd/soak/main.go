// Soak runs 10,000 goroutines that take locks of 1,000 classes in a random
// legal order, and watches that nothing is reported and memory stays flat. With
// -invert one goroutine takes two locks the other way round, once; that must
// be found.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

var (
	duration = flag.Duration("for", time.Minute, "how long")
	invert   = flag.Bool("invert", false, "plant one inversion")
	workers  = flag.Int("goroutines", 10000, "goroutines")
	nclasses = flag.Int("classes", 1000, "lock classes")
)

func main() {
	flag.Parse()
	if !lockdep.Enabled() {
		fmt.Fprintln(os.Stderr, "soak: build with -tags lockdep")
		os.Exit(2)
	}
	locks := make([]lockdep.Mutex, *nclasses)
	for i := range locks {
		lockdep.SetClass(&locks[i], fmt.Sprintf("class %d", i))
	}
	var reports atomic.Int64
	lockdep.OnReport(func(r *lockdep.Report) {
		if reports.Add(1) <= 3 {
			fmt.Print(r)
		}
	})
	var stop atomic.Bool
	var ops atomic.Int64
	var wg sync.WaitGroup
	for g := range *workers {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(g), 1))
			for !stop.Load() {
				n := 1 + rnd.IntN(4)
				picks := make([]int, n)
				for i := range picks {
					picks[i] = rnd.IntN(len(locks))
				}
				slices.Sort(picks)
				picks = slices.Compact(picks)
				for _, i := range picks {
					locks[i].Lock()
				}
				for _, i := range picks {
					locks[i].Unlock()
				}
				ops.Add(int64(len(picks)))
				runtime.Gosched()
			}
		})
	}
	var early, late uint64
	start := time.Now()
	for tick := 1; tick <= 10; tick++ {
		time.Sleep(*duration / 10)
		if tick == 5 && *invert {
			go func() {
				locks[900%len(locks)].Lock()
				locks[100%len(locks)].Lock()
				locks[100%len(locks)].Unlock()
				locks[900%len(locks)].Unlock()
			}()
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		if tick == 3 {
			early = m.HeapAlloc
		}
		late = m.HeapAlloc
		s := lockdep.ReadStats()
		fmt.Printf("%5.1fs %12d lock operations, heap %6.1f MB, %d records, full: %v, reports: %d\n",
			time.Since(start).Seconds(), ops.Load(), float64(m.HeapAlloc)/1e6, s.Records, s.Full, reports.Load())
	}
	stop.Store(true)
	wg.Wait()
	found := len(lockdep.Reports())
	fmt.Printf("reports: %d, heap from 3/10 to the end: %+.1f MB\n", found, (float64(late)-float64(early))/1e6)
	if (found > 0) != *invert {
		os.Exit(1)
	}
}
