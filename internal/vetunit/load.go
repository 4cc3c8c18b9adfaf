package vetunit

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"go/version"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// A unit is one package, parsed and type-checked.
type unit struct {
	cfg     *Config
	fset    *token.FileSet
	files   []*ast.File
	types   *types.Package
	info    *types.Info
	sizes   types.Sizes
	imports map[string]*types.Package // by package path, indirect ones too
}

// maxErrors is how many errors of one package are told, as in the compiler.
const maxErrors = 10

// A sourceError is what is wrong with a package's source, one error a line.
type sourceError struct{ lines []string }

func (e *sourceError) Error() string {
	lines := e.lines
	if len(lines) > maxErrors {
		lines = append(lines[:maxErrors:maxErrors], "too many errors")
	}
	return strings.Join(lines, "\n")
}

// A versionError is source of a later version of Go, which could not be read.
type versionError struct {
	version string
	source  *sourceError
}

func (e *versionError) Error() string {
	return fmt.Sprintf("built with %s, cannot read a package of %s: build it again with that version of Go: %s", runtime.Version(), e.version, e.source.lines[0])
}

func (e *versionError) Unwrap() error { return e.source }

// newerThanThis reports whether a version of the language is later than the one
// that go/types knows here.
func newerThanThis(lang string) bool {
	this := version.Lang(runtime.Version())
	return this != "" && version.Compare(lang, this) > 0
}

func load(cfg *Config) (*unit, error) {
	u := &unit{
		cfg:     cfg,
		fset:    token.NewFileSet(),
		imports: make(map[string]*types.Package),
		// The go command sets GOARCH for its tools when it is not the host's.
		sizes: types.SizesFor("gc", build.Default.GOARCH),
	}
	err := u.parse()
	if err == nil {
		err = u.check()
	}
	var source *sourceError
	if errors.As(err, &source) && newerThanThis(cfg.GoVersion) {
		err = &versionError{cfg.GoVersion, source}
	}
	if err != nil {
		return nil, err
	}
	return u, nil
}

// dropSyntax forgets the type information and the bodies of functions.
func (u *unit) dropSyntax() {
	if u.info == nil {
		return
	}
	u.info = nil
	for _, f := range u.files {
		f.Comments = slices.DeleteFunc(f.Comments, func(g *ast.CommentGroup) bool {
			return g.Pos() > f.Package // those above tell generated files
		})
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok {
				fd.Body, fd.Doc = nil, nil
			}
		}
	}
}

func (u *unit) parse() error {
	var bad sourceError
	for _, name := range u.cfg.GoFiles {
		f, err := parser.ParseFile(u.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		var list scanner.ErrorList
		switch {
		case errors.As(err, &list):
			for _, e := range list {
				bad.lines = append(bad.lines, e.Error())
			}
		case err != nil:
			return fmt.Errorf("reading %s: %w", u.cfg.ImportPath, err)
		}
		u.files = append(u.files, f)
	}
	if bad.lines != nil {
		return &bad
	}
	return nil
}

func (u *unit) check() error {
	var bad sourceError
	var broken *importError
	lang := u.cfg.GoVersion
	if newerThanThis(lang) {
		lang = version.Lang(runtime.Version()) // most packages use nothing newer
	}
	conf := &types.Config{
		// The checker turns the error of an import into one of its own.
		Importer: importerFunc(func(path string) (*types.Package, error) {
			pkg, err := u.importPackage(path)
			errors.As(err, &broken)
			return pkg, err
		}),
		Sizes:     u.sizes,
		GoVersion: lang,
		Error:     func(err error) { bad.lines = append(bad.lines, err.Error()) },
	}
	u.info = &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Instances:    make(map[*ast.Ident]types.Instance),
		Scopes:       make(map[ast.Node]*types.Scope),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		FileVersions: make(map[*ast.File]string),
	}
	pkg, err := conf.Check(u.cfg.pkgPath(), u.fset, u.files, u.info)
	switch {
	case broken != nil:
		return broken
	case bad.lines != nil:
		return &bad
	case err != nil:
		return &sourceError{lines: []string{err.Error()}}
	}
	u.types = pkg
	return nil
}

// An importError is export data that should be there and readable.
type importError struct {
	path string
	err  error
}

func (e *importError) Error() string {
	return fmt.Sprintf("reading the export data of %s: %v: remove it with go clean -cache, or use a lockvet built with this version of Go", e.path, e.err)
}

func (e *importError) Unwrap() error { return e.err }

func (u *unit) importPackage(importPath string) (*types.Package, error) {
	path, ok := u.cfg.ImportMap[importPath]
	if !ok {
		return nil, fmt.Errorf("cannot resolve import %q", importPath)
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := u.imports[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	name, ok := u.cfg.PackageFile[path]
	if !ok {
		return nil, &importError{path, errors.New("the go command gave none")}
	}
	pkg, err := readExportData(u.fset, u.imports, name, path)
	if err != nil {
		return nil, &importError{path, err}
	}
	return pkg, nil
}

func readExportData(fset *token.FileSet, imports map[string]*types.Package, name, path string) (*types.Package, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, fset, imports, path)
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
