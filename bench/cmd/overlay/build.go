package main

import (
	"os"
	"path/filepath"
)

// build makes two copies of GOROOT, one of them with a compiler and a go command
// that have lockdep inside.
func build(temp string, packages []string) ([]program, error) {
	if len(packages) == 0 {
		packages = []string{"std"}
	}
	root, err := output(".", "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	target, err := output(".", "go", "env", "GOOS")
	if err != nil {
		return nil, err
	}
	arch, err := output(".", "go", "env", "GOARCH")
	if err != nil {
		return nil, err
	}
	tools := filepath.Join("pkg", "tool", target+"_"+arch)
	plain, tracked := filepath.Join(temp, "plain"), filepath.Join(temp, "tracked")
	for _, to := range []string{plain, tracked} {
		if err := os.CopyFS(to, os.DirFS(root)); err != nil {
			return nil, err
		}
	}
	// Both built now, by the same compiler with the same flags.
	src := filepath.Join(root, "src", "cmd")
	for pkg, at := range map[string]string{"cmd/compile": filepath.Join(tools, "compile"), "cmd/go": filepath.Join("bin", "go")} {
		if _, err := output(src, "go", "build", "-o", filepath.Join(plain, at), pkg); err != nil {
			return nil, err
		}
		if _, err := output(src, "lockvet", "build", "-run-only", "-o", filepath.Join(tracked, at), pkg); err != nil {
			return nil, err
		}
	}
	side := func(name, root, lockdep string) program {
		cache := filepath.Join(temp, "cache-"+name)
		return program{
			name: name, dir: temp, args: append([]string{filepath.Join(root, "bin", "go"), "build"}, packages...),
			env:    []string{"GOROOT=" + root, "GOCACHE=" + cache, "GOTOOLCHAIN=local", "GOFLAGS=", "GOWORK=off", "GO111MODULE=off", "LOCKDEP=" + lockdep},
			before: func() error { return os.RemoveAll(cache) },
		}
	}
	return []program{
		side("plain", plain, ""),
		side("lockdep", tracked, "report=none"),
		side("no cross-release", tracked, "report=none,crossrelease=0"),
	}, nil
}
