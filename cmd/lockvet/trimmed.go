package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/internal/dump"
)

// trimmed knows the names that go build -trimpath gives to files: directories
// are named by module and version, or by import path where there is no version.
// nil names each file as it is.
type trimmed struct {
	dirs    map[string]string // by import path, that of package p's external tests being p_test
	sources map[string]string // where these are
}

// listTrimmed asks the go command for the packages that make up the program.
func (r *instrumented) listTrimmed() (*trimmed, error) {
	args := []string{"list", "-e", "-deps", "-json=ImportPath,Dir,Module"}
	if r.command == "test" {
		args = append(args, "-test")
	}
	args = append(append(args, r.args.Build...), "--")
	out, err := output(exec.Command(r.tc.Go, append(args, r.args.Packages...)...))
	if err != nil {
		return nil, fmt.Errorf("the packages cannot be loaded: %w", err)
	}
	t := &trimmed{dirs: make(map[string]string), sources: make(map[string]string)}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir string
			Module          *struct{ Path, Version string }
		}
		if err := dec.Decode(&p); err == io.EOF {
			return t, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the output of go list: %w", err)
		}
		name, _, _ := strings.Cut(p.ImportPath, " ") // of which test it is a variant
		dir := name
		if m := p.Module; m != nil && m.Version != "" {
			dir = m.Path + "@" + m.Version + strings.TrimPrefix(name, m.Path)
		}
		t.dirs[name] = dir
		t.sources[dir] = filepath.ToSlash(p.Dir)
	}
}

// file returns the program's name for a file of a package.
func (t *trimmed) file(pkg, file string) string {
	if t == nil {
		return file
	}
	if dir, ok := t.dirs[pkg]; ok {
		return dir + "/" + path.Base(filepath.ToSlash(file))
	}
	return file
}

// source returns the file that the program has this name for.
func (t *trimmed) source(file string) string {
	if dir, ok := t.sources[path.Dir(file)]; ok {
		return dir + "/" + path.Base(file)
	}
	return file
}

// restore gives the files in what processes observed their own names.
func (t *trimmed) restore(graphs []*dump.Graph) {
	if t != nil {
		for _, g := range graphs {
			g.RenameFiles(t.source)
		}
	}
}
