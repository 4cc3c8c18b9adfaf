package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// minGo is the oldest go command whose vet keeps a tool's output in its cache.
const minGo = "go1.26"

// findGo returns the path of a go command that is new enough for the module in
// the working directory.
func findGo(ctx context.Context) (string, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return "", fmt.Errorf("cannot find the go command: install %s or newer and add it to PATH", minGo)
	}
	out, err := output(exec.CommandContext(ctx, path, "env", "GOVERSION"))
	if err != nil {
		return "", fmt.Errorf("go env does not work here: %w", err)
	}
	have, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	// A development version is not valid as such, and new.
	if version.IsValid(have) && version.Compare(have, minGo) < 0 {
		return "", fmt.Errorf("the go command %s is %s: install %s or newer, or put it first in PATH", path, have, minGo)
	}
	return path, nil
}

// output runs a command for its standard output. Its error is what the command
// said on standard error, in one line.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if said := oneLine(stderr.String()); said != "" {
			return nil, errors.New(said)
		}
		return nil, err
	}
	return stdout.Bytes(), nil
}

// oneLine joins what the go command said, without its prefix and without what
// is no error.
func oneLine(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "go: ")
		if line != "" && !strings.HasPrefix(line, "downloading ") && !strings.HasPrefix(line, "warning: ") {
			lines = append(lines, line)
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
}

// A listed is a package that a pattern matches.
type listed struct {
	ImportPath   string
	Dir          string
	Standard     bool
	TestGoFiles  []string
	XTestGoFiles []string
	Error        *loadError   // of the package itself
	DepsErrors   []*loadError // of what it imports
}

type loadError struct {
	ImportStack []string
	Pos         string
	Err         string
}

// list returns the packages that the patterns match, by import path, and a line
// for each that cannot be loaded. Flags are for go list.
func (c *check) list(ctx context.Context, goCmd string, flags ...string) (roots map[string]listed, troubles []string, err error) {
	args := append([]string{"list", "-e", "-json=ImportPath,Dir,Standard,TestGoFiles,XTestGoFiles,Error,DepsErrors"}, flags...)
	out, err := output(exec.CommandContext(ctx, goCmd, c.goArgs(args)...))
	if err != nil {
		return nil, nil, fmt.Errorf("the packages cannot be loaded: %w", err)
	}
	roots = make(map[string]listed)
	standard := ""
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("reading the output of go list: %w", err)
		}
		switch {
		case p.Error != nil:
			troubles = append(troubles, p.trouble(p.Error))
		case len(p.DepsErrors) > 0:
			troubles = append(troubles, p.trouble(p.DepsErrors[0]))
		case p.Standard && !c.std:
			standard = p.ImportPath
		default:
			roots[p.ImportPath] = p
		}
	}
	switch {
	case len(roots) > 0:
		return roots, troubles, nil
	case len(troubles) > 0:
		return nil, nil, errors.New(troubles[0])
	case standard != "":
		return nil, nil, fmt.Errorf("%s is of the standard library, which is modelled and not analysed: use -std", standard)
	}
	return nil, nil, fmt.Errorf("%s matches no packages: give a pattern such as ./..., or a directory with -C", strings.Join(c.patterns, " "))
}

func (p *listed) trouble(e *loadError) string {
	text := oneLine(e.Err)
	if e.Pos != "" {
		text = e.Pos + ": " + text
	}
	return fmt.Sprintf("%s is left out, it cannot be loaded: %s: see go list %s", p.ImportPath, text, p.ImportPath)
}

// narrow replaces the patterns by the packages themselves, without those that
// cannot be loaded: go vet does nothing at all if there is one.
func (c *check) narrow(roots map[string]listed) {
	c.patterns = slices.Sorted(maps.Keys(roots))
}

// goArgs completes a go command line with the flags that choose the build, and
// the patterns.
func (c *check) goArgs(args []string) []string {
	if c.tags != "" {
		args = append(args, "-tags="+c.tags)
	}
	args = append(args, c.build...)
	return append(append(args, "--"), c.patterns...)
}

// A unit is one package as go vet saw it; a package may come more than once,
// with and without its tests.
type unit struct {
	id     string // import path, and of which test it is a variant
	object string // as emit wrote it
}

// vet runs go vet with this very program as the tool, and returns the objects
// of the packages and all that they import, sorted. What is wrong with single
// packages comes back as lines in troubles.
func (c *check) vet(ctx context.Context, goCmd string, roots map[string]listed, progress *progress) (units []unit, troubles []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("finding this executable: %w", err)
	}
	args := []string{"vet", "-vettool=" + self, "-json", "-" + emit.Name}
	if c.std {
		args = append(args, "-std")
	}
	if !c.tests {
		overlay, err := withoutTests(roots)
		if err != nil {
			return nil, nil, err
		}
		defer os.Remove(overlay)
		args = append(args, "-overlay="+overlay)
	}
	cmd := exec.CommandContext(ctx, goCmd, c.goArgs(args)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("starting go vet: %w", err)
	}
	units, troubles, err = readUnits(stdout, progress)
	if err != nil {
		io.Copy(io.Discard, stdout) // so that go vet can end
	}
	failed := cmd.Wait()
	if err != nil {
		return nil, nil, fmt.Errorf("reading the output of go vet: %w: remove what it has cached with go clean -cache", err)
	}
	said := packageErrors(stderr.String())
	troubles = append(troubles, said...)
	if failed != nil && len(troubles) == 0 {
		if text := oneLine(stderr.String()); text != "" {
			if !c.tests && strings.Contains(text, "Files beneath GOMODCACHE") {
				return nil, nil, errors.New("the tests of packages in the module cache cannot be left out: copy the module elsewhere, or do without -tests=false")
			}
			return nil, nil, &vetError{text, len(units) == 0}
		}
		return nil, nil, fmt.Errorf("running go vet: %w", failed)
	}
	slices.SortFunc(units, func(a, b unit) int {
		return strings.Compare(a.id+"\x00"+a.object, b.id+"\x00"+b.object)
	})
	return slices.Compact(units), troubles, nil
}

// A vetError is a refusal of go vet, in its words.
type vetError struct {
	said    string
	nothing bool // it did not get as far as a package
}

func (e *vetError) Error() string { return "go vet cannot load the packages: " + e.said }

// readUnits reads what go vet -json prints: one JSON object after the other.
func readUnits(r io.Reader, progress *progress) (units []unit, troubles []string, err error) {
	for dec := json.NewDecoder(r); ; {
		var tree map[string]map[string]json.RawMessage
		if err := dec.Decode(&tree); err == io.EOF {
			return units, troubles, nil
		} else if err != nil {
			return nil, nil, err
		}
		for _, id := range slices.Sorted(maps.Keys(tree)) {
			raw := tree[id][emit.Name]
			var diagnostics []struct{ Message string }
			var failure struct{ Error string }
			switch {
			case json.Unmarshal(raw, &diagnostics) == nil:
				for _, d := range diagnostics {
					units = append(units, unit{id, d.Message})
				}
			case json.Unmarshal(raw, &failure) == nil:
				// A panic has its stack behind the first line.
				reason, _, _ := strings.Cut(failure.Error, "\n")
				troubles = append(troubles, fmt.Sprintf("%s is left out: %s", id, reason))
			default:
				return nil, nil, fmt.Errorf("%s has no object", id)
			}
			progress.analysed(id)
		}
	}
}

// packageErrors returns one line for each package that go vet complains about
// on standard error, where it writes
//
//	# example.com/m/bad
//	bad/bad.go:3:13: undefined: nothing
func packageErrors(said string) []string {
	var order []string
	errs := make(map[string][]string)
	pkg := ""
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		if name, ok := strings.CutPrefix(line, "# "); ok {
			// A second header repeats the name in brackets.
			pkg, _, _ = strings.Cut(strings.Trim(name, "[]"), " ")
			continue
		}
		if pkg == "" || line == "" || strings.HasPrefix(line, "go: ") || line[0] == '\t' {
			continue
		}
		line = strings.TrimPrefix(strings.TrimPrefix(line, "vet: "), "."+string(filepath.Separator))
		if errs[pkg] == nil {
			order = append(order, pkg)
		}
		if !slices.Contains(errs[pkg], line) {
			errs[pkg] = append(errs[pkg], line)
		}
	}
	var lines []string
	for _, pkg := range order {
		if first := errs[pkg][0]; crashed(first) {
			lines = append(lines, fmt.Sprintf("%s is left out, lockvet crashed on it, please report it: %s", pkg, first))
			continue
		}
		if own, ok := strings.CutPrefix(errs[pkg][0], "lockvet: "); ok {
			lines = append(lines, fmt.Sprintf("%s is left out: %s", pkg, own))
			continue
		}
		line := fmt.Sprintf("%s is left out, it does not build: %s", pkg, errs[pkg][0])
		if more := len(errs[pkg]) - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more)", more)
		}
		lines = append(lines, line+": see go build "+pkg)
	}
	return lines
}

// crashed reports whether a line starts what the Go runtime writes at its end.
func crashed(line string) bool {
	for _, start := range []string{"runtime: ", "fatal error: ", "panic: ", "signal: ", "SIG"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

// withoutTests writes an overlay for the go command in which the packages have
// no tests. go vet has no flag for that; this way it sees the plain packages,
// which are the ones that others import.
func withoutTests(roots map[string]listed) (string, error) {
	replace := make(map[string]string)
	for _, p := range roots {
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			replace[filepath.Join(p.Dir, name)] = ""
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp("", "lockvet-overlay-*.json")
	if err != nil {
		return "", fmt.Errorf("leaving out the tests: %w", err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("leaving out the tests: %w", err)
	}
	return f.Name(), nil
}
