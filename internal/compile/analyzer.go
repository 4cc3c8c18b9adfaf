package compile

import (
	"fmt"
	"go/types"
	"reflect"
	"sort"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// Result is what the analyzer gives to the passes.
type Result struct {
	// Own is the object of this package, whole.
	Own *lockobj.Package
	// Deps are the objects that the imports' facts carry, by import path.
	Deps []*lockobj.Package
}

// Object returns the encoded objects for a link of the whole program.
func (r *Result) Object() []byte {
	return lockobj.Encode(append([]*lockobj.Package{r.Own}, r.Deps...))
}

// Analyzer compiles a package and exports, as its fact, what importers need.
var Analyzer = &analysis.Analyzer{
	Name:       "lockvetobject",
	Doc:        "compile the package's lock object for lockorder and crossrelease (internal)",
	FactTypes:  []analysis.Fact{new(lockobj.Fact)},
	ResultType: reflect.TypeFor[*Result](),
	Run:        run,
}

func run(pass *analysis.Pass) (any, error) {
	res := &Result{}
	if isStd(pass) {
		res.Own = &lockobj.Package{Path: pass.Pkg.Path(), Name: pass.Pkg.Name(), Whole: true}
		return res, nil
	}
	var objs []*lockobj.Package
	facts := pass.AllPackageFacts()
	sort.Slice(facts, func(i, j int) bool { return facts[i].Package.Path() < facts[j].Package.Path() })
	for _, pf := range facts {
		fact, ok := pf.Fact.(*lockobj.Fact)
		if !ok || pf.Package.Path() == pass.Pkg.Path() {
			continue
		}
		pkgs, err := lockobj.Decode(fact.Data)
		if err != nil {
			return nil, fmt.Errorf("reading what lockvet knows of %s: %w", pf.Package.Path(), err)
		}
		objs = append(objs, pkgs...)
	}
	res.Deps = lockobj.Merge(objs)
	test := strings.HasSuffix(pass.Pkg.Name(), "_test")
	for _, f := range pass.Files {
		if strings.HasSuffix(pass.Fset.Position(f.Package).Filename, "_test.go") {
			test = true
		}
	}
	res.Own = lockobj.Slim(compilePackage(pass, buildSSA(pass, res.Deps), res.Deps, test), res.Deps)
	fact, left := lockobj.Fit(lockobj.Export(res.Own, res.Deps))
	pass.ExportPackageFact(&lockobj.Fact{Data: fact})
	res.Own.FactSize, res.Own.FactLeft = len(fact), left
	return res, nil
}

// ConsumeTypes lets the analyzer destroy the type information of its pass when
// it has the SSA form, for the memory: some 200 MB for a package of 400,000
// lines. Only a driver that runs nothing else on the package may set it.
var ConsumeTypes bool

// std says whether to analyse the standard library too.
var std bool

func init() {
	Analyzer.Flags.BoolVar(&std, "std", false, "analyse the standard library instead of modelling it")
}

// isStd reports whether the package belongs to the standard library.
func isStd(pass *analysis.Pass) bool {
	if std || pass.Module != nil && pass.Module.Path != "" && pass.Module.Path != "std" {
		return false
	}
	return stdPath(pass.Pkg)
}

func stdPath(pkg *types.Package) bool { return lockobj.IsStd(pkg.Path()) }
