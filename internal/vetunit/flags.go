package vetunit

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"
)

// options are what flags say, the analyzers' own flags apart.
type options struct {
	version, flags  bool
	json, fix, diff bool
	std             bool
	choice          map[string]bool // analyzers named by a flag
}

// parseFlags reads the command line and sets the analyzers' own flags. With
// -std it sets the flag std of every analyzer that has one, also of those that
// are only required by others.
func (t *Tool) parseFlags(args []string) (opts *options, rest []string, err error) {
	opts = &options{choice: make(map[string]bool)}
	fs := t.flagSet(opts)
	if err := fs.Parse(args); err != nil {
		return nil, nil, err
	}
	opts.std = opts.std || t.Standard
	if opts.std {
		visit(t.all(), func(a *analysis.Analyzer) {
			if a.Flags.Lookup("std") != nil {
				err = errors.Join(err, a.Flags.Set("std", "true"))
			}
		})
	}
	return opts, fs.Args(), err
}

func (t *Tool) flagSet(opts *options) *flag.FlagSet {
	fs := flag.NewFlagSet(t.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the error says enough
	fs.BoolFunc("V", "print the version, as -V=full", func(s string) error {
		if s != "full" {
			return fmt.Errorf("want -V=full")
		}
		opts.version = true
		return nil
	})
	fs.BoolVar(&opts.flags, "flags", false, "print the flags as JSON")
	fs.BoolVar(&opts.json, "json", false, "print diagnostics as JSON")
	fs.BoolVar(&opts.fix, "fix", false, "apply the first fix of each diagnostic instead of printing it")
	fs.BoolVar(&opts.diff, "diff", false, "with -fix, print the fixes as a diff and change nothing")
	fs.BoolVar(&opts.std, "std", false, "analyse the standard library instead of modelling it")
	for _, a := range t.all() {
		fs.BoolFunc(a.Name, "enable "+a.Name+" analysis", func(s string) error {
			on, err := strconv.ParseBool(s)
			opts.choice[a.Name] = on
			return err
		})
		a.Flags.VisitAll(func(f *flag.Flag) {
			fs.Var(f.Value, a.Name+"."+f.Name, f.Usage)
		})
	}
	return fs
}

func (t *Tool) all() []*analysis.Analyzer {
	return slices.Concat(t.Analyzers, t.Hidden)
}

// printFlags answers -flags. The go command accepts what is listed here on its
// own command line, and hands it on.
func (t *Tool) printFlags(w io.Writer) error {
	type description struct {
		Name  string
		Bool  bool
		Usage string
	}
	var list []description
	t.flagSet(&options{}).VisitAll(func(f *flag.Flag) {
		if f.Name == "V" || f.Name == "flags" {
			return
		}
		b, ok := f.Value.(interface{ IsBoolFlag() bool })
		list = append(list, description{f.Name, ok && b.IsBoolFlag(), f.Usage})
	})
	data, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}

// enabled returns the analyzers to run: those that a flag turns on, or, if none
// does, all that no flag turns off. Where only facts are wanted, it is the ones
// behind them that make facts.
func (t *Tool) enabled(opts *options, factsOnly bool) []*analysis.Analyzer {
	var chosen []*analysis.Analyzer
	if slices.Contains(slices.Collect(maps.Values(opts.choice)), true) {
		for _, a := range t.all() {
			if opts.choice[a.Name] {
				chosen = append(chosen, a)
			}
		}
	} else {
		for _, a := range t.Analyzers {
			if on, named := opts.choice[a.Name]; on || !named {
				chosen = append(chosen, a)
			}
		}
	}
	if !factsOnly {
		return chosen
	}
	var makers []*analysis.Analyzer
	visit(chosen, func(a *analysis.Analyzer) {
		if len(a.FactTypes) > 0 {
			makers = append(makers, a)
		}
	})
	return makers
}

// namesHidden reports whether a hidden analyzer is among those to run.
func (t *Tool) namesHidden(opts *options) bool {
	return slices.ContainsFunc(t.Hidden, func(a *analysis.Analyzer) bool { return opts.choice[a.Name] })
}

// factTypes returns a sample of every type of fact that any analyzer makes.
func (t *Tool) factTypes() []analysis.Fact {
	var facts []analysis.Fact
	visit(t.all(), func(a *analysis.Analyzer) { facts = append(facts, a.FactTypes...) })
	return facts
}

// visit calls f once for each of the analyzers and what they require, what is
// required first.
func visit(analyzers []*analysis.Analyzer, f func(*analysis.Analyzer)) {
	seen := make(map[*analysis.Analyzer]bool)
	var walk func([]*analysis.Analyzer)
	walk = func(list []*analysis.Analyzer) {
		for _, a := range list {
			if !seen[a] {
				seen[a] = true
				walk(a.Requires)
				f(a)
			}
		}
	}
	walk(analyzers)
}
