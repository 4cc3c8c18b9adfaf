package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/instrument"
)

// The classes that are kept of the standard library are those that the analysis
// finds: if not, go generate ./internal/instrument.
func TestStdSites(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses a part of the standard library")
	}
	src := filepath.ToSlash(filepath.Join(runtime.GOROOT(), "src")) + "/"
	out, err := exec.Command("lockvet", "sites", "-std", "-tests=false", "context", "log", "net/textproto").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := func(table string) []string {
		return slices.DeleteFunc(strings.Split(table, "\n"), func(line string) bool {
			return !slices.ContainsFunc([]string{"context/", "log/", "net/textproto/"}, func(dir string) bool {
				rest, ok := strings.CutPrefix(line, src+dir)
				return ok && !strings.Contains(rest, "/")
			})
		})
	}
	got, want := lines(instrument.StdTable(runtime.GOROOT(), src)), lines(string(out))
	if len(want) < 10 || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("%s: kept are\n%s\nwant\n%s", runtime.Version(), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
