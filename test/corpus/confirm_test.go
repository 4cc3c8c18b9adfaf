package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// confirmed are the rows whose bug a run of tests shows: those of the module
// itself, or the one in confirm, which does each half once.
var confirmed = []struct {
	row    string
	status string
	own    bool // by tests of the module itself
}{
	{row: "15", status: "confirmed"},
	{row: "16", status: "confirmed", own: true},
	{row: "34", status: "deadlocked"},
	{row: "50", status: "confirmed"},
	{row: "53", status: "confirmed"},
}

// TestConfirmed holds lockvet test to confirming what lockvet finds.
func TestConfirmed(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: the first run rebuilds the standard library")
	}
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	lockvet := sync.OnceValues(func() (Lockvet, error) { return buildLockvet(t) })
	for _, c := range confirmed {
		t.Run(c.row, func(t *testing.T) {
			chosen, err := selectRows(rows, c.row)
			if err != nil {
				t.Fatal(err)
			}
			row, dir := chosen[0], t.TempDir()
			if err := Prepare(t.Context(), dir, row.Buggy); errors.Is(err, errOffline) {
				t.Skipf("not run: %v", err)
			} else if err != nil {
				t.Fatal(err)
			}
			if err := ownTree(dir); err != nil {
				t.Fatal(err)
			}
			if !c.own {
				if err := replaceTests(dir, row); err != nil {
					t.Fatal(err)
				}
			}
			l, err := lockvet()
			if err != nil {
				t.Fatal(err)
			}
			report, output, err := l.runTests(t.Context(), dir, row.Buggy.Package)
			if errors.Is(err, errOffline) {
				t.Skipf("not run: %v", err)
			} else if err != nil {
				t.Fatal(err)
			}
			f, _ := row.Want.find(report)
			if f == nil {
				t.Fatalf("no %s of %s\n%s", row.Category, alternatives(row.Want.Classes), output)
			}
			if f.Runtime.Status != c.status {
				t.Errorf("%s is %s, want %s\n%s", f.ID, f.Runtime.Status, c.status, output)
			}
		})
	}
}

// ownTree makes dir/tree a directory that can be written to.
func ownTree(dir string) error {
	tree := filepath.Join(dir, "tree")
	source, err := filepath.EvalSymlinks(tree)
	if err != nil || source == tree {
		return err
	}
	if err := os.Remove(tree); err != nil {
		return err
	}
	return copyTree(tree, source)
}

// replaceTests puts the test of the row in the place of the package's own,
// which need not compile.
func replaceTests(dir string, row Row) error {
	sub := strings.TrimPrefix(row.Buggy.Package, row.Buggy.Module)
	pkg := filepath.Join(dir, "tree", filepath.FromSlash(sub))
	own, err := filepath.Glob(filepath.Join(pkg, "*_test.go"))
	if err != nil {
		return err
	}
	for _, name := range own {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(filepath.Join("confirm", row.ID+"_test.go.txt"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(pkg, "row_test.go"), text, 0o666)
}

// runTests runs the tests of a package under lockvet test and returns what it
// found, and printed.
func (l Lockvet) runTests(ctx context.Context, dir, pkg string) (*Report, string, error) {
	file := filepath.Join(dir, "findings.json")
	cmd := exec.CommandContext(ctx, string(l), "test", "-findings", file, pkg)
	cmd.Dir = dir
	cmd.Env = Env()
	output, err := cmd.CombinedOutput()
	// 1 stands for findings, and for tests that fail.
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != 1) {
		return nil, "", fmt.Errorf("lockvet test %s: %w\n%s", pkg, err, output)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		err = fmt.Errorf("lockvet test %s: %w\n%s", pkg, err, output)
		if offline(string(output)) {
			err = fmt.Errorf("%w: %w", errOffline, err)
		}
		return nil, "", err
	}
	if !bytes.HasPrefix(output, []byte("ok ")) && !bytes.Contains(output, []byte("\nok ")) {
		return nil, "", fmt.Errorf("lockvet test %s: the tests fail\n%s", pkg, output)
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, "", fmt.Errorf("lockvet test %s: reading its findings: %w", pkg, err)
	}
	return &r, string(output), nil
}
