//go:build lockdep

package lockdep_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestPlantedRaceIsFound runs a program with a data race under -race, tracked:
// the race detector must report it every time, and nothing inside the engine.
func TestPlantedRaceIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with -race")
	}
	bin := filepath.Join(t.TempDir(), "planted")
	build := exec.Command("go", "build", "-race", "-tags", "lockdep", "-o", bin, "./testdata/planted")
	if out, err := build.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "-race") || strings.Contains(string(out), "cgo") {
			t.Skipf("no race detector on %s/%s: %s", runtime.GOOS, runtime.GOARCH, out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	for i := range 10 {
		for _, options := range []string{"", "stats=1,fullstack=1"} {
			cmd := exec.Command(bin)
			cmd.Env = append(os.Environ(), "LOCKDEP="+options, "GORACE=atexit_sleep_ms=0")
			out, _ := cmd.CombinedOutput()
			text := string(out)
			if !strings.Contains(text, "WARNING: DATA RACE") || !strings.Contains(text, "planted/main.go") {
				t.Errorf("run %d with LOCKDEP=%s: the planted race was not reported:\n%s", i, options, text)
			}
			if strings.Count(text, "WARNING: DATA RACE") != 1 {
				t.Errorf("run %d with LOCKDEP=%s: other races:\n%s", i, options, text)
			}
		}
	}
}
