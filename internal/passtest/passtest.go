// Package passtest runs an analyzer of passes/ over the cases in testdata.
package passtest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// testdata, seen from a pass, holds one directory below src for every theme:
// order_… for lockorder, cross_… for crossrelease.
const testdata = "../../testdata"

// Run checks what an analyzer says of the themes with a prefix by their want
// comments, and that it says nothing of the other pass's themes: a bug is
// reported by one pass only.
//
// One run over all themes, since most of the time goes into type-checking the
// standard library. What it says is then told theme by theme.
func Run(t *testing.T, analyzer *analysis.Analyzer, prefix, others string) {
	own, foreign := themes(t, prefix), themes(t, others)
	dir, err := filepath.Abs(testdata)
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, theme := range slices.Concat(own, foreign) {
		patterns = append(patterns, theme+"/...")
	}
	said := make(complaints)
	results := analysistest.Run(said, dir, analyzer, patterns...)

	for _, theme := range own {
		t.Run(theme, func(t *testing.T) {
			for _, text := range said[theme] {
				t.Error(text)
			}
		})
		delete(said, theme)
	}

	found := make(complaints)
	for _, r := range results {
		for _, d := range r.Diagnostics {
			theme, _, _ := strings.Cut(r.Pass.Pkg.Path(), "/")
			found[theme] = append(found[theme], fmt.Sprintf("%s: %s", r.Pass.Fset.Position(d.Pos), d.Message))
		}
	}
	for _, theme := range foreign {
		t.Run(theme, func(t *testing.T) {
			for _, text := range found[theme] {
				t.Error(text)
			}
		})
		delete(said, theme) // its want comments are not meant for this pass
	}

	// What is left is about no theme: packages that do not load, analyzers that
	// fail.
	for _, theme := range slices.Sorted(maps.Keys(said)) {
		for _, text := range said[theme] {
			t.Error(text)
		}
	}
}

// complaints collects what analysistest says, by theme: the first element of
// the file's path.
type complaints map[string][]string

func (c complaints) Errorf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	theme, _, _ := strings.Cut(text, "/")
	c[theme] = append(c[theme], text)
}

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
