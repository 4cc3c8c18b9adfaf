package instrument

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Toolchain is the Go that builds the user's program.
type Toolchain struct {
	Go      string   // the go command
	Root    string   // GOROOT
	Version string   // such as go1.26.8
	Target  string   // GOOS/GOARCH
	Env     []string // what the go command needs besides the environment
	Flags   []string // of GOFLAGS
	Overlay string   // the file of an -overlay among them, which another hides
}

// Find returns the toolchain that the go command at path chooses in the working
// directory.
func Find(path string) (*Toolchain, error) {
	cmd := exec.Command(path, "env", "-json", "GOROOT", "GOVERSION", "GOMODCACHE", "GOOS", "GOARCH", "GOFLAGS")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if said := strings.TrimSpace(stderr.String()); said != "" {
			err = errors.New(said)
		}
		return nil, fmt.Errorf("go env does not work here: %w", err)
	}
	var env struct{ GOROOT, GOVERSION, GOMODCACHE, GOOS, GOARCH, GOFLAGS string }
	if err := json.Unmarshal(stdout.Bytes(), &env); err != nil {
		return nil, fmt.Errorf("reading the output of go env: %w", err)
	}
	tc := &Toolchain{Go: path, Root: env.GOROOT, Version: env.GOVERSION, Target: env.GOOS + "/" + env.GOARCH}
	tc.Flags = strings.Fields(env.GOFLAGS)
	for _, f := range tc.Flags {
		if name, file, ok := strings.Cut(strings.TrimLeft(f, "-"), "="); ok && name == "overlay" {
			tc.Overlay = strings.Trim(file, "'\"")
		}
	}
	if below(env.GOROOT, env.GOMODCACHE) {
		return tc, tc.outsideModules()
	}
	return tc, nil
}

func below(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && dir != "" && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// outsideModules reaches a toolchain that GOTOOLCHAIN fetched by another name:
// the go command replaces no file below the module cache.
func (tc *Toolchain) outsideModules() error {
	base, err := CacheDir()
	if err != nil {
		return err
	}
	dir := filepath.Join(base, "goroot")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("making a link to %s: %w", tc.Root, err)
	}
	link := filepath.Join(dir, hash([]byte(tc.Root))+"-"+filepath.Base(tc.Root))
	if to, err := os.Readlink(link); err != nil || to != tc.Root {
		os.Remove(link)
		if err := os.Symlink(tc.Root, link); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("making a link to %s: %w", tc.Root, err)
		}
	}
	tc.Root = link
	tc.Go = filepath.Join(link, "bin", "go")
	tc.Env = []string{"GOROOT=" + link, "GOTOOLCHAIN=local"}
	return nil
}
