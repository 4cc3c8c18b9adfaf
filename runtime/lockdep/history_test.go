//go:build lockdep

package lockdep_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// A lock of an earlier iteration is no evidence, but is remembered where that
// is asked for.
func TestHistory(t *testing.T) {
	if os.Getenv("LOCKDEP_TEST_HISTORY") != "" {
		earlierIteration()
		if got := lockdep.Reports(lockdep.Weak, lockdep.Medium, lockdep.Strong); len(got) > 0 {
			t.Errorf("got %d reports, want none", len(got))
		}
		if err := lockdep.WriteDump(os.Stdout); err != nil {
			t.Error(err)
		}
		return
	}
	record := regexp.MustCompile(`(?m)^pair(\t\d+){4}\tearlier->write\t`)
	for options, want := range map[string]bool{"history=1": true, "history=0": false} {
		out, status := child(t, "TestHistory", "LOCKDEP_TEST_HISTORY=1", "LOCKDEP=report=none,"+options)
		if status != 0 {
			t.Fatalf("%s: exit status %d\n%s", options, status, out)
		}
		if got := record.MatchString(out); got != want {
			t.Errorf("%s: an earlier lock in the dump: %v, want %v\n%s", options, got, want, out)
		}
	}
}

// earlierIteration is the classic: a loop that locks in one turn and ends in
// another, and a stop that waits for it under the lock.
func earlierIteration() {
	var mu lockdep.Mutex
	var done, turn lockdep.WaitGroup
	done.Add(1)
	turn.Add(1)
	worked, stopped := make(chan bool), make(chan bool)
	go func() {
		nest(&mu)
		close(worked)
		turn.Wait()
		done.Done()
	}()
	<-worked
	go func() {
		mu.Lock()
		turn.Done()
		done.Wait()
		mu.Unlock()
		close(stopped)
	}()
	<-stopped
}
