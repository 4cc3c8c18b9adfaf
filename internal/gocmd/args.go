// Package gocmd reads the command lines of go test, go run and go build as far
// as lockvet needs to know them: which arguments are flags of the build, and
// which name packages. It never changes one, and leaves what it does not know
// to the go command.
package gocmd

import (
	"slices"
	"strings"
)

// Args is a command line behind the name of the command.
type Args struct {
	All      []string // as given
	Build    []string // flags that choose the build, for go list and go vet
	Packages []string // or the names of .go files
	Rest     []string // what goes to the program
	Chdir    string   // of -C
	Overlay  string   // of -overlay
	Race     bool
	Trimpath bool
	JSON     bool
	Count    bool // -count is given
	Binary   bool // go test -c: nothing runs
	Output   string

	trimpathGiven bool
	packagesAt    int // where Packages begin in All, or could
}

// boolFlags are the flags that take no value behind a space.
var boolFlags = []string{
	"a", "asan", "artifacts", "benchmem", "buildvcs", "c", "cover", "failfast", "fullpath", "i", "json", "linkshared",
	"modcacherw", "msan", "n", "race", "short", "trimpath", "v", "work", "x",
}

// buildFlags are those that go vet and go list need too, to see the same files.
var buildFlags = []string{"tags", "mod", "modfile", "modcacherw", "compiler", "buildvcs", "race", "msan", "asan"}

// flagName returns the name of a flag and its value. Flags of test binaries can
// be given as they are called there: -test.v.
func flagName(arg string) (name, value string, hasValue bool) {
	name, value, hasValue = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
	return strings.TrimPrefix(name, "test."), value, hasValue
}

// Parse reads the arguments of go test, run or build. In go test flags may come
// after packages; -args ends them. In go run the first that is no flag names
// the package, or the files.
func Parse(command string, args []string) *Args {
	a := &Args{All: args, packagesAt: len(args)}
	first := true
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-args" || arg == "--args" {
			if first {
				a.packagesAt = i
			}
			a.Rest = args[i+1:]
			return a
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			if first {
				a.packagesAt, first = i, false
			}
			a.Packages = append(a.Packages, arg)
			if command == "run" {
				for i++; i < len(args) && strings.HasSuffix(arg, ".go") && strings.HasSuffix(args[i], ".go"); i++ {
					a.Packages = append(a.Packages, args[i])
				}
				a.Rest = args[i:]
				return a
			}
			continue
		}
		if command != "test" && !first {
			a.Packages = append(a.Packages, arg) // go will complain
			continue
		}
		name, value, hasValue := flagName(arg)
		given := args[i : i+1]
		if !hasValue && !slices.Contains(boolFlags, name) && i+1 < len(args) {
			i++
			value, given = args[i], args[i-1:i+1]
		}
		on := !hasValue || value == "true" || value == "1"
		switch name {
		case "C":
			a.Chdir = value
		case "overlay":
			a.Overlay = value
		case "race":
			a.Race = on
		case "trimpath":
			a.Trimpath, a.trimpathGiven = on, true
		case "json":
			a.JSON = on
		case "c":
			a.Binary = on
		case "o":
			a.Output = value
		case "count":
			a.Count = true
		}
		if slices.Contains(buildFlags, name) {
			a.Build = append(a.Build, given...)
		}
	}
	return a
}

// Always adds what GOFLAGS set where the command line does not.
func (a *Args) Always(flags *Args) {
	a.Count = a.Count || flags.Count
	a.Race = a.Race || flags.Race
	if !a.trimpathGiven {
		a.Trimpath = flags.Trimpath
	}
}

// HasTag reports whether the flags of the build set a build tag.
func (a *Args) HasTag(tag string) bool {
	for i, f := range a.Build {
		name, value, hasValue := flagName(f)
		if name != "tags" || !strings.HasPrefix(f, "-") {
			continue
		}
		if !hasValue && i+1 < len(a.Build) {
			value = a.Build[i+1]
		}
		if slices.Contains(strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }), tag) {
			return true
		}
	}
	return false
}

// ownFiles are flags of go test that make it write files, or print for programs
// to read.
var ownFiles = []string{
	"artifacts", "blockprofile", "coverprofile", "cpuprofile", "json", "memprofile", "mutexprofile", "o", "outputdir", "trace",
}

// WithoutFiles returns the arguments without those by which go test writes
// files: for another run, whose files would take the place of the first one's.
func (a *Args) WithoutFiles() *Args { return a.without(ownFiles) }

// With returns the command line with more flags, and with more behind the
// packages.
func (a *Args) With(flags, files []string) []string {
	at := a.packagesAt
	if len(files) > 0 {
		at += len(a.Packages) // files stand together
	}
	return slices.Concat(a.All[:a.packagesAt], flags, a.All[a.packagesAt:at], files, a.All[at:])
}

// Without returns the arguments without -C and -overlay, which lockvet has seen
// to.
func (a *Args) Without() *Args { return a.without([]string{"C", "overlay"}) }

func (a *Args) without(names []string) *Args {
	b := *a
	b.All = nil
	removed := 0
	for i := 0; i < len(a.All); i++ {
		arg := a.All[i]
		name, _, hasValue := flagName(arg)
		if i < len(a.All)-len(a.Rest) && strings.HasPrefix(arg, "-") && slices.Contains(names, name) {
			n := 1
			if !hasValue && !slices.Contains(boolFlags, name) {
				n = 2
			}
			if i < a.packagesAt {
				removed += n
			}
			i += n - 1
			continue
		}
		b.All = append(b.All, arg)
	}
	b.packagesAt -= removed
	return &b
}
