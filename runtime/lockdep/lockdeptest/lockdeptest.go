// Package lockdeptest makes tests fail for what package lockdep found while
// they ran: order inversions, waits under a lock that the signaller needs,
// goroutines that ended with a lock held, and the rest. The tests must be
// built with -tags lockdep; without it nothing is tracked and nothing fails.
//
// Either call VerifyNone at the end of a test, or VerifyTestMain from TestMain
// for all tests of a package:
//
//	func TestMain(m *testing.M) { lockdeptest.VerifyTestMain(m) }
package lockdeptest

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// An Option changes what counts.
type Option func(*config)

type config struct {
	levels []lockdep.Level
	ignore map[string]bool
}

// AtLeast makes reports of the given level and better count. By default it is
// strong ones.
func AtLeast(least lockdep.Level) Option {
	return func(c *config) {
		c.levels = nil
		for l := least; l <= lockdep.Strong; l++ {
			c.levels = append(c.levels, l)
		}
	}
}

// Ignore makes reports with the given IDs or categories not count.
func Ignore(what ...string) Option {
	return func(c *config) {
		for _, w := range what {
			c.ignore[w] = true
		}
	}
}

// blamed are reports that some test has failed for already.
var blamed struct {
	sync.Mutex
	ids map[string]bool
}

// VerifyNone fails the test for each report that no test has failed for before.
// It is called at the end of a test, usually by defer. Tests that run in
// parallel are better served by VerifyTestMain.
func VerifyNone(t testing.TB, options ...Option) {
	t.Helper()
	for _, r := range fresh(options) {
		t.Errorf("%v", &r)
	}
}

// A TestingM is a *testing.M.
type TestingM interface{ Run() int }

// VerifyTestMain runs the tests, writes what was found to standard error, and
// exits: with the tests' own status, or 1 if they passed but something was
// found.
func VerifyTestMain(m TestingM, options ...Option) {
	os.Exit(verify(m, options))
}

func verify(m TestingM, options []Option) int {
	status := m.Run()
	reports := fresh(options)
	for _, r := range reports {
		fmt.Fprintf(os.Stderr, "lockdep: %v", &r)
	}
	if status == 0 && len(reports) > 0 {
		fmt.Fprintf(os.Stderr, "lockdep: tests passed, but %d problems were found\n", len(reports))
		status = 1
	}
	return status
}

// fresh returns the reports that count and were not returned before.
func fresh(options []Option) []lockdep.Report {
	c := config{levels: []lockdep.Level{lockdep.Strong}, ignore: map[string]bool{}}
	for _, o := range options {
		o(&c)
	}
	lockdep.CheckGoroutines()
	blamed.Lock()
	defer blamed.Unlock()
	if blamed.ids == nil {
		blamed.ids = map[string]bool{}
	}
	var out []lockdep.Report
	for _, r := range lockdep.Reports(c.levels...) {
		if key := r.Category + r.ID; !blamed.ids[key] && !c.ignore[r.ID] && !c.ignore[r.Category] {
			blamed.ids[key] = true
			out = append(out, r)
		}
	}
	return out
}
