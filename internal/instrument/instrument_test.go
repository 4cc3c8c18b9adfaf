package instrument

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	lockdep "github.com/lockvet/lockvet/runtime"
)

// goroot makes a GOROOT with the files that are edited, some of them changed.
func goroot(t *testing.T, changed map[string]func(string) string) *Toolchain {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := t.TempDir()
	for _, e := range edits {
		text, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src", e.file))
		if err != nil {
			t.Fatal(err)
		}
		if change := changed[e.file]; change != nil {
			text = []byte(change(string(text)))
		}
		name := filepath.Join(root, "src", e.file)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o444); err != nil {
			t.Fatal(err)
		}
	}
	return &Toolchain{Root: root, Version: "go1.99"}
}

// replaced returns the new text of a file of GOROOT.
func replaced(t *testing.T, o *Overlay, tc *Toolchain, name string) string {
	t.Helper()
	text, err := os.ReadFile(o.replace[filepath.Join(tc.Root, "src", name)])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEditsKeepLines(t *testing.T) {
	tc := goroot(t, nil)
	o, err := New(tc)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		before, err := os.ReadFile(filepath.Join(tc.Root, "src", e.file))
		if err != nil {
			t.Fatal(err)
		}
		after := replaced(t, o, tc, e.file)
		if string(before) == after {
			t.Errorf("%s is not edited", e.file)
		}
		if got, want := strings.Count(after, "\n"), strings.Count(string(before), "\n"); got != want {
			t.Errorf("%s has %d lines after the edits, want %d: stacks would show wrong ones", e.file, got, want)
		}
	}
}

func TestShapeErrors(t *testing.T) {
	replace := func(old, new string) func(string) string {
		return func(text string) string {
			if !strings.Contains(text, old) {
				t.Errorf("the test looks for %q, which is not there", old)
			}
			return strings.Replace(text, old, new, 1)
		}
	}
	tests := []struct {
		file   string
		change func(string) string
		want   string
	}{
		{"sync/mutex.go", replace("func (m *Mutex) TryLock() bool", "func (m *Mutex) TryLock(n int) bool"), "method (*Mutex).TryLock of type func() bool, it is func(n int) bool"},
		{"sync/mutex.go", replace("mu isync.Mutex", "state int32"), `field "mu isync.Mutex" in type Mutex`},
		{"sync/once.go", replace("o.m.Lock()", "lock(&o.m)"), "1 calls of o.m.Lock in (*Once).doSlow, there are 0"},
		{"sync/cond.go", replace("\tc.L.Unlock()\n\truntime", "\tc.drop()\n\truntime"), `single statement "c.L.Unlock()" in Wait, there are 0`},
		{"sync/pool.go", replace("allPoolsMu Mutex", "allPoolsMu RWMutex"), "variable allPoolsMu of type Mutex"},
		{"syscall/forkpipe2.go", replace("forkingLock sync.Mutex", "forkingLock sync.RWMutex"), "variable forkingLock of type sync.Mutex"},
		{"runtime/proc.go", replace("func goexit1()", "func goexit7()"), "function goexit1"},
	}
	for _, test := range tests {
		_, err := New(goroot(t, map[string]func(string) string{test.file: test.change}))
		var shape *ShapeError
		if !errors.As(err, &shape) || shape.File != test.file || shape.Missing != test.want || !strings.Contains(err.Error(), "go1.99") {
			t.Errorf("%s: got %v, want an error about %s", test.file, err, test.want)
		}
	}
}

func TestPatchedGoroot(t *testing.T) {
	tc := goroot(t, nil)
	if err := os.WriteFile(filepath.Join(tc.Root, "src", "sync", "lockdep.go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := New(tc); err == nil || !strings.Contains(err.Error(), "src/sync/lockdep.go exists already") {
		t.Errorf("got %v, want an error that names the file", err)
	}
}

func TestMerge(t *testing.T) {
	tc := goroot(t, nil)
	o, err := New(tc)
	if err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(t.TempDir(), "overlay.json")
	write := func(replace map[string]string) {
		text, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(theirs, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(map[string]string{"/src/a.go": "/new/a.go", "/src/b.go": ""})
	if err := o.Merge(theirs); err != nil {
		t.Fatal(err)
	}
	if o.replace["/src/a.go"] != "/new/a.go" || o.replace["/src/b.go"] != "" {
		t.Errorf("the files of the other overlay are missing")
	}
	mutex := filepath.Join(tc.Root, "src", "sync", "mutex.go")
	write(map[string]string{mutex: "/new/mutex.go"})
	if err := o.Merge(theirs); err == nil || !strings.Contains(err.Error(), mutex) {
		t.Errorf("got %v, want an error that names %s", err, mutex)
	}
}

// A damaged file in the cache is written again.
func TestDamagedCache(t *testing.T) {
	tc := goroot(t, nil)
	o, err := New(tc)
	if err != nil {
		t.Fatal(err)
	}
	want := replaced(t, o, tc, "sync/mutex.go")
	if err := os.WriteFile(o.replace[filepath.Join(tc.Root, "src", "sync/mutex.go")], []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	if o, err = New(tc); err != nil {
		t.Fatal(err)
	}
	if got := replaced(t, o, tc, "sync/mutex.go"); got != want {
		t.Errorf("the file has %d bytes, want %d", len(got), len(want))
	}
}

func TestToolchainInModuleCache(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for range 2 {
		root := filepath.Join(t.TempDir(), "toolchain@v0.0.1-go1.99.linux-amd64")
		if err := os.MkdirAll(filepath.Join(root, "bin"), 0o777); err != nil {
			t.Fatal(err)
		}
		tc := &Toolchain{Root: root}
		if err := tc.outsideModules(); err != nil {
			t.Fatal(err)
		}
		if to, err := filepath.EvalSymlinks(tc.Root); err != nil || below(tc.Root, root) || filepath.Base(to) != filepath.Base(root) {
			t.Errorf("%s leads to %s (%v), want %s", tc.Root, to, err, root)
		}
		if len(tc.Env) != 2 || tc.Env[0] != "GOROOT="+tc.Root || tc.Env[1] != "GOTOOLCHAIN=local" {
			t.Errorf("environment is %q", tc.Env)
		}
	}
}

// The engine reads its options itself where it is compiled below package os:
// both forms must have the same defaults.
func TestDefaultsAgree(t *testing.T) {
	options, err := lockdep.Source.ReadFile("lockdep/options.go")
	if err != nil {
		t.Fatal(err)
	}
	platform, err := added.ReadFile("_goroot/core/plat_goroot.go")
	if err != nil {
		t.Fatal(err)
	}
	spaces := strings.NewReplacer(" ", "", "\t", "")
	for _, key := range []string{"Classes", "Deps", "Pairs", "Chains", "Records", "Stacks"} {
		a := regexp.MustCompile(key + `: ([0-9 <]+)[,}]`).FindSubmatch(options)
		b := regexp.MustCompile(`"` + strings.ToLower(key) + `", ([0-9 <]+)\)`).FindSubmatch(platform)
		if a == nil || b == nil || spaces.Replace(string(a[1])) != spaces.Replace(string(b[1])) {
			t.Errorf("default of %s: %q in the options, %q in the engine", key, a, b)
		}
	}
}
