// Measure runs one workload of the published tables and writes its figures as
// JSON. It is built and run by cmd/tables, in several forms: without the tag
// lockdep, with it, under -race, with an engine that the race detector
// instruments.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// A figure is one measured row. Times are nanoseconds for each operation.
type figure struct {
	Name   string             `json:"name"`
	CPU    float64            `json:"cpu"`  // user and system time of the process
	Wall   float64            `json:"wall"` // elapsed time
	Allocs float64            `json:"allocs"`
	Extra  map[string]float64 `json:"extra,omitempty"`
}

var workloads = map[string]func() []figure{
	"micro":    micro,
	"memory":   memory,
	"parallel": parallel,
	"http":     func() []figure { return []figure{once("http", httpServer)} },
	"pipeline": func() []figure { return []figure{once("pipeline", pipeline)} },
	"resource": resources,
	"counters": counterPlaces,
	"pool":     func() []figure { return []figure{once("pool", goroutines)} },
}

func main() {
	name := flag.String("w", "", "workload")
	flag.Parse()
	f := workloads[*name]
	if f == nil {
		fmt.Fprintf(os.Stderr, "measure: unknown workload %q\n", *name)
		os.Exit(2)
	}
	figures := f()
	for _, e := range lockdep.ReadStats().Events {
		if e.Count > 0 && len(figures) == 1 {
			if figures[0].Extra == nil {
				figures[0].Extra = map[string]float64{}
			}
			figures[0].Extra[e.Name] = float64(e.Count)
		}
	}
	json.NewEncoder(os.Stdout).Encode(figures)
}

// cpu returns the processor time of this process so far. On a machine that
// others use too it says more than the elapsed time.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// run measures n operations.
func run(name string, n int, f func(n int)) figure {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, w := cpu(), time.Now()
	f(n)
	c, e := cpu()-c, time.Since(w)
	runtime.ReadMemStats(&after)
	return figure{
		Name: name, CPU: float64(c) / float64(n), Wall: float64(e) / float64(n),
		Allocs: float64(after.Mallocs-before.Mallocs) / float64(n),
	}
}

// once measures a workload that says itself how much it does.
func once(name string, f func() int) figure {
	c, w := cpu(), time.Now()
	n := f()
	return figure{Name: name, CPU: float64(cpu()-c) / float64(n), Wall: float64(time.Since(w)) / float64(n)}
}

// A contender is one implementation in a comparison.
type contender struct {
	name  string
	n     int
	f     func(n int)
	setup func() (teardown func()) // not measured; may be nil
}

// compare runs the contenders in turn, several rounds, and returns the median
// of each.
func compare(rounds int, cs []contender) []figure {
	var out []figure
	all := make([][]figure, len(cs))
	for range rounds {
		for i, c := range cs {
			teardown := func() {}
			if c.setup != nil {
				teardown = c.setup()
			}
			all[i] = append(all[i], run(c.name, c.n, c.f))
			teardown()
		}
	}
	for _, fs := range all {
		slices.SortFunc(fs, func(a, b figure) int {
			if a.CPU < b.CPU {
				return -1
			}
			return 1
		})
		out = append(out, fs[len(fs)/2])
	}
	return out
}
