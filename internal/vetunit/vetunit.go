// Package vetunit is the vet tool's side of the protocol between go vet and a
// tool given with -vettool: -V=full, -flags, and one JSON file per package.
//
// It exists because the driver of golang.org/x/tools (unitchecker) keeps the
// types of a package in its fact file and so has to type-check the standard
// library from source, while lockvet does not look into the standard library
// at all. Here types come from the compiler's export data, and a package of the
// standard library is answered before anything is parsed.
//
// In goes a package as the go command describes it, with the export data and
// facts of its imports. Out come its facts, and diagnostics as text, JSON or
// fixes. It knows nothing of locks and never starts a process.
package vetunit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A Tool is a vet tool: a name and its analyzers.
type Tool struct {
	Name string
	// Analyzers run unless flags choose among them.
	Analyzers []*analysis.Analyzer
	// Hidden ones run only when a flag names them, and then report on
	// dependencies as well.
	Hidden []*analysis.Analyzer
	// NoSyntax are analyzers, also ones that others require, which need no
	// type information and no function bodies. The memory of these is given
	// back when only such analyzers are left to run.
	NoSyntax []*analysis.Analyzer
	// Standard says that the standard library is analysed even without -std.
	Standard bool
}

// IsProtocol reports whether the arguments of a command are those that the go
// command gives to its vet tool.
func IsProtocol(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return len(args) == 1 && (last == "-V=full" || last == "-flags") || strings.HasSuffix(last, ".cfg")
}

// Main answers one request of the go command and returns the exit status.
func (t *Tool) Main(args []string, stdout, stderr io.Writer) int {
	err := t.answer(args, stdout, stderr)
	var found *foundError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &found):
		return 1
	}
	// Errors in source files are printed like a compiler's, for the go command
	// and editors to find; the others say whose they are.
	if source, ok := err.(*sourceError); ok {
		fmt.Fprintln(stderr, source.Error())
	} else {
		fmt.Fprintf(stderr, "%s: %v\n", t.Name, err)
	}
	return 1
}

// foundError says that diagnostics were printed as text.
type foundError struct{}

func (*foundError) Error() string { return "diagnostics were reported" }

func (t *Tool) answer(args []string, stdout, stderr io.Writer) error {
	opts, rest, err := t.parseFlags(args)
	if err != nil {
		return err
	}
	switch {
	case opts.version:
		id, err := BuildID()
		if err != nil {
			return err
		}
		// The go command wants the word devel to use the ID alone as cache key.
		_, err = fmt.Fprintf(stdout, "%s version devel buildID=%s\n", t.Name, id)
		return err
	case opts.flags:
		return t.printFlags(stdout)
	case len(rest) != 1 || !strings.HasSuffix(rest[0], ".cfg"):
		return fmt.Errorf("want one .cfg file written by the go command, have %q: use go vet -vettool", rest)
	}
	cfg, err := readConfig(rest[0])
	if err != nil {
		return err
	}
	return t.unit(cfg, opts, stdout, stderr)
}

// unit analyses one package.
func (t *Tool) unit(cfg *Config, opts *options, stdout, stderr io.Writer) error {
	if !opts.std && isStandard(cfg) {
		return answerStandard(cfg, opts)
	}
	pkg, err := load(cfg)
	if err != nil {
		var source *sourceError
		if cfg.SucceedOnTypecheckFailure && errors.As(err, &source) {
			return nil // the compiler says it
		}
		return err
	}
	facts := newFactSet(pkg.types, t.factTypes())
	if err := facts.readAll(cfg.PackageVetx, pkg.imports); err != nil {
		return err
	}
	replies := cfg.repliesFor() || t.namesHidden(opts)
	results := run(pkg, facts, t.enabled(opts, !replies), t.NoSyntax)
	if cfg.VetxOutput != "" && !failed(results) {
		data, err := facts.encode()
		if err != nil {
			return err
		}
		if err := os.WriteFile(cfg.VetxOutput, data, 0o666); err != nil {
			return fmt.Errorf("writing facts of %s: %w", cfg.ImportPath, err)
		}
	}
	if !replies {
		return errorsOf(results)
	}
	return t.report(pkg, results, opts, stdout, stderr)
}

// answerStandard says that there is nothing to say about a package of the
// standard library. The files are written, since the go command caches only
// what is there.
func answerStandard(cfg *Config, opts *options) error {
	if cfg.VetxOutput != "" {
		if err := os.WriteFile(cfg.VetxOutput, nil, 0o666); err != nil {
			return fmt.Errorf("writing facts of %s: %w", cfg.ImportPath, err)
		}
	}
	if opts.fix && !cfg.VetxOnly {
		return writeArchive(cfg, nil)
	}
	return nil
}

// isStandard reports whether the package belongs to the standard library or
// the go commands.
func isStandard(cfg *Config) bool {
	switch cfg.ModulePath {
	case "std", "cmd":
		return true
	case "":
	default:
		return false
	}
	// No module: the standard library, or GOPATH mode. Only the first lies in a
	// source tree that says so.
	path := cfg.pkgPath()
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return false
	}
	src, ok := strings.CutSuffix(filepath.ToSlash(cfg.Dir), "/"+strings.TrimSuffix(path, "_test"))
	if !ok {
		return false
	}
	mod, err := os.ReadFile(filepath.Join(filepath.FromSlash(src), "go.mod"))
	return err == nil && strings.HasPrefix(string(mod), "module std\n")
}

// BuildID returns a hash of the running executable, which tells apart what any
// two builds of it have cached.
func BuildID() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this executable: %w", err)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("hashing this executable: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("hashing this executable: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
