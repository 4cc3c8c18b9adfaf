// Ssavet is a vet tool that builds the SSA form of every package, the standard
// library's too, and does nothing with it. It is what lockvet's cost is
// compared with: any analysis on SSA has to pay this much, and lockvet may not
// cost more, since it leaves the standard library out.
//
//	go build -o /tmp/ssavet . && go vet -vettool=/tmp/ssavet ./...
//
// The program in compare measures the two side by side.
package main

import (
	"os"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"

	"github.com/lockvet/lockvet/internal/vetunit"
)

// built makes the analyzer one with facts, so that it runs on dependencies too.
type built struct{}

func (*built) AFact() {}

var analyzer = &analysis.Analyzer{
	Name:      "ssa",
	Doc:       "build SSA and report nothing",
	Requires:  []*analysis.Analyzer{buildssa.Analyzer},
	FactTypes: []analysis.Fact{new(built)},
	Run:       func(*analysis.Pass) (any, error) { return nil, nil },
}

func main() {
	tool := &vetunit.Tool{
		Name:      "ssavet",
		Analyzers: []*analysis.Analyzer{analyzer},
		Standard:  true,
	}
	os.Exit(tool.Main(os.Args[1:], os.Stdout, os.Stderr))
}
