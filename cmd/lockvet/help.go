package main

import (
	"fmt"
	"io"
	"maps"
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
	lockvet report [-json] [-static file] [-std] dir...
	                              what the dumps in LOCKDEPDIR show
	lockvet sites [flags] [packages]
	                              the site table, for runtime/lockdep
	lockvet help name             what an analyzer finds, or what a command takes
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

// commandHelp is what help says of the commands that run programs.
var commandHelp = map[string]string{
	"test": `usage: lockvet test [flags] [go test flags] [packages]

Runs tests with every lock tracked, and says on standard error which findings of
the analysis they confirm, and what only the run shows. go test's output and exit
status stay; where that is 0, the exit status is 1 if findings remain.

	-run-only       no analysis, only what the run shows
	-confirmed      only confirmed and deadlocked findings count for the exit status
	-provoke        run the tests again and try to make the findings happen
	-seed n         repeat the choices of an earlier -provoke
	-findings file  write the findings as lockvet -json does
`,
	"run": `usage: lockvet run [go run flags] package [arguments]

Runs a program with every lock tracked, as go run does. It reports on standard
error while it runs; LOCKDEPDIR=dir keeps what it observed for lockvet report.
`,
	"build": `usage: lockvet build [go build flags] [packages]

Builds programs with every lock tracked, as go build does. They report on
standard error while they run, on any machine; LOCKDEPDIR=dir keeps what they
observed for lockvet report.
`,
	"report": `usage: lockvet report [-json] [-static file] [-std] dir...

Merges what programs left in the directories of LOCKDEPDIR.

	-json          print findings as JSON
	-static file   give the findings in file, which lockvet -json wrote, a status
	-std           also problems among locks of the standard library alone
`,
	"sites": `usage: lockvet sites [flags] [packages]

Prints the table from source line to lock class that runtime/lockdep reads with
LOCKDEP=sites=file, for programs with its drop-in types.
`,
}

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
		if text, ok := commandHelp[args[0]]; ok {
			_, err := io.WriteString(w, text)
			return err
		}
		commands := slices.Sorted(maps.Keys(commandHelp))
		return fmt.Errorf("there is no analyzer or command %s: want one of %s, %s", args[0], names(), strings.Join(commands, ", "))
	}
	return fmt.Errorf("help takes one name, not %d", len(args))
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
