package vetunit

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/go/analysis"
)

// The test binary is also the vet tool toy, which the scripts give to go vet.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"toy": func() {
			tool := &Tool{
				Name:      "toy",
				Analyzers: []*analysis.Analyzer{depth, marked, oldname},
				Hidden:    []*analysis.Analyzer{broken, census},
			}
			os.Exit(tool.Main(os.Args[1:], os.Stdout, os.Stderr))
		},
	})
}

func TestScripts(t *testing.T) {
	// The scripts have no home directory; the real build cache saves them
	// compiling the standard library.
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
			env.Setenv("GOFLAGS", "")
			env.Setenv("GOWORK", "off")
			toy, err := exec.LookPath("toy")
			env.Setenv("TOY", toy)
			return err
		},
	})
}

func TestAnalyzersAreValid(t *testing.T) {
	if err := analysis.Validate([]*analysis.Analyzer{depth, marked, oldname, broken, census}); err != nil {
		t.Error(err)
	}
}

// depth makes a fact about each package: how deep its imports go.
var depth = &analysis.Analyzer{
	Name:      "depth",
	Doc:       "report how deep a package's imports go",
	Run:       runDepth,
	FactTypes: []analysis.Fact{new(depthFact)},
}

type depthFact struct{ N int }

func (*depthFact) AFact() {}

var depthOver int

func init() { depth.Flags.IntVar(&depthOver, "over", 0, "report only deeper packages") }

func runDepth(pass *analysis.Pass) (any, error) {
	n := 0
	for _, f := range pass.AllPackageFacts() {
		n = max(n, f.Fact.(*depthFact).N)
	}
	n++
	pass.ExportPackageFact(&depthFact{n})
	if n > depthOver {
		name := pass.Files[0].Name
		pass.Report(analysis.Diagnostic{
			Pos:      name.Pos(),
			Category: "depth",
			Message:  fmt.Sprintf("%s has depth %d\n\t\t%s: here", pass.Pkg.Path(), n, pass.Fset.Position(name.Pos())),
		})
	}
	return nil, nil
}

// marked makes facts about functions and methods, and reports their calls.
var marked = &analysis.Analyzer{
	Name:      "marked",
	Doc:       "report calls of functions whose comment says marked",
	Run:       runMarked,
	FactTypes: []analysis.Fact{new(markedFact)},
}

type markedFact struct{}

func (*markedFact) AFact() {}

func runMarked(pass *analysis.Pass) (any, error) {
	for _, f := range pass.Files {
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && strings.TrimSpace(fn.Doc.Text()) == "marked" {
				pass.ExportObjectFact(pass.TypesInfo.Defs[fn.Name], &markedFact{})
			}
		}
	}
	for _, f := range pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				fn, ok := pass.TypesInfo.Uses[id].(*types.Func)
				if ok && pass.ImportObjectFact(fn, new(markedFact)) {
					pass.Reportf(id.Pos(), "uses marked %s", fn.Name())
				}
			}
			return true
		})
	}
	return nil, nil
}

// oldname offers to rename each function Old to New.
var oldname = &analysis.Analyzer{
	Name: "oldname",
	Doc:  "report functions named Old",
	Run:  runOldname,
}

func runOldname(pass *analysis.Pass) (any, error) {
	for _, f := range pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "Old" {
				pass.Report(analysis.Diagnostic{
					Pos:     id.Pos(),
					Message: "old name",
					SuggestedFixes: []analysis.SuggestedFix{{
						Message:   "rename to New",
						TextEdits: []analysis.TextEdit{{Pos: id.Pos(), End: id.End(), NewText: []byte("New")}},
					}},
				})
			}
			return true
		})
	}
	return nil, nil
}

var broken = &analysis.Analyzer{
	Name: "broken",
	Doc:  "fail",
	Run:  func(*analysis.Pass) (any, error) { return nil, errors.New("out of ideas") },
}

var census = &analysis.Analyzer{
	Name: "census",
	Doc:  "count every package",
	Run: func(pass *analysis.Pass) (any, error) {
		pass.Reportf(pass.Files[0].Package, "census of %s", pass.Pkg.Path())
		return nil, nil
	},
}
