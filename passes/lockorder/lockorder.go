package lockorder

import (
	_ "embed" // for the documentation

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/linkpass"
)

//go:embed doc.go
var doc string

// Analyzer reports lock orders that can deadlock.
var Analyzer = &analysis.Analyzer{
	Name:     "lockorder",
	Doc:      linkpass.Doc(doc, "lockorder"),
	URL:      "https://pkg.go.dev/github.com/lockvet/lockvet/passes/lockorder",
	Requires: []*analysis.Analyzer{linkpass.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	linkpass.Report(pass, true)
	return nil, nil
}
