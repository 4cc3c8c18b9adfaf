package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/link"
	"github.com/lockvet/lockvet/internal/lockobj"
)

var (
	errFound = errors.New("findings were printed")
	errTold  = errors.New("what failed was printed")
)

// A check is one run of the whole-program command.
type check struct {
	json, verbose bool
	tests, std    bool
	tags          string
	build         []string        // further flags that choose the build
	disabled      map[string]bool // analyzers
	patterns      []string

	dir string // working directory, after -C
}

func parseCheck(args []string) (*check, error) {
	c := &check{disabled: make(map[string]bool)}
	fs := flag.NewFlagSet("lockvet", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // run prints the error
	fs.BoolVar(&c.json, "json", false, "")
	fs.BoolVar(&c.verbose, "v", false, "")
	fs.BoolVar(&c.tests, "tests", true, "")
	fs.BoolVar(&c.std, "std", false, "")
	fs.StringVar(&c.tags, "tags", "", "")
	chdir := fs.String("C", "", "")
	choice := make(map[string]*bool)
	for _, a := range analyzers {
		choice[a.Name] = fs.Bool(a.Name, false, "")
	}
	if err := fs.Parse(args); err != nil {
		return nil, fmt.Errorf("%w: see lockvet help", err)
	}
	// As in go vet: those turned on, or else all that are not turned off.
	var on []string
	fs.Visit(func(f *flag.Flag) {
		if p := choice[f.Name]; p != nil && *p {
			on = append(on, f.Name)
		} else if p != nil {
			c.disabled[f.Name] = true
		}
	})
	for name := range choice {
		if len(on) > 0 && !slices.Contains(on, name) {
			c.disabled[name] = true
		}
	}
	if *chdir != "" {
		if err := os.Chdir(*chdir); err != nil {
			return nil, fmt.Errorf("cannot work in the directory of -C: %w", err)
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("finding the working directory: %w", err)
	}
	c.dir = dir
	c.patterns = fs.Args()
	if len(c.patterns) == 0 {
		c.patterns = []string{"."}
	}
	for _, p := range c.patterns {
		// As with go vet; else it would be taken for a package of that name.
		if strings.HasPrefix(p, "-") {
			return nil, fmt.Errorf("flag %s comes after the packages: put flags first", p)
		}
	}
	return c, nil
}

func (c *check) run(stdout, stderr io.Writer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	goCmd, err := findGo(ctx)
	if err != nil {
		return err
	}
	progress := newProgress(stderr, c.verbose)
	defer progress.done()
	roots, units, troubles, err := c.collect(ctx, goCmd, progress)
	if err != nil {
		return err
	}
	result, err := c.linked(units, roots)
	progress.done()
	for _, t := range troubles {
		fmt.Fprintf(stderr, "lockvet: %s\n", t)
	}
	if err != nil {
		return err
	}
	if err := c.print(result, stdout, stderr); err != nil {
		return fmt.Errorf("writing findings: %w", err)
	}
	switch {
	case len(troubles) > 0:
		return errTold
	case len(result.Findings) > 0:
		return errFound
	}
	return nil
}

// collect returns the packages asked for, the objects of these and all that they
// import, and a line for each package that is left out.
func (c *check) collect(ctx context.Context, goCmd string, progress *progress) (roots map[string]listed, units []unit, troubles []string, err error) {
	// Without their imports, which is quick, and most often enough.
	roots, troubles, err = c.list(ctx, goCmd, "-find")
	if err != nil {
		return nil, nil, nil, err
	}
	if len(troubles) > 0 {
		c.narrow(roots)
	}
	progress.expect(len(roots))
	units, broken, err := c.vet(ctx, goCmd, roots, progress)
	var refusal *vetError
	if errors.As(err, &refusal) && refusal.nothing {
		// Some import cannot be found. Leave out the packages that need it.
		var missing []string
		roots, missing, err = c.list(ctx, goCmd)
		if err != nil {
			return nil, nil, nil, err
		}
		if len(missing) == 0 {
			return nil, nil, nil, refusal
		}
		troubles = append(troubles, missing...)
		c.narrow(roots)
		units, broken, err = c.vet(ctx, goCmd, roots, progress)
	}
	return roots, units, append(troubles, broken...), err
}

// linked returns the findings about the packages asked for, from the cache if
// nothing has changed since they were last sought.
func (c *check) linked(units []unit, roots map[string]listed) (*linkResult, error) {
	cache := openCache(c.cacheKey(units, roots))
	if result := cache.load(); result != nil {
		return result, nil
	}
	var pkgs []*lockobj.Package
	for _, u := range units {
		decoded, err := decodeObject(u.object)
		if err != nil {
			return nil, fmt.Errorf("the object of %s in the build cache cannot be read: %w: remove it with go clean -cache", u.id, err)
		}
		pkgs = append(pkgs, decoded...)
	}
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(roots)) {
		paths = append(paths, path)
		if c.tests && len(roots[path].XTestGoFiles) > 0 {
			paths = append(paths, path+"_test")
		}
	}
	linked := link.Link(pkgs, link.Options{Roots: paths})
	result := &linkResult{
		Findings: c.judge(linked.Findings, pkgs, roots),
		Handoffs: linked.Handoffs,
		Stats:    linked.Stats,
		Limits:   linked.Limits,
	}
	cache.store(result)
	return result, nil
}

// judge leaves the findings that are to be printed: of the analyzers that are
// on and not silenced, and those about directives in the packages asked for.
func (c *check) judge(all []finding.Finding, pkgs []*lockobj.Package, roots map[string]listed) []finding.Finding {
	dirs := make(map[string]bool)
	for _, root := range roots {
		dirs[root.Dir] = true
	}
	var wanted []finding.Finding
	for _, f := range all {
		if !c.disabled[f.Analyzer] {
			wanted = append(wanted, f)
		}
	}
	kept, bad := finding.Suppress(wanted, directives(pkgs))
	for _, f := range bad {
		if dirs[filepath.Dir(f.Pos.File)] && (f.Category != finding.CategoryUnused || c.seesAll()) {
			kept = append(kept, f)
		}
	}
	return finding.Sort(kept)
}

// seesAll reports whether an ignore that silences nothing in this run is of no
// use: not if analyzers, tests or the packages around are left out.
func (c *check) seesAll() bool {
	return len(c.disabled) == 0 && c.tests &&
		slices.ContainsFunc(c.patterns, func(p string) bool { return strings.HasSuffix(p, "...") })
}

// directives returns those of all packages, each once: variants of a package
// share files.
func directives(pkgs []*lockobj.Package) []directive.Directive {
	type place struct {
		file string
		pos  directive.Pos
		kind directive.Kind
	}
	seen := make(map[place]bool)
	var all []directive.Directive
	for _, p := range pkgs {
		for _, d := range p.Directives {
			if at := (place{d.File, d.Pos, d.Kind}); !seen[at] {
				seen[at] = true
				all = append(all, d)
			}
		}
	}
	return all
}

func (c *check) print(result *linkResult, stdout, stderr io.Writer) error {
	report := finding.Report{Stats: result.Stats}
	for _, f := range result.Findings {
		report.Findings = append(report.Findings, f.Relative(c.dir))
	}
	for _, h := range result.Handoffs {
		report.Handoffs = append(report.Handoffs, h.Relative(c.dir))
	}
	if c.verbose {
		for _, h := range report.Handoffs {
			fmt.Fprintf(stderr, "lockvet: %s is handed on\n", h.Class)
			for _, s := range h.Steps {
				fmt.Fprintf(stderr, "\t%s: %s %s\n", s.Pos, s.Func, s.What)
			}
		}
		for _, limit := range result.Limits {
			fmt.Fprintf(stderr, "lockvet: limit reached: %s\n", finding.RelativeText(limit, c.dir))
		}
		for _, name := range slices.Sorted(maps.Keys(result.Stats)) {
			fmt.Fprintf(stderr, "lockvet: %s: %d\n", name, result.Stats[name])
		}
	}
	if c.json {
		return report.WriteJSON(stdout)
	}
	for _, f := range report.Findings {
		if _, err := fmt.Fprintln(stdout, f.String()); err != nil {
			return err
		}
	}
	return nil
}
