// Package linkpass links a package with what its imports' facts carry, once
// for all passes, and turns findings into diagnostics.
package linkpass

import (
	"go/token"
	"reflect"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/compile"
	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/link"
	"github.com/lockvet/lockvet/internal/lockobj"
)

// Analyzer links one package. Its result is a *link.Result whose findings are
// those that no directive silences.
var Analyzer = &analysis.Analyzer{
	Name:       "lockvetlink",
	Doc:        "link the package's lock object with those of its imports (internal)",
	Requires:   []*analysis.Analyzer{compile.Analyzer},
	ResultType: reflect.TypeFor[*link.Result](),
	Run:        run,
}

func run(pass *analysis.Pass) (any, error) {
	obj := pass.ResultOf[compile.Analyzer].(*compile.Result)
	if len(obj.Own.Funcs) == 0 && len(obj.Deps) == 0 {
		return &link.Result{}, nil
	}
	res := link.Link(append([]*lockobj.Package{obj.Own}, obj.Deps...), link.Options{Own: obj.Own.Path})
	var all, own []directive.Directive
	for _, p := range obj.Deps {
		all = append(all, p.Directives...)
	}
	own = obj.Own.Directives
	kept, bad := finding.Suppress(res.Findings, own)
	kept, _ = finding.Suppress(kept, all)
	for _, f := range bad {
		// What silences nothing here may silence a finding that only an
		// importer sees; the whole-program check tells.
		if f.Category != finding.CategoryUnused {
			kept = append(kept, f)
		}
	}
	res.Findings = kept
	return res, nil
}

// Report reports the findings of one analyzer, and those about directives if
// it is asked to.
func Report(pass *analysis.Pass, directives bool) {
	res := pass.ResultOf[Analyzer].(*link.Result)
	for _, f := range res.Findings {
		if f.Analyzer != pass.Analyzer.Name && !(directives && f.Analyzer == finding.DirectiveAnalyzer) {
			continue
		}
		pos := Pos(pass, f.Pos)
		if pkg := res.Places[f.ID]; pkg != "" {
			pos = importOf(pass, pkg)
		}
		pass.Report(analysis.Diagnostic{Pos: pos, Category: f.Category, Message: f.Text(), SuggestedFixes: fixes(pass, f)})
	}
}

// Pos finds a position in the files of the pass; the package clause stands for
// what lies elsewhere.
func Pos(pass *analysis.Pass, p finding.Position) token.Pos {
	for _, f := range pass.Files {
		tf := pass.Fset.File(f.Package)
		if tf == nil || p.Line < 1 || tf.LineCount() < p.Line || tf.Name() != p.File && pass.Fset.Position(f.Package).Filename != p.File {
			continue
		}
		pos := tf.LineStart(p.Line) + token.Pos(max(p.Col-1, 0))
		if pass.Fset.Position(pos).Line != p.Line || pos > token.Pos(tf.Base()+tf.Size()) {
			return tf.LineStart(p.Line)
		}
		return pos
	}
	return pass.Files[0].Package
}

// importOf is the import through which a package comes in.
func importOf(pass *analysis.Pass, path string) token.Pos {
	for _, f := range pass.Files {
		for _, spec := range f.Imports {
			if p, err := strconv.Unquote(spec.Path.Value); err == nil && p == path {
				return spec.Pos()
			}
		}
	}
	return pass.Files[0].Package
}

// fixes turns a finding's edits into a suggested fix.
func fixes(pass *analysis.Pass, f finding.Finding) []analysis.SuggestedFix {
	var edits []analysis.TextEdit
	for _, e := range f.Fixes {
		for _, file := range pass.Files {
			if tf := pass.Fset.File(file.Package); tf != nil && tf.Name() == e.File && e.End <= tf.Size() {
				edits = append(edits, analysis.TextEdit{Pos: tf.Pos(e.Start), End: tf.Pos(e.End), NewText: []byte(e.New)})
			}
		}
	}
	if len(edits) == 0 {
		return nil
	}
	message := "release " + f.Classes[0] + " before the return"
	if len(edits) > 1 {
		message = "defer the release of " + f.Classes[0]
	}
	return []analysis.SuggestedFix{{Message: message, TextEdits: edits}}
}
