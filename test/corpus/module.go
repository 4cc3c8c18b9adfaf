package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// Prepare makes dir a module that requires the target at exactly its version,
// with every checksum that vetting the package and its tests needs. It runs
// nothing of the target. A directory prepared before is left as it is.
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
	edit := []string{"mod", "edit", "-require=" + t.Module + "@" + t.Version}
	for _, r := range t.Raise {
		edit = append(edit, "-require="+r)
	}
	if _, err := goCommand(ctx, dir, edit...); err != nil {
		return err
	}
	// With -mod=mod, listing completes go.mod and go.sum. It asks for a newer
	// version of nothing that is required already, and for no list of the
	// versions of a module. Tests are vetted with their package, so their
	// imports count; those of old trees may be gone, which -e lets pass.
	if _, err := goCommand(ctx, dir, "list", "-e", "-deps", "-test", t.Package); err != nil {
		return err
	}
	out, err := goCommand(ctx, dir, "list", "-m", "-f", "{{.Version}}", t.Module)
	if err != nil {
		return err
	}
	if got := strings.TrimSpace(string(out)); got != t.Version {
		return fmt.Errorf("preparing %s: its requirements choose %s", t, got)
	}
	return os.WriteFile(filepath.Join(dir, importerFile), importer(t.Package), 0o666)
}

// Builds reports whether the target and its dependencies compile, so that a
// vettool gets the export data of all of them, and whether its tests do: where
// they do not, a go vet that names the package fails before the vettool runs.
func Builds(ctx context.Context, dir string, t Target) (testsErr, err error) {
	if _, err := goCommand(ctx, dir, "build", t.Package); err != nil {
		return nil, err
	}
	// The cheapest of the checks that need types.
	_, testsErr = goCommand(ctx, dir, "vet", "-directive", t.Package)
	return testsErr, nil
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
	if offline(stderr.String()) {
		err = fmt.Errorf("%w: %w", errOffline, err)
	}
	return nil, err
}

// offline tells a missing network from a missing module by the go command's
// message: it has no status of its own for that.
func offline(stderr string) bool {
	for _, s := range []string{
		"dial tcp", "no such host", "connection refused", "network is unreachable",
		"i/o timeout", "TLS handshake timeout", "proxyconnect", "module lookup disabled by GOPROXY=off",
	} {
		if strings.Contains(stderr, s) {
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
