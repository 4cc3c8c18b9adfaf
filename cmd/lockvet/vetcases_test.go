package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestVetCases runs the packages of testdata/src through a real go vet. The
// analysis tests of the passes load everything in one process, where each
// package sees the facts of all others. Under go vet a package sees only the
// facts of what its export data mentions, and gets them from files.
func TestVetCases(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go vet over all of testdata/src")
	}
	root := t.TempDir()
	tool := filepath.Join(root, "lockvet")
	if out, err := exec.Command("go", "build", "-o", tool, "github.com/lockvet/lockvet/cmd/lockvet").CombinedOutput(); err != nil {
		t.Fatalf("building lockvet: %v\n%s", err, out)
	}
	work, themes := caseWorkspace(t, root)

	args := []string{"vet", "-vettool=" + tool, "-json"}
	for _, theme := range themes {
		args = append(args, theme+"/...")
	}
	vet := exec.Command("go", args...)
	vet.Dir = work
	vet.Env = append(os.Environ(), "GOWORK="+filepath.Join(work, "go.work"), "GOFLAGS=", "GOPROXY=off")
	out, err := vet.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", vet, err, out)
	}
	got := vetDiagnostics(t, out)

	for _, theme := range themes {
		t.Run(theme, func(t *testing.T) {
			compareWants(t, filepath.Join(work, theme), got)
		})
	}
}

// A lineKey is a line of a source file.
type lineKey struct {
	file string
	line int
}

// caseWorkspace copies testdata/src below root as a workspace in which every
// theme, and every module that stands in for a third-party one, is a module of
// its own. So import paths, and with them class names, stay what they are.
func caseWorkspace(t *testing.T, root string) (work string, themes []string) {
	t.Helper()
	work, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	work = filepath.Join(work, "work")
	src, err := filepath.Abs("../../testdata/src")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(work, os.DirFS(src)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(work)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "order_") || strings.HasPrefix(e.Name(), "cross_") {
			themes = append(themes, e.Name())
		}
	}
	if len(themes) == 0 {
		t.Fatalf("no themes below %s", src)
	}
	modules := append(slices.Clone(themes), "golang.org/x/sync", "github.com/sasha-s/go-deadlock")
	var use strings.Builder
	fmt.Fprintf(&use, "go 1.26.0\n\nuse (\n")
	for _, m := range modules {
		fmt.Fprintf(&use, "\t./%s\n", m)
		writeFile(t, filepath.Join(work, m, "go.mod"), "module "+m+"\n\ngo 1.26.0\n")
	}
	fmt.Fprintf(&use, ")\n")
	writeFile(t, filepath.Join(work, "go.work"), use.String())
	return work, themes
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// vetDiagnostics reads what go vet -json prints: for each package a comment
// line and an object package ID -> analyzer -> diagnostics.
func vetDiagnostics(t *testing.T, out []byte) map[lineKey][]string {
	t.Helper()
	var objects bytes.Buffer
	for line := range bytes.Lines(out) {
		if !bytes.HasPrefix(line, []byte("#")) {
			objects.Write(line)
		}
	}
	got := make(map[lineKey][]string)
	dec := json.NewDecoder(&objects)
	for {
		var tree map[string]map[string]json.RawMessage
		if err := dec.Decode(&tree); err == io.EOF {
			return got
		} else if err != nil {
			t.Fatalf("output of go vet -json: %v\n%s", err, out)
		}
		for pkg, analyzers := range tree {
			for analyzer, raw := range analyzers {
				var diagnostics []struct{ Posn, Message string }
				if err := json.Unmarshal(raw, &diagnostics); err != nil {
					t.Errorf("%s: %s: %s", pkg, analyzer, raw)
				}
				for _, d := range diagnostics {
					parts := strings.Split(d.Posn, ":")
					if len(parts) < 3 {
						t.Fatalf("%s: position %q is not file:line:col", pkg, d.Posn)
					}
					n := len(parts)
					line, err := strconv.Atoi(parts[n-2])
					if err != nil {
						t.Fatalf("%s: position %q: %v", pkg, d.Posn, err)
					}
					key := lineKey{strings.Join(parts[:n-2], ":"), line}
					got[key] = append(got[key], d.Message)
				}
			}
		}
	}
}

// compareWants checks the diagnostics of the files below dir against their want
// comments.
func compareWants(t *testing.T, dir string, got map[lineKey][]string) {
	t.Helper()
	wants := make(map[lineKey][]*regexp.Regexp)
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".go") {
			readWants(t, name, wants)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for key, messages := range got {
		if !strings.HasPrefix(key.file, dir+string(filepath.Separator)) {
			continue
		}
		for _, m := range messages {
			i := slices.IndexFunc(wants[key], func(rx *regexp.Regexp) bool { return rx.MatchString(m) })
			if i < 0 {
				t.Errorf("%s:%d: unexpected diagnostic: %s", key.file, key.line, m)
				continue
			}
			wants[key] = slices.Delete(wants[key], i, i+1)
		}
	}
	for key, left := range wants {
		for _, rx := range left {
			t.Errorf("%s:%d: no diagnostic matches %q", key.file, key.line, rx)
		}
	}
}

// readWants adds the want comments of one file. Each is a list of quoted
// regular expressions, one for each diagnostic of its line.
func readWants(t *testing.T, name string, wants map[lineKey][]*regexp.Regexp) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, "/* want ")
			if !ok {
				// Also behind a directive in the same comment.
				_, text, ok = strings.Cut(c.Text, "// want ")
			}
			if !ok {
				continue
			}
			key := lineKey{name, fset.Position(c.Pos()).Line}
			for _, lit := range stringLiterals(text) {
				rx, err := regexp.Compile(lit)
				if err != nil {
					t.Fatalf("%s:%d: %v", name, key.line, err)
				}
				wants[key] = append(wants[key], rx)
			}
			if len(wants[key]) == 0 {
				t.Fatalf("%s:%d: a want comment without an expression", name, key.line)
			}
		}
	}
}

// stringLiterals returns the values of the Go string literals at the start of
// text.
func stringLiterals(text string) (values []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), nil, 0)
	for {
		_, tok, lit := s.Scan()
		if tok != token.STRING {
			return values
		}
		if v, err := strconv.Unquote(lit); err == nil {
			values = append(values, v)
		}
	}
}
