package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/go/analysis"
)

// The test binary is also lockvet itself: the scripts run it by name, and go vet
// runs it as its tool.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"lockvet": main})
}

func TestScripts(t *testing.T) {
	// The scripts have no home directory: they are told where the caches are.
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB").Output()
	if err != nil {
		t.Fatal(err)
	}
	goEnv := make(map[string]string)
	if err := json.Unmarshal(out, &goEnv); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
		},
		Setup: func(env *testscript.Env) error {
			for name, value := range goEnv {
				env.Setenv(name, value)
			}
			env.Setenv("GOFLAGS", "")
			env.Setenv("GOWORK", "off")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("ROOT", root)
			lockvet, err := exec.LookPath("lockvet")
			env.Setenv("LOCKVET", lockvet)
			return err
		},
	})
}

// status runs a command and checks its exit status: status 2 lockvet ./...
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status number command...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("exit status %d, want %s", got, want)
	}
}

func TestToolIsValid(t *testing.T) {
	tool := tool()
	if err := analysis.Validate(slices.Concat(tool.Analyzers, tool.Hidden)); err != nil {
		t.Error(err)
	}
}

func TestDamagedObject(t *testing.T) {
	c := &check{}
	for _, object := range []string{"", "AAAA", "not base64"} {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		_, err := c.linked([]unit{{"example.com/a", object}}, nil)
		if err == nil || !strings.Contains(err.Error(), "example.com/a") || !strings.Contains(err.Error(), "go clean -cache") {
			t.Errorf("object %q: got error %v, want one that names the package and says what to do", object, err)
		}
	}
}

func TestPackageErrors(t *testing.T) {
	got := packageErrors(`go: downloading example.com/x v1.0.0
# example.com/m/bad
# [example.com/m/bad]
vet: ./bad/bad.go:3:13: undefined: nothing
# example.com/m/worse [example.com/m/worse.test]
worse/w.go:1:1: first
	with a detail
worse/w.go:2:1: second
# example.com/m/bad
bad/bad.go:3:13: undefined: nothing
# example.com/m/deep
runtime: goroutine stack exceeds 1000000000-byte limit
fatal error: stack overflow
# example.com/m/late
lockvet: built with go1.26.8, cannot read a package of go1.99: and why
`)
	want := []string{
		"example.com/m/bad is left out, it does not build: bad/bad.go:3:13: undefined: nothing: see go build example.com/m/bad",
		"example.com/m/worse is left out, it does not build: worse/w.go:1:1: first (and 1 more): see go build example.com/m/worse",
		"example.com/m/deep is left out, lockvet crashed on it, please report it: runtime: goroutine stack exceeds 1000000000-byte limit",
		"example.com/m/late is left out: built with go1.26.8, cannot read a package of go1.99: and why",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSection(t *testing.T) {
	const doc = "Summary.\n\n# Category leak\n\nText of leak.\n\nMore.\n\n# Category unlock: and more\n\nText of unlock.\n"
	for category, want := range map[string]string{
		"leak":   "Text of leak.\n\nMore.",
		"unlock": "Text of unlock.",
		"lea":    "",
	} {
		if got := section(doc, category); got != want {
			t.Errorf("%s: got %q, want %q", category, got, want)
		}
	}
}

// What README shows is what lockvet prints.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	out, err := exec.Command("lockvet", "-C", "../../examples/bank", "./...").Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFound {
		t.Fatalf("lockvet on examples/bank: %v, want findings", err)
	}
	if !strings.Contains(string(readme), "```\n"+string(out)+"```\n") {
		t.Errorf("README does not show what lockvet prints:\n%s", out)
	}
}
