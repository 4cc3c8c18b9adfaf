package main

import (
	"encoding/base64"
	"errors"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/compile"
	"github.com/lockvet/lockvet/internal/linkpass"
	"github.com/lockvet/lockvet/internal/lockobj"
	"github.com/lockvet/lockvet/internal/vetunit"
	"github.com/lockvet/lockvet/passes/crossrelease"
	"github.com/lockvet/lockvet/passes/lockorder"
)

// analyzers are those that users know.
var analyzers = []*analysis.Analyzer{lockorder.Analyzer, crossrelease.Analyzer}

func tool() *vetunit.Tool {
	compile.ConsumeTypes = true
	return &vetunit.Tool{
		Name:      "lockvet",
		Analyzers: analyzers,
		Hidden:    []*analysis.Analyzer{emit},
		NoSyntax:  append([]*analysis.Analyzer{linkpass.Analyzer, emit}, analyzers...),
	}
}

// emit hands each package's object to the whole-program command by way of go
// vet -json, which caches it like any diagnostic.
var emit = &analysis.Analyzer{
	Name:     "lockvetemit",
	Doc:      "print the package's object for lockvet's own use",
	Requires: []*analysis.Analyzer{compile.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		// Dependencies print their own, so that none has to be carried along.
		own := pass.ResultOf[compile.Analyzer].(*compile.Result).Own
		object := lockobj.Encode([]*lockobj.Package{own})
		pass.Report(analysis.Diagnostic{
			Pos:     pass.Files[0].Package,
			Message: base64.StdEncoding.EncodeToString(object),
		})
		return nil, nil
	},
}

// decodeObject undoes what emit did.
func decodeObject(message string) ([]*lockobj.Package, error) {
	object, err := base64.StdEncoding.DecodeString(message)
	if err != nil {
		return nil, errors.New("it is not an object")
	}
	return lockobj.Decode(object)
}
