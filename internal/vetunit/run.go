package vetunit

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// A result is what one analyzer said about a unit.
type result struct {
	analyzer    *analysis.Analyzer
	value       any
	diagnostics []analysis.Diagnostic
	err         error
}

// run runs the analyzers and what they require, each once, and returns the
// results of the analyzers themselves. One after the other: the go command
// already runs as many units at a time as there are processors.
func run(u *unit, facts *factSet, analyzers, noSyntax []*analysis.Analyzer) []*result {
	done := make(map[*analysis.Analyzer]*result)
	users := make(map[*analysis.Analyzer]int)
	readers := 0 // of the syntax
	visit(analyzers, func(a *analysis.Analyzer) {
		for _, req := range a.Requires {
			users[req]++
		}
		if !slices.Contains(noSyntax, a) {
			readers++
		}
	})
	visit(analyzers, func(a *analysis.Analyzer) {
		if readers == 0 {
			u.dropSyntax()
		}
		done[a] = runOne(u, facts, a, done)
		if !slices.Contains(noSyntax, a) {
			readers--
		}
		// What a large package's analyzers leave takes hundreds of megabytes:
		// what nobody needs any more goes at once.
		for _, req := range a.Requires {
			if users[req]--; users[req] == 0 && !slices.Contains(analyzers, req) {
				done[req].value = nil
			}
		}
	})
	results := make([]*result, len(analyzers))
	for i, a := range analyzers {
		results[i] = done[a]
	}
	return results
}

func runOne(u *unit, facts *factSet, a *analysis.Analyzer, done map[*analysis.Analyzer]*result) *result {
	r := &result{analyzer: a}
	inputs := make(map[*analysis.Analyzer]any)
	for _, req := range a.Requires {
		if err := done[req].err; err != nil {
			r.err = err
			return r
		}
		inputs[req] = done[req].value
	}
	pass := &analysis.Pass{
		Analyzer:     a,
		Fset:         u.fset,
		Files:        u.files,
		OtherFiles:   u.cfg.NonGoFiles,
		IgnoredFiles: u.cfg.IgnoredFiles,
		Pkg:          u.types,
		TypesInfo:    u.info,
		TypesSizes:   u.sizes,
		ResultOf:     inputs,
		Report:       func(d analysis.Diagnostic) { r.diagnostics = append(r.diagnostics, d) },
		ReadFile:     os.ReadFile,
	}
	if u.cfg.ModulePath != "" {
		pass.Module = &analysis.Module{
			Path:      u.cfg.ModulePath,
			Version:   u.cfg.ModuleVersion,
			GoVersion: u.cfg.GoVersion,
		}
	}
	facts.connect(pass)
	value, err := runSafely(pass)
	if err != nil {
		r.err = fmt.Errorf("%s: %w", a.Name, err)
	}
	r.value = value
	return r
}

// runSafely turns a panic into an error that names the package, so that one
// package that the analysis stumbles over does not hide the others.
func runSafely(pass *analysis.Pass) (value any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error on %s, please report it: %v\n%s", pass.Pkg.Path(), p, debug.Stack())
		}
	}()
	return pass.Analyzer.Run(pass)
}

func failed(results []*result) bool {
	return slices.ContainsFunc(results, func(r *result) bool { return r.err != nil })
}

// errorsOf joins the errors of the results, each once: analyzers that share a
// requirement share its error.
func errorsOf(results []*result) error {
	var errs []error
	for _, r := range results {
		if r.err != nil && !slices.Contains(errs, r.err) {
			errs = append(errs, r.err)
		}
	}
	return errors.Join(errs...)
}
