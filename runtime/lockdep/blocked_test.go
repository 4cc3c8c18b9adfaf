//go:build lockdep

package lockdep_test

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

var global lockdep.Mutex

// until waits until one more goroutine is seen in a state in function fn.
func until(fn, state string) {
	buf := make([]byte, 1<<20)
	for {
		for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(g, "["+state) && strings.Contains(g, fn+"(") {
				return
			}
		}
		runtime.Gosched()
	}
}

func wantsGlobal() { global.Lock() }

func holdsAndWaits(mu *lockdep.Mutex, c chan bool) {
	mu.Lock()
	<-c
	mu.Unlock()
}

func needsToSignal(mu *lockdep.Mutex, c chan bool) {
	mu.Lock()
	close(c)
	mu.Unlock()
}

func holdsForAWhile(mu *lockdep.Mutex, locked, end chan bool) {
	mu.Lock()
	close(locked)
	<-end
	mu.Unlock()
}

func wantsForAWhile(mu *lockdep.Mutex) { mu.Lock(); mu.Unlock() }

// blockings leave goroutines behind, of which want are blocked for good.
var blockings = map[string]struct {
	want []string // state, and class or holds
	run  func() (end func())
}{
	"holder has ended": {
		want: []string{"sync.Mutex.Lock wants global lost"},
		run: func() func() {
			lockdep.SetClass(&global, "global")
			apart(func() { global.Lock() })
			go wantsGlobal()
			until("wantsGlobal", "sync.Mutex.Lock")
			return nil
		},
	},
	"holder comes back": {
		run: func() func() {
			mu, locked, end := named("mu"), make(chan bool), make(chan bool)
			go holdsForAWhile(mu, locked, end)
			<-locked
			go wantsForAWhile(mu)
			until("wantsForAWhile", "sync.Mutex.Lock")
			return func() { close(end) }
		},
	},
	"wait and lock": { // if the runtime can tell
		want: []string{"chan receive holds mu", "sync.Mutex.Lock wants mu"},
		run: func() func() {
			mu, c := named("mu"), make(chan bool)
			go holdsAndWaits(mu, c)
			until("holdsAndWaits", "chan receive")
			go needsToSignal(mu, c)
			until("needsToSignal", "sync.Mutex.Lock")
			return nil
		},
	},
}

func TestBlockedForGood(t *testing.T) {
	profile := pprof.Lookup("goroutineleak")
	if name := os.Getenv("LOCKDEP_TEST_BLOCKED"); name != "" {
		if profile != nil {
			lockdep.SetFindLeaked(func() { profile.WriteTo(io.Discard, 1) })
		}
		end := blockings[name].run()
		if err := lockdep.WriteDump(os.Stdout); err != nil {
			t.Error(err)
		}
		if end != nil {
			end()
		}
		return
	}
	for name, b := range blockings {
		t.Run(name, func(t *testing.T) {
			want := b.want
			if name == "wait and lock" && profile == nil {
				want = nil
			}
			out, status := child(t, "TestBlockedForGood", "LOCKDEP_TEST_BLOCKED="+name, "LOCKDEP=report=none,leaks=1")
			if status != 0 {
				t.Fatalf("exit status %d\n%s", status, out)
			}
			var got []string
			for _, m := range regexp.MustCompile(`(?m)^blocked\t(.*)$`).FindAllStringSubmatch(out, -1) {
				got = append(got, blockedLine(t, m[1]))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// blockedLine shortens a record of a dump.
func blockedLine(t *testing.T, record string) string {
	t.Helper()
	text, err := strconv.Unquote(record)
	if err != nil {
		t.Fatal(err)
	}
	var b struct {
		State, Wants string
		Lost         bool
		Holds        []struct{ Class string }
		Stack        []lockdep.Site
		CreatedBy    lockdep.Site
	}
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Stack) != 1 || b.Stack[0].Line == 0 || b.CreatedBy.Line == 0 || !strings.HasSuffix(b.Stack[0].File, "blocked_test.go") {
		t.Errorf("stack %v, created by %v, want one function of this file", b.Stack, b.CreatedBy)
	}
	line := b.State
	if b.Wants != "" {
		line += " wants " + b.Wants
	}
	if b.Lost {
		line += " lost"
	}
	for _, h := range b.Holds {
		line += " holds " + h.Class
	}
	return line
}
