//go:build lockdep

package lockdep_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// provocations are programs that could deadlock and do not by themselves: each
// goroutine begins when the one before it has ended, or is held.
var provocations = map[string]struct {
	plan string
	want string // in the output; "" for a program that ends well
	run  func()
}{
	"inversion": {
		plan: "\"a\" \"b\"\n\"b\" \"a\"\n",
		want: "deadlock: 2 goroutines wait for each other's locks",
		run: func() {
			a, b := named("a"), named("b")
			inTurn(func() { nest(a, b) }, func() { nest(b, a) })
		},
	},
	"one side": {
		plan: "\"b\" \"a\"\n",
		want: "deadlock: 2 goroutines wait for each other's locks",
		run: func() {
			a, b := named("a"), named("b")
			inTurn(func() { nest(b, a) }, func() { nest(a, b) })
		},
	},
	"ring of three": {
		plan: "\"a\" \"b\"\n\"b\" \"c\"\n\"c\" \"a\"\n",
		want: "deadlock: 3 goroutines wait for each other's locks",
		run: func() {
			a, b, c := named("a"), named("b"), named("c")
			inTurn(func() { nest(a, b) }, func() { nest(b, c) }, func() { nest(c, a) })
		},
	},
	"read lock taken again": {
		plan: "\"r\" \"r\"\n",
		want: "deadlock: r is read-held by a goroutine that read-locks it again, behind a writer that waits for it",
		run: func() {
			r := namedRW("r")
			inTurn(func() { readLocksOnceMore(r, 2) }, func() { nest(r) })
		},
	},
	"gate": {
		plan: "\"a\" \"b\"\n\"b\" \"a\"\n",
		run: func() {
			gate, a, b := named("gate"), named("a"), named("b")
			inTurn(func() { nest(gate, a, b) }, func() { nest(gate, b, a) })
		},
	},
	"readers": {
		plan: "\"a\" \"r\"\n\"r\" \"a\"\n",
		run: func() {
			a, r := namedRW("a"), namedRW("r")
			inTurn(func() { nest(a.RLocker(), r.RLocker()) }, func() { nest(r.RLocker(), a.RLocker()) })
		},
	},
	"other classes": {
		plan: "\"x\" \"y\"\n",
		run: func() {
			a, b := named("a"), named("b")
			inTurn(func() { nest(a, b) }, func() { nest(b, a) })
		},
	},
}

func named(class string) *lockdep.Mutex {
	m := new(lockdep.Mutex)
	lockdep.SetClass(m, class)
	return m
}

func namedRW(class string) *lockdep.RWMutex {
	m := new(lockdep.RWMutex)
	lockdep.SetClass(m, class)
	return m
}

// inTurn runs all of them, each in a goroutine of its own, which begins when the
// one before it has ended, or is held.
func inTurn(runs ...func()) {
	var wg sync.WaitGroup
	for _, f := range runs {
		before := holds()
		var ended atomic.Bool
		wg.Go(func() {
			defer ended.Store(true)
			f()
		})
		for !ended.Load() && holds() == before {
			runtime.Gosched()
		}
	}
	wg.Wait()
}

// holds returns how many goroutines were held so far.
func holds() uint64 {
	for _, e := range lockdep.ReadStats().Events {
		if e.Name == "provoke hold" {
			return e.Count
		}
	}
	panic("no such event")
}

func TestProvoke(t *testing.T) {
	if name := os.Getenv("LOCKDEP_TEST_PROVOKE"); name != "" {
		if err := lockdep.SetOptions("report=deadlock"); err != nil {
			t.Fatal(err)
		}
		provocations[name].run()
		return
	}
	for name, p := range provocations {
		t.Run(name, func(t *testing.T) {
			if out, status := provoked(t, name, "seed=1"); status != 0 || strings.Contains(out, "deadlock") {
				t.Fatalf("without a plan: exit status %d, want the program to end well\n%s", status, out)
			}
			plan := filepath.Join(t.TempDir(), "plan")
			if err := os.WriteFile(plan, []byte("lockvet provoke 1\n"+p.plan), 0o666); err != nil {
				t.Fatal(err)
			}
			options := "seed=1,provoke=" + plan
			if p.want != "" {
				options += ",hold=1m" // it ends as soon as the others have come
			}
			out, status := provoked(t, name, options)
			if p.want == "" {
				if status != 0 || strings.Contains(out, "deadlock") {
					t.Errorf("exit status %d, want the program to end well\n%s", status, out)
				}
				return
			}
			if status != 66 || !strings.Contains(out, p.want) {
				t.Errorf("exit status %d, want 66 and %q\n%s", status, p.want, out)
			}
			// Each goroutine with its stack, down to the function literal that
			// it began with.
			if n := strings.Count(out, "lockdep_test.init.func"); n < 2 {
				t.Errorf("%d stacks, want that of each goroutine\n%s", n, out)
			}
		})
	}
}

// provoked runs a program in a process of its own.
func provoked(t *testing.T, name, options string) (out string, status int) {
	t.Helper()
	return child(t, "TestProvoke", "LOCKDEP_TEST_PROVOKE="+name, "LOCKDEP=report=deadlock,stats=1,"+options)
}

func TestPlan(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"":                                "not a plan",
		"lockvet sites 1\n":               "not a plan",
		"lockvet provoke 1\n\"a\"\n":      "want two quoted names of classes, or",
		"lockvet provoke 1\na b\n":        "want two quoted names of classes, or",
		"lockvet provoke 1\n\"a\" \"b\"x": "want two quoted names of classes, or",
	} {
		plan := filepath.Join(dir, "plan")
		if err := os.WriteFile(plan, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		out, status := provoked(t, "gate", "provoke="+plan)
		if status != 0 || !strings.Contains(out, "option provoke: ") || !strings.Contains(out, want) {
			t.Errorf("plan %q: exit status %d, output %q, want it to be ignored: %s", text, status, out, want)
		}
	}
}
