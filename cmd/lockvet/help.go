package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/directive"
)

const usage = `Lockvet finds lock-order deadlocks, leaked locks, and waits under a lock that
the awaited side needs.

usage:
	lockvet [flags] [packages]    check packages and what they import, as one program
	go vet -vettool=$(which lockvet) [packages]
	                              check package by package
	lockvet test [-run-only] [-confirmed] [-provoke [-seed n]] [-findings file] [go test flags] [packages]
	                              run tests with every lock tracked, and say which
	                              findings they confirm
	lockvet run|build [go flags] [packages]
	                              the same for programs
	lockvet report [-json] [-static file] [-foreign dir] dir...
	                              what the dumps in LOCKDEPDIR show
	lockvet sites [flags] [packages]
	                              the site table, for runtime/lockdep
	lockvet help analyzer         what an analyzer finds
	lockvet explain category      what a finding means, and what to do
	lockvet version

flags:
	-C dir      work in dir
	-json       print findings as JSON
	-tags list  build tags, as for go build
	-tests=false
	            leave out test files
	-std        analyse the standard library instead of modelling it
	-v          name each package as it is done, and print what the analysis saw
	-NAME, -NAME=false
	            run only, or not, the analyzer NAME

Exit status: 0 nothing found, 1 findings, 2 the work, or a part of it, could not
be done.

analyzers:
`

func help(args []string, w io.Writer) error {
	switch len(args) {
	case 0:
		fmt.Fprint(w, usage)
		for _, a := range analyzers {
			fmt.Fprintf(w, "\t%-14s%s\n", a.Name, summary(a))
		}
		return nil
	case 1:
		for _, a := range analyzers {
			if a.Name == args[0] {
				_, err := fmt.Fprintf(w, "%s: %s\n", a.Name, strings.TrimSpace(a.Doc))
				return err
			}
		}
		return fmt.Errorf("there is no analyzer %s: want one of %s", args[0], names())
	}
	return fmt.Errorf("help takes one analyzer, not %d", len(args))
}

// summary returns the first line of an analyzer's documentation.
func summary(a *analysis.Analyzer) string {
	line, _, _ := strings.Cut(strings.TrimSpace(a.Doc), "\n")
	return line
}

func names() string {
	var list []string
	for _, a := range analyzers {
		list = append(list, a.Name)
	}
	return strings.Join(list, ", ")
}

// explain prints the section about a category in its analyzer's documentation.
func explain(args []string, w io.Writer) error {
	categories := slices.DeleteFunc(slices.Clone(directive.Categories), func(name string) bool {
		return slices.ContainsFunc(analyzers, func(a *analysis.Analyzer) bool { return a.Name == name })
	})
	if len(args) != 1 {
		return fmt.Errorf("explain takes one category: %s", strings.Join(categories, ", "))
	}
	// The form that findings print, lockorder/inversion, works too.
	category := args[0][strings.LastIndexByte(args[0], '/')+1:]
	for _, a := range analyzers {
		if text := section(a.Doc, category); text != "" {
			_, err := fmt.Fprintf(w, "%s/%s\n\n%s\n", a.Name, category, text)
			return err
		}
	}
	return fmt.Errorf("there is no category %s: want one of %s", category, strings.Join(categories, ", "))
}

// section returns the text under the heading that names the category.
func section(doc, category string) string {
	var lines []string
	inside := false
	for line := range strings.Lines(doc) {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			inside = slices.Contains(strings.FieldsFunc(heading, notWord), category)
			continue
		}
		if inside {
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, ""))
}

func notWord(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }

func printVersion(w io.Writer) error {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	_, err := fmt.Fprintf(w, "lockvet %s %s %s/%s\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
