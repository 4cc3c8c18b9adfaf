package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Target is one package of one version of a module, as the module proxy
// serves it.
type Target struct {
	Module  string
	Version string
	Package string
	Raise   []string // module@version of dependencies too old for a current Go
}

func (t Target) String() string { return t.Package + " (" + t.Module + "@" + t.Version + ")" }

// errOffline is wrapped by the errors of a go command that had neither the
// module proxy nor the module in its cache.
var errOffline = errors.New("the module proxy cannot be reached and the module is not in the cache")

// importerFile is written last, so that a directory which has it is complete.
const importerFile = "target.go"

// Prepare makes dir a module that requires the target at exactly its version.
// It runs nothing of the target. A directory prepared before is left as it is.
//
// The target's own tree stands in dir/tree and replaces its module: the go
// command refuses to overlay the module cache, which is how lockvet leaves out
// tests, and a tree of before modules gets the go.mod that it lacks.
func Prepare(ctx context.Context, dir string, t Target) error {
	if _, err := os.Stat(filepath.Join(dir, importerFile)); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	// The go command raises the go line itself where the target needs it.
	err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module corpus.test/target\n\ngo 1.26\n"), 0o666)
	if err != nil {
		return err
	}
	if err := plant(ctx, dir, t); err != nil {
		return err
	}
	edit := []string{"mod", "edit", "-require=" + t.Module + "@" + t.Version, "-replace=" + t.Module + "=./tree"}
	for _, r := range t.Raise {
		edit = append(edit, "-require="+r)
	}
	if _, err := goCommand(ctx, dir, edit...); err != nil {
		return err
	}
	// With -mod=mod, listing completes go.mod and go.sum. It asks for a newer
	// version of nothing that is required already, and for no list of the
	// versions of a module.
	if _, err := goCommand(ctx, dir, "list", "-deps", t.Package); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, importerFile), importer(t.Package), 0o666)
}

// plant makes dir/tree the target's tree: a link into the module cache, or a
// copy where there is a go.mod to add.
func plant(ctx context.Context, dir string, t Target) error {
	source, err := moduleDir(ctx, dir, t.Module, t.Version)
	if err != nil {
		return err
	}
	tree := filepath.Join(dir, "tree")
	if err := os.RemoveAll(tree); err != nil {
		return err
	}
	_, err = os.Stat(filepath.Join(source, "go.mod"))
	if err == nil {
		return os.Symlink(source, tree)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := copyTree(tree, source); err != nil {
		return err
	}
	// A tree without go.mod would be compiled as Go 1.16.
	return os.WriteFile(filepath.Join(tree, "go.mod"), []byte("module "+t.Module+"\n\ngo 1.26\n"), 0o666)
}

// Builds reports why the target or a dependency of it does not compile, nil if
// all do: a vettool needs the export data of each.
func Builds(ctx context.Context, dir string, t Target) error {
	_, err := goCommand(ctx, dir, "build", t.Package)
	return err
}

// importer returns a source file that imports the package, where that is
// allowed: internal packages are named on the command line only.
func importer(pkg string) []byte {
	if slices.Contains(strings.Split(pkg, "/"), "internal") {
		return []byte("// Package target stands for a module that uses " + pkg + ".\npackage target\n")
	}
	return []byte("// Package target stands for a module that uses " + pkg + ".\npackage target\n\nimport _ \"" + pkg + "\"\n")
}

// Env is the environment of every command that runs in a prepared module:
// go.mod and go.sum may be completed, and no workspace around it counts.
func Env() []string {
	return append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GO111MODULE=on")
}

func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = Env()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err == nil {
		return stdout.Bytes(), nil
	}
	err = fmt.Errorf("go %s: %w\n%s%s", strings.Join(args, " "), err, stdout.Bytes(), stderr.Bytes())
	// With -json, go mod download reports on stdout.
	if offline(stdout.String() + stderr.String()) {
		err = fmt.Errorf("%w: %w", errOffline, err)
	}
	return nil, err
}

// offline tells a missing network from a missing module by the go command's
// message: it has no status of its own for that.
func offline(output string) bool {
	for _, s := range []string{
		"dial tcp", "no such host", "connection refused", "network is unreachable",
		"i/o timeout", "TLS handshake timeout", "proxyconnect", "module lookup disabled by GOPROXY=off",
	} {
		if strings.Contains(output, s) {
			return true
		}
	}
	return false
}

// moduleDir returns where the go command unpacked a module.
func moduleDir(ctx context.Context, dir, module, version string) (string, error) {
	out, err := goCommand(ctx, dir, "mod", "download", "-json", module+"@"+version)
	if err != nil {
		return "", err
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	return m.Dir, nil
}
