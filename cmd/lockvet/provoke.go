package main

import (
	"fmt"
	"go/version"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/confirm"
	"github.com/lockvet/lockvet/internal/dump"
	"github.com/lockvet/lockvet/internal/finding"
)

// maxProvoking bounds the runs of -provoke: a deadlock ends a test binary, so
// that each run shows about one for each package.
const maxProvoking = 8

// provoked runs the tests again, with goroutines held where a deadlock could
// close, and returns what these runs showed.
func (r *instrumented) provoked(graphs []*dump.Graph, args []string, dumps string, env []string, stderr io.Writer) ([]*dump.Graph, error) {
	seed := r.seed
	if seed == 0 {
		seed = rand.Uint64N(1e9) + 1
	}
	var more []*dump.Graph
	left := r.provocable(graphs)
	for n := 0; len(left) > 0 && n < maxProvoking; n++ {
		fmt.Fprintf(stderr, "lockvet: provoking %s with -seed %d, the tests run again\n", plural(len(left), "finding"), seed)
		shown, status, err := r.provoke1(left, seed, args, dumps, env, stderr)
		if err != nil {
			return nil, err
		}
		more = append(more, shown...)
		before := len(left)
		left = r.provocable(slices.Concat(graphs, more))
		if len(left) >= before {
			if status != 0 {
				fmt.Fprintf(stderr, "lockvet: go test ended with status %d under -provoke, without a new deadlock\n", status)
			}
			break
		}
	}
	return more, nil
}

// provocable returns the findings that a deadlock can prove and that none has
// yet. That nothing can end a wait under a lock is for the runtime to tell,
// which needs its profile of leaked goroutines.
func (r *instrumented) provocable(graphs []*dump.Graph) []finding.Finding {
	all := confirm.Judge(r.static, graphs, r.inStd(), nil)
	return slices.DeleteFunc(all, func(f finding.Finding) bool {
		switch f.Category {
		case "inversion", "nesting", "recursive":
			return f.Runtime.Status == confirm.Deadlocked
		case "waitheld":
			return f.Runtime.Status == confirm.Deadlocked || version.Compare(r.tc.Version, "go1.27") < 0
		}
		return true
	})
}

// provoke1 runs the tests once. Their output goes to standard error: standard
// output has that of the first run.
func (r *instrumented) provoke1(findings []finding.Finding, seed uint64, args []string, dumps string, env []string, stderr io.Writer) ([]*dump.Graph, int, error) {
	dir, err := os.MkdirTemp(dumps, "provoke-")
	if err != nil {
		return nil, 0, fmt.Errorf("making a directory for what the tests show: %w", err)
	}
	file := filepath.Join(dir, "plan")
	if err := os.WriteFile(file, []byte(plan(findings)), 0o666); err != nil {
		return nil, 0, fmt.Errorf("writing what to provoke: %w", err)
	}
	again := make([]string, 0, len(env)+2)
	for _, v := range env {
		switch name, value, _ := strings.Cut(v, "="); name {
		case "LOCKDEPDIR":
			v = name + "=" + dir
		case "LOCKDEP":
			v = fmt.Sprintf("%s=%s,provoke=%s,seed=%d", name, value, file, seed)
		}
		again = append(again, v)
	}
	status, err := r.goCommand(args, again, stderr, stderr)
	if err != nil {
		return nil, 0, err
	}
	graphs, troubles, err := dump.ReadDir(dir)
	r.trimmed.restore(graphs)
	for _, t := range troubles {
		fmt.Fprintf(stderr, "lockvet: %s\n", t)
	}
	return graphs, status, err
}

// plan lists the dependencies of findings in the form of the option provoke of
// runtime/lockdep.
func plan(findings []finding.Finding) string {
	deps := make(map[string]bool)
	for _, f := range findings {
		for _, e := range f.Edges {
			if f.Category != "waitheld" {
				deps[fmt.Sprintf("%q %q\n", e.From, e.To)] = true
				continue
			}
			// Whoever signals is held where it needs the lock.
			for _, s := range e.Steps {
				if strings.HasPrefix(e.Mode, "signal->") && strings.HasSuffix(s.What, "acquires "+e.To) {
					deps[fmt.Sprintf("%q %d\n", s.Pos.File, s.Pos.Line)] = true
				}
			}
		}
	}
	return "lockvet provoke 1\n" + strings.Join(slices.Sorted(maps.Keys(deps)), "")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
