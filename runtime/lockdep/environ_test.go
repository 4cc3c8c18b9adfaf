package lockdep_test

import (
	"strings"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// TestEnvironment runs this test binary with LOCKDEP set.
func TestEnvironment(t *testing.T) {
	run := func(options string) string {
		out, status := child(t, "TestNestedRefusesLevels", "LOCKDEP="+options)
		if status != 0 {
			t.Errorf("LOCKDEP=%s: exit status %d\n%s", options, status, out)
		}
		return out
	}
	out := run("colour=1,classes=-5,stats=1")
	const want = `lockdep: LOCKDEP: unknown option "colour"`
	if strings.Count(out, want) != 1 || !strings.Contains(out, "option classes=-5: must be from 16 to 65535") {
		t.Errorf("got %q", out)
	}
	const needsTag = "LOCKDEP is set, but this program was built without -tags lockdep"
	if out := run("stats=1"); strings.Contains(out, needsTag) == lockdep.Enabled() {
		t.Errorf("enabled %v, got %q", lockdep.Enabled(), out)
	}
	if out := run("enabled=0"); strings.Contains(out, "lockdep: ") {
		t.Errorf("enabled=0: %q", out)
	}
}
