package crossrelease_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/lockvet/lockvet/passes/crossrelease"
)

// testdata holds one directory below src for every theme: cross_… for this
// pass, order_… for the other.
const testdata = "../../testdata"

func TestCrossrelease(t *testing.T) {
	for _, theme := range themes(t, "cross_") {
		t.Run(theme, func(t *testing.T) {
			analysistest.Run(t, absolute(t, testdata), crossrelease.Analyzer, theme+"/...")
		})
	}
}

// A bug is reported by one pass only: what lockorder reports (a lock taken
// twice, a Once in an inversion) is not reported again as a leak or a wait.
func TestSilentOnLockorder(t *testing.T) {
	for _, theme := range themes(t, "order_") {
		t.Run(theme, func(t *testing.T) {
			for _, r := range analysistest.Run(ignoreWants{}, absolute(t, testdata), crossrelease.Analyzer, theme+"/...") {
				if r.Err != nil {
					t.Errorf("%s: %v", r.Pass.Pkg.Path(), r.Err)
				}
				for _, d := range r.Diagnostics {
					t.Errorf("%s: %s", r.Pass.Fset.Position(d.Pos), d.Message)
				}
			}
		})
	}
}

// ignoreWants lets analysistest run without comparing: the want comments of the
// packages are those of the other pass.
type ignoreWants struct{}

func (ignoreWants) Errorf(string, ...any) {}

func themes(t *testing.T, prefix string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(testdata, "src"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		t.Fatalf("no directory %s… below %s/src", prefix, testdata)
	}
	return names
}

func absolute(t *testing.T, dir string) string {
	t.Helper()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
