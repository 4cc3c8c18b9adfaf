package corpus

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	rowsFlag    = flag.String("rows", "", "rows to run: all, a pass, or `ids` separated by commas; the environment's LOCKVET_CORPUS is the default")
	lockvetFlag = flag.String("lockvet", "", "use this lockvet `binary` and build none")
	noiseFlag   = flag.String("noise", "memberlist", "modules of docs/triage.md whose facts are measured: all, or `names` separated by commas; std is one more")
	modulesFlag = flag.String("modules", "", "keep the modules in this `directory` and use those there")
)

// quick are rows of packages with few dependencies, run where nothing is
// asked for: all of them load in a minute with an empty build cache.
var quick = []string{"16", "34", "35"}

// TestRows holds each row to what the table says of it: found with both its
// paths on the buggy version, gone on the fixed one, or missed for the reason
// given.
func TestRows(t *testing.T) {
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	selection := *rowsFlag
	if selection == "" {
		selection = os.Getenv("LOCKVET_CORPUS")
	}
	rows, err = selectRows(rows, selection)
	if err != nil {
		t.Fatal(err)
	}
	modules := *modulesFlag
	if modules == "" {
		modules = t.TempDir()
	}
	// Built when the first row's modules are there, not when all rows are
	// going to be skipped.
	lockvet := sync.OnceValues(func() (Lockvet, error) { return buildLockvet(t) })
	var outcomes []Outcome
	for _, r := range rows {
		t.Run(r.ID, func(t *testing.T) {
			checker := Checker{Modules: modules}
			if err := checker.Prepare(t.Context(), r); errors.Is(err, errOffline) {
				t.Skipf("not run: %v", err)
			} else if err != nil {
				t.Fatal(err)
			}
			var err error
			if checker.Lockvet, err = lockvet(); err != nil {
				t.Fatal(err)
			}
			o, err := checker.Check(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			outcomes = append(outcomes, o)
			if o.FactBytes > maxFact {
				t.Errorf("the fact of one package has %d bytes, want at most %d", o.FactBytes, maxFact)
			}
			if err := o.Err(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Logf("\n%s", Summary(outcomes))
	if selection == "" {
		t.Log("only the quick rows were run; -rows=all runs all, -rows=lockorder those of a pass")
	}
}

// TestFactSize holds the facts of the modules of docs/triage.md and of the
// standard library to their bound.
func TestFactSize(t *testing.T) {
	selection := *noiseFlag
	all := selection == "all"
	modules := *modulesFlag
	if modules == "" {
		modules = t.TempDir()
	}
	lockvet := sync.OnceValues(func() (Lockvet, error) { return buildLockvet(t) })
	check := func(name string, run func(t *testing.T, l Lockvet) (*Report, error)) {
		if !all && !slices.Contains(strings.Split(selection, ","), name) {
			return
		}
		t.Run(name, func(t *testing.T) {
			l, err := lockvet()
			if err != nil {
				t.Fatal(err)
			}
			report, err := run(t, l)
			if errors.Is(err, errOffline) {
				t.Skipf("not run: %v", err)
			} else if err != nil {
				t.Fatal(err)
			}
			if n := report.factBytes(); n == 0 || n > maxFact {
				t.Errorf("the largest fact has %d bytes, want at most %d, and not 0", n, maxFact)
			}
		})
	}
	for _, m := range Noise {
		check(m.Name, func(t *testing.T, l Lockvet) (*Report, error) {
			dir := filepath.Join(modules, m.Name)
			if err := PrepareNoise(t.Context(), dir, m); err != nil {
				return nil, err
			}
			return l.Run(t.Context(), dir, m.Pattern)
		})
	}
	check("std", func(t *testing.T, l Lockvet) (*Report, error) {
		return l.Run(t.Context(), ".", "-std", "std")
	})
}

func selectRows(rows []Row, selection string) ([]Row, error) {
	var want func(Row) bool
	ids := quick
	switch selection {
	case "all":
		return rows, nil
	case "lockorder", "crossrelease":
		want = func(r Row) bool { return r.Pass == selection }
	case "":
		want = func(r Row) bool { return slices.Contains(ids, r.ID) }
	default:
		ids = strings.Split(selection, ",")
		for _, id := range ids {
			if !slices.ContainsFunc(rows, func(r Row) bool { return r.ID == id }) {
				return nil, fmt.Errorf("no row %q in realbugs.tsv", id)
			}
		}
		want = func(r Row) bool { return slices.Contains(ids, r.ID) }
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !want(r) }), nil
}

// buildLockvet returns the binary to test.
func buildLockvet(t *testing.T) (Lockvet, error) {
	if *lockvetFlag != "" {
		path, err := filepath.Abs(*lockvetFlag)
		return Lockvet(path), err
	}
	path := filepath.Join(t.TempDir(), "lockvet")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "github.com/lockvet/lockvet/cmd/lockvet")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building lockvet: %w\n%s", err, out)
	}
	return Lockvet(path), nil
}
