package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// A Report is what lockvet -json prints.
type Report struct {
	Version  int                        `json:"version"`
	Findings []Finding                  `json:"findings"`
	Stats    map[string]json.RawMessage `json:"stats"`
}

// maxFact bounds the fact of one package, which each importer reads.
const maxFact = 256 << 10

// factBytes is the size of the largest fact, 0 if the report does not say.
func (r *Report) factBytes() int64 {
	var n int64
	if err := json.Unmarshal(r.Stats["largest fact in bytes"], &n); err != nil {
		return 0
	}
	return n
}

// A Finding is one finding of a report. The type is the test's own, not that
// of internal/finding: what is checked is the printed form that users read.
type Finding struct {
	ID       string   `json:"id"`
	Analyzer string   `json:"analyzer"`
	Category string   `json:"category"`
	Message  string   `json:"message"`
	Pos      string   `json:"pos"`
	Classes  []string `json:"classes"`
	Edges    []Edge   `json:"edges"`
	Related  []Step   `json:"related"`
	Runtime  struct {
		Status string `json:"status"` // of lockvet test
	} `json:"runtime"`
}

// An Edge is one dependency of a finding and the path that shows it.
type Edge struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Mode  string `json:"mode"`
	Steps []Step `json:"steps"`
}

// A Step is one step of a path.
type Step struct {
	Pos  string `json:"pos"`
	Func string `json:"func"`
	What string `json:"what"`
}

// String returns the finding over several lines.
func (f *Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s [%s/%s %s]\n", f.Pos, f.Message, f.Analyzer, f.Category, f.ID)
	for _, e := range f.Edges {
		fmt.Fprintf(&b, "\t%s -> %s (%s)\n", e.From, e.To, e.Mode)
		for _, s := range e.Steps {
			fmt.Fprintf(&b, "\t\t%s: %s %s\n", s.Pos, s.Func, s.What)
		}
	}
	return b.String()
}

// A Lockvet is the path of a lockvet binary.
type Lockvet string

// Run runs lockvet over packages of the module in dir, without their tests:
// the table is about what the packages do, and tests of old trees need not
// compile.
func (l Lockvet) Run(ctx context.Context, dir string, patterns ...string) (*Report, error) {
	args := append([]string{"-json", "-tests=false"}, patterns...)
	cmd := exec.CommandContext(ctx, string(l), args...)
	cmd.Dir = dir
	cmd.Env = Env()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	// 0 is nothing found, 1 is findings; anything else has no result to read.
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("lockvet %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	var r Report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return nil, fmt.Errorf("lockvet %s: reading its output: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	if r.Version != 1 {
		return nil, fmt.Errorf("lockvet %s: output of version %d, not 1", strings.Join(args, " "), r.Version)
	}
	return &r, nil
}
