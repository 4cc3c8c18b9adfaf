package vetunit

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Config is the go command's description of one package, in the JSON file
// that it names on the command line.
type Config struct {
	ID                        string            // such as "fmt" or "fmt [fmt.test]"
	Compiler                  string            // gc or gccgo
	Dir                       string            // directory of the package
	ImportPath                string            // package path, perhaps with " [fmt.test]"
	GoVersion                 string            // language version, such as go1.26
	GoFiles                   []string          // absolute, cgo's output among them
	NonGoFiles                []string          // absolute
	IgnoredFiles              []string          // absolute, left out by build constraints
	ModulePath                string            // empty outside a module
	ModuleVersion             string            // empty in the main module
	Module                    json.RawMessage   // since go1.27; what is in it stands above too
	ImportMap                 map[string]string // import path in source to package path
	PackageFile               map[string]string // package path to export data
	Standard                  map[string]bool   // package paths of the standard library
	PackageVetx               map[string]string // package path to facts, direct imports only
	VetxOnly                  bool              // facts are wanted, diagnostics are not
	VetxOutput                string            // where facts go
	Stdout                    string            // where JSON and diffs go, if set
	FixArchive                string            // where fixed files go, if set
	SucceedOnTypecheckFailure bool              // say nothing about a package that does not compile
}

func readConfig(name string) (*Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the package description: %w", err)
	}
	cfg := new(Config)
	if err := json.Unmarshal(data, cfg); err != nil {
		return nil, fmt.Errorf("reading the package description %s: %w", name, err)
	}
	if len(cfg.GoFiles) == 0 {
		return nil, fmt.Errorf("package description %s: %q has no Go files", name, cfg.ImportPath)
	}
	return cfg, nil
}

// pkgPath returns the import path without the mark of a test variant, so that
// a type has one name in all of them.
func (c *Config) pkgPath() string {
	path, _, _ := strings.Cut(c.ImportPath, " ")
	return path
}

// repliesFor reports whether the unit is to be answered with diagnostics. Those
// of a mere dependency are not wanted, but the vet of go1.26 takes an answer
// without them from its cache also when the package is named on the command
// line later, and nothing is reported at all. So there a package of the main
// module always gets its diagnostics, unless it has tests: then it is another
// unit, with them, that is asked for when the package is named.
func (c *Config) repliesFor() bool {
	if !c.VetxOnly {
		return true
	}
	cacheTellsApart := c.Module != nil
	return !cacheTellsApart && c.ModulePath != "" && c.ModuleVersion == "" && !c.hasTests()
}

// hasTests reports whether test files belong to the package.
func (c *Config) hasTests() bool {
	tests, err := filepath.Glob(filepath.Join(c.Dir, "*_test.go"))
	if err != nil || len(tests) == 0 {
		return false
	}
	name := func(file string) string {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
		if err != nil {
			return ""
		}
		return f.Name.Name
	}
	own := name(c.GoFiles[0])
	return slices.ContainsFunc(tests, func(file string) bool { return name(file) == own })
}

// root returns the directory of the workspace or module that the package
// belongs to, else its own.
func (c *Config) root() string {
	module := ""
	for dir := c.Dir; ; {
		if module == "" && exists(filepath.Join(dir, "go.mod")) {
			module = dir
		}
		if os.Getenv("GOWORK") != "off" && exists(filepath.Join(dir, "go.work")) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	if module != "" {
		return module
	}
	return c.Dir
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
