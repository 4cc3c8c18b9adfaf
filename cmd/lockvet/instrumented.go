package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/confirm"
	"github.com/lockvet/lockvet/internal/dump"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/gocmd"
	"github.com/lockvet/lockvet/internal/instrument"
)

// goStatus is the exit status of the go command, which lockvet ends with.
type goStatus int

func (s goStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// An instrumented is one run of lockvet test, run or build.
type instrumented struct {
	command   string
	runOnly   bool
	confirmed bool
	findings  string
	provoke   bool
	seed      uint64
	args      *gocmd.Args
	dir       string
	tc        *instrument.Toolchain

	trimmed  *trimmed // of a build with -trimpath
	static   []finding.Finding
	units    []unit
	shared   map[string]bool // lines with locks of several classes, see siteTable
	troubles []string        // why there is no static half, or not all of it
}

func runInstrumented(command string, args []string, stdout, stderr io.Writer) error {
	r, err := newInstrumented(command, args)
	if err != nil {
		return err
	}
	overlay, err := instrument.New(r.tc)
	if err != nil {
		return err
	}
	flags := []string{}
	if r.args.Overlay != "" {
		if err := overlay.Merge(r.args.Overlay); err != nil {
			return err
		}
	}
	if r.args.Trimpath {
		// Where they cannot be loaded the go command will say so.
		if r.trimmed, err = r.listTrimmed(); err != nil {
			r.troubles = append(r.troubles, err.Error())
		}
	}
	table := r.analyse(stderr)
	if err := overlay.Table(table, r.args.Trimpath); err != nil {
		return err
	}
	var files []string
	if command != "test" {
		if files, err = r.mainPackages(overlay); err != nil {
			return err
		}
	}
	file, err := overlay.File()
	if err != nil {
		return err
	}
	flags = append(flags, "-overlay="+file)
	if command == "test" {
		// Vet cannot enter the directories that only the overlay has; and a
		// cached result would show nothing.
		flags = append(flags, "-vet=off")
		if !r.args.Count && !r.args.Binary {
			flags = append(flags, "-count=1")
		}
	}
	mark, built := r.builtBefore(overlay)
	if !built {
		fmt.Fprintf(stderr, "lockvet: the standard library of %s is being rebuilt with lockdep inside, once\n", r.tc.Version)
	}
	dumps, env, lost := r.environment()
	if lost != nil {
		fmt.Fprintf(stderr, "lockvet: what the tests show is lost: %v: the tests run all the same\n", lost)
	}
	if dumps != "" {
		defer os.RemoveAll(dumps)
	}
	goArgs := r.args.Without()
	status, err := r.goCommand(append([]string{command}, goArgs.With(flags, files)...), env, stdout, stderr)
	if err != nil {
		return err
	}
	if status == 0 && !built {
		os.WriteFile(mark, nil, 0o666)
	}
	if dumps == "" {
		switch {
		case status != 0:
			return goStatus(status)
		case lost != nil:
			return errTold
		}
		return nil
	}
	graphs, whole := r.observed(dumps, status, stderr)
	switch {
	case status != 0 && len(graphs) == 0:
		return goStatus(status) // nothing ran
	case len(graphs) == 0 && !whole:
		return errTold
	}
	var more []*dump.Graph
	if r.provoke {
		again := append([]string{command}, goArgs.WithoutFiles().With(flags, nil)...)
		more, err = r.provoked(graphs, again, dumps, env, stderr)
		if err != nil {
			return err
		}
	}
	return r.report(graphs, more, status, stderr)
}

// newInstrumented reads the command line: lockvet's own flags, then those of
// the go command.
func newInstrumented(command string, args []string) (*instrumented, error) {
	r := &instrumented{command: command}
	fs := flag.NewFlagSet("lockvet "+command, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&r.runOnly, "run-only", false, "")
	fs.BoolVar(&r.confirmed, "confirmed", false, "")
	fs.StringVar(&r.findings, "findings", "", "")
	fs.BoolVar(&r.provoke, "provoke", false, "")
	fs.Uint64Var(&r.seed, "seed", 0, "")
	for len(args) > 0 {
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
		if !strings.HasPrefix(args[0], "-") || fs.Lookup(name) == nil {
			break
		}
		n := 1
		if (name == "findings" || name == "seed") && !hasValue {
			n = min(2, len(args))
		}
		if err := fs.Parse(args[:n]); err != nil {
			return nil, fmt.Errorf("%w: see lockvet help", err)
		}
		args = args[n:]
	}
	if r.findings != "" {
		abs, err := filepath.Abs(r.findings)
		if err != nil {
			return nil, err
		}
		r.findings = abs
	}
	r.args = gocmd.Parse(command, args)
	if r.provoke && (command != "test" || r.args.Binary) {
		return nil, fmt.Errorf("flag -provoke is for tests that lockvet test runs")
	}
	if r.args.Chdir != "" {
		if err := os.Chdir(r.args.Chdir); err != nil {
			return nil, fmt.Errorf("cannot work in the directory of -C: %w", err)
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("finding the working directory: %w", err)
	}
	r.dir = dir
	path, err := findGo(context.Background())
	if err != nil {
		return nil, err
	}
	if r.tc, err = instrument.Find(path); err != nil {
		return nil, err
	}
	if r.args.Overlay == "" {
		r.args.Overlay = r.tc.Overlay
	}
	always := gocmd.Parse(command, r.tc.Flags)
	r.args.Always(always)
	if r.args.HasTag("lockdep") || always.HasTag("lockdep") {
		r.troubles = append(r.troubles, "the tag lockdep makes the types of runtime/lockdep track themselves, which is no part of this report: leave it out, and they are tracked as those of package sync are")
	}
	for _, v := range r.tc.Env {
		name, value, _ := strings.Cut(v, "=")
		os.Setenv(name, value)
	}
	return r, nil
}

// analyse does the static half and returns the site table. Where it cannot be
// done the run can: the go command will say what is wrong with the packages.
func (r *instrumented) analyse(stderr io.Writer) (table string) {
	if r.runOnly {
		return ""
	}
	c := &check{tests: r.command == "test", build: r.args.Build, dir: r.dir, disabled: map[string]bool{}, patterns: r.args.Packages}
	if r.args.Overlay != "" && c.tests {
		c.build = append(slices.Clone(c.build), "-overlay="+r.args.Overlay)
	}
	if len(c.patterns) == 0 {
		c.patterns = []string{"."}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	progress := newProgress(stderr, false)
	roots, units, troubles, err := c.collect(ctx, r.tc.Go, progress)
	progress.done()
	r.troubles = append(r.troubles, troubles...)
	r.units = units
	if err == nil {
		table, r.shared, err = siteTable(units, r.trimmed)
	}
	var result *linkResult
	if err == nil && r.command == "test" {
		result, err = c.linked(units, roots)
	}
	if err != nil {
		r.troubles = append(r.troubles, err.Error())
		return ""
	}
	if result != nil {
		r.static = result.Findings
	}
	return table
}

// mainPackages makes the main packages link what reports. It returns a file to
// be named on the command line where that names files.
func (r *instrumented) mainPackages(overlay *instrument.Overlay) ([]string, error) {
	if len(r.args.Packages) > 0 && strings.HasSuffix(r.args.Packages[0], ".go") {
		// Named as the others are: the go command compares directories by text.
		dir := filepath.Dir(r.args.Packages[0])
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		name, err := overlay.Main(abs)
		return []string{filepath.Join(dir, filepath.Base(name))}, err
	}
	args := append([]string{"list", "-f", "{{.Name}}\t{{.Dir}}"}, r.args.Build...)
	out, err := output(exec.Command(r.tc.Go, append(append(args, "--"), r.args.Packages...)...))
	if err != nil {
		return nil, fmt.Errorf("the packages cannot be loaded: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		name, dir, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if name == "main" {
			if _, err := overlay.Main(dir); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// builtBefore reports whether the standard library was built with this overlay
// for this target, as the file tells that it returns.
func (r *instrumented) builtBefore(overlay *instrument.Overlay) (mark string, built bool) {
	name := "built-" + overlay.Key() + "-" + strings.ReplaceAll(r.tc.Target, "/", "-")
	if r.args.Race {
		name += "-race"
	}
	mark = filepath.Join(overlay.Dir(), name)
	_, err := os.Stat(mark)
	return mark, err == nil
}

// environment returns the environment of the go command, and the directory that
// tests put their dumps in. The error says why they have none.
func (r *instrumented) environment() (dumps string, env []string, lost error) {
	env = os.Environ()
	if r.command != "test" || r.args.Binary {
		return "", env, nil
	}
	dumps, lost = os.MkdirTemp("", "lockvet-dumps-")
	// The report comes at the end, so that the output of tests is their own;
	// but a deadlock has no end.
	options := "report=deadlock,history=1,leaks=1,stacks=65536"
	if r.inStd() {
		options += ",std=1"
	}
	if set := os.Getenv("LOCKDEP"); set != "" {
		options += "," + set
	}
	return dumps, append(env, "LOCKDEPDIR="+dumps, "LOCKDEP="+options), lost
}

// goCommand runs the go command in place of this one.
func (r *instrumented) goCommand(args, env []string, stdout, stderr io.Writer) (status int, err error) {
	cmd := exec.Command(r.tc.Go, args...)
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	// What interrupts both is for the go command to handle.
	signal.Ignore(os.Interrupt)
	defer signal.Reset(os.Interrupt)
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	if err != nil {
		return 0, fmt.Errorf("running go %s: %w", r.command, err)
	}
	return 0, nil
}

// observed reads what the tests have shown, and says what is lost of it; whole
// reports that nothing is.
func (r *instrumented) observed(dumps string, status int, stderr io.Writer) (graphs []*dump.Graph, whole bool) {
	graphs, troubles, err := dump.ReadDir(dumps)
	if err != nil {
		troubles = append(troubles, fmt.Sprintf("what the tests showed is lost: %v", err))
	}
	r.trimmed.restore(graphs)
	whole = len(troubles) == 0
	if status == 0 {
		troubles = append(troubles, r.troubles...)
	}
	if keep := os.Getenv("LOCKDEPDIR"); keep != "" {
		if err := moveDumps(graphs, keep); err != nil {
			troubles = append(troubles, fmt.Sprintf("LOCKDEPDIR: the dumps of this run are lost: %v", err))
		}
	}
	for _, g := range graphs {
		troubles = append(troubles, g.Limits()...)
	}
	if status == 0 || len(graphs) > 0 {
		for _, t := range troubles {
			fmt.Fprintf(stderr, "lockvet: %s\n", t)
		}
	}
	return graphs, whole
}

// report prints the findings with what the tests showed of them, on standard
// error: standard output is that of go test.
// Goroutines that are blocked for good because a deadlock was provoked are no
// news.
func (r *instrumented) report(graphs, provoked []*dump.Graph, status int, stderr io.Writer) error {
	report := finding.Report{Findings: confirm.Judge(r.static, slices.Concat(graphs, provoked), r.inStd(), r.missed())}
	confirm.NoteShared(report.Findings, r.shared)
	remain := 0
	for i, f := range report.Findings {
		report.Findings[i] = f.Relative(r.dir)
		if !r.confirmed || f.Runtime.Status == confirm.Confirmed || f.Runtime.Status == confirm.Deadlocked {
			remain++
		}
		fmt.Fprintln(stderr, report.Findings[i].String())
	}
	printBlocked(stderr, graphs, r.dir)
	if r.findings != "" {
		if err := writeFindings(r.findings, &report); err != nil {
			return err
		}
	}
	switch {
	case status != 0:
		return goStatus(status)
	case remain > 0:
		return errFound
	}
	return nil
}

// inStd reports whether the tests are those of the standard library itself.
func (r *instrumented) inStd() bool {
	rel, err := filepath.Rel(filepath.Join(r.tc.Root, "src"), r.dir)
	return err == nil && !strings.HasPrefix(rel, "..")
}

func writeFindings(name string, report *finding.Report) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("writing findings: %w", err)
	}
	err = report.WriteJSON(f)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("writing findings: %w", err)
	}
	return nil
}

// moveDumps keeps the dumps where the user wants them.
func moveDumps(graphs []*dump.Graph, dir string) error {
	for _, g := range graphs {
		text, err := os.ReadFile(g.File)
		to := filepath.Join(dir, filepath.Base(g.File))
		if err == nil {
			if err = os.WriteFile(to, text, 0o666); err != nil {
				os.Remove(to) // half of it is of no use
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
