package crossrelease

import (
	_ "embed" // for the documentation

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/linkpass"
)

//go:embed doc.go
var doc string

// Analyzer reports waits under locks that the signaller needs, and leaks.
var Analyzer = &analysis.Analyzer{
	Name:     "crossrelease",
	Doc:      linkpass.Doc(doc, "crossrelease"),
	URL:      "https://pkg.go.dev/github.com/lockvet/lockvet/passes/crossrelease",
	Requires: []*analysis.Analyzer{linkpass.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	linkpass.Report(pass, false)
	return nil, nil
}
