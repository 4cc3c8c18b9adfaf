package lockdeptest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// recorder is a test that notes its failures.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

type tests struct {
	run    func()
	status int
}

func (m tests) Run() int { m.run(); return m.status }

type first struct{}
type second struct{}

func invert() {
	lockdep.Reset()
	blamed.ids = nil
	var a lockdep.MutexOf[first]
	var b lockdep.MutexOf[second]
	for _, order := range [][2]lockdep.Locker{{&a, &b}, {&b, &a}} {
		done := make(chan bool)
		go func() {
			order[0].Lock()
			order[1].Lock()
			order[1].Unlock()
			order[0].Unlock()
			close(done)
		}()
		<-done
	}
}

func TestVerifyNone(t *testing.T) {
	lockdep.SetOptions("report=none")
	r := &recorder{TB: t}
	VerifyNone(r)
	if len(r.errors) > 0 {
		t.Fatalf("failed for nothing: %q", r.errors)
	}
	invert()
	VerifyNone(r, Ignore(lockdep.CategoryInversion))
	if len(r.errors) > 0 {
		t.Fatalf("failed for what is ignored: %q", r.errors)
	}
	VerifyNone(r)
	if !lockdep.Enabled() {
		if len(r.errors) > 0 {
			t.Fatalf("failed without the tag: %q", r.errors)
		}
		t.Skip("the rest needs -tags lockdep")
	}
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "lock order inversion: ") {
		t.Fatalf("errors %q", r.errors)
	}
	VerifyNone(r)
	if len(r.errors) != 1 {
		t.Errorf("failed twice for one report: %q", r.errors)
	}
}

func TestVerifyTestMain(t *testing.T) {
	lockdep.SetOptions("report=none")
	lockdep.Reset()
	if got := verify(tests{func() {}, 0}, nil); got != 0 {
		t.Errorf("status %d for tests that pass", got)
	}
	if got := verify(tests{func() {}, 3}, nil); got != 3 {
		t.Errorf("status %d for tests that exit with 3", got)
	}
	want := 0
	if lockdep.Enabled() {
		want = 1
	}
	if got := verify(tests{invert, 0}, []Option{AtLeast(lockdep.Weak)}); got != want {
		t.Errorf("status %d for tests with an inversion, want %d", got, want)
	}
}
