package gocmd

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		command, args             string
		packages, build, rest     string
		chdir, overlay            string
		race, json, count, binary bool
		with                      string // -X put in, -C and -overlay taken out
	}{
		{command: "test", args: "", with: "-X"},
		{command: "test", args: "./...", packages: "./...", with: "-X ./..."},
		{command: "test", args: "-run Foo -v ./a ./b", packages: "./a ./b", with: "-run Foo -v -X ./a ./b"},
		{command: "test", args: "./a -run Foo -count=1", packages: "./a", count: true, with: "-X ./a -run Foo -count=1"},
		{command: "test", args: "-race -tags=x,y -json . -args -race z", packages: ".", build: "-race -tags=x,y", rest: "-race z", race: true, json: true, with: "-race -tags=x,y -json -X . -args -race z"},
		{command: "test", args: "-C dir -tags x -overlay o.json -c ./...", packages: "./...", build: "-tags x", chdir: "dir", overlay: "o.json", binary: true, with: "-tags x -c -X ./..."},
		{command: "test", args: "-v -args a", rest: "a", with: "-v -X -args a"},
		{command: "test", args: "-test.v ./a -test.run X", packages: "./a", with: "-test.v -X ./a -test.run X"},
		{command: "run", args: "-race . -v arg", packages: ".", build: "-race", rest: "-v arg", race: true, with: "-race -X . -v arg"},
		{command: "run", args: "a.go b.go c", packages: "a.go b.go", rest: "c", with: "-X a.go b.go c"},
		{command: "build", args: "-o x ./cmd/x", packages: "./cmd/x", with: "-o x -X ./cmd/x"},
	}
	join := func(list []string) string { return strings.Join(list, " ") }
	for _, test := range tests {
		a := Parse(test.command, strings.Fields(test.args))
		got := []any{join(a.Packages), join(a.Build), join(a.Rest), a.Chdir, a.Overlay, a.Race, a.JSON, a.Count, a.Binary, join(a.Without().With([]string{"-X"}, nil))}
		want := []any{test.packages, test.build, test.rest, test.chdir, test.overlay, test.race, test.json, test.count, test.binary, test.with}
		if !slices.Equal(got, want) {
			t.Errorf("go %s %s:\ngot  %q\nwant %q", test.command, test.args, got, want)
		}
	}
}

// GOFLAGS hold where the command line says nothing else.
func TestAlways(t *testing.T) {
	tests := []struct {
		goflags, args         string
		race, trimpath, count bool
	}{
		{"", "-trimpath", false, true, false},
		{"-trimpath -race -count=1", "", true, true, true},
		{"-trimpath", "-trimpath=false", false, false, false},
		{"-trimpath=false", "-trimpath ./a", false, true, false},
		{"-v", "./a", false, false, false},
	}
	for _, test := range tests {
		a := Parse("test", strings.Fields(test.args))
		a.Always(Parse("test", strings.Fields(test.goflags)))
		if a.Race != test.race || a.Trimpath != test.trimpath || a.Count != test.count {
			t.Errorf("GOFLAGS=%s go test %s: got race %t, trimpath %t, count %t", test.goflags, test.args, a.Race, a.Trimpath, a.Count)
		}
	}
}

func TestHasTag(t *testing.T) {
	for args, want := range map[string]bool{
		"-tags=x,lockdep ./a":                  true,
		"-v -tags lockdep ./a":                 true,
		"-tags=lockdepx -run tags":             false,
		"-run lockdep ./a -args -tags=lockdep": false,
	} {
		if got := Parse("test", strings.Fields(args)).HasTag("lockdep"); got != want {
			t.Errorf("go test %s: got %t, want %t", args, got, want)
		}
	}
}

func TestWithoutFiles(t *testing.T) {
	a := Parse("test", strings.Fields("-json -coverprofile c.out -v -o=x ./a -test.trace t -race -args -json"))
	if got, want := strings.Join(a.WithoutFiles().With([]string{"-X"}, nil), " "), "-v -X ./a -race -args -json"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFiles(t *testing.T) {
	a := Parse("run", strings.Fields("-race a.go b.go c"))
	if got, want := strings.Join(a.With([]string{"-X"}, []string{"z.go"}), " "), "-race -X a.go b.go z.go c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
