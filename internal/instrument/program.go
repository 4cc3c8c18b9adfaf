package instrument

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// mainFile is added to main packages. The name is one that no program has.
const mainFile = "zz_lockvet_import.go"

// Main makes the main package in dir link the part of lockdep that reports, and
// returns the name of the file that does it.
func (o *Overlay) Main(dir string) (string, error) {
	name := filepath.Join(dir, mainFile)
	return name, o.Add(name, []byte("package main\n\nimport _ \"runtime/lockdep\"\n"))
}

// SitesHeader is the first line of a site table, see runtime/lockdep.
const SitesHeader = "lockvet sites 1"

// Table builds a site table into the program, that of its own packages and the
// one of the standard library. trimmed says that the program is built with
// -trimpath. It lies above package sync, so that another table rebuilds little.
func (o *Overlay) Table(text string, trimmed bool) error {
	if text == "" {
		text = SitesHeader + "\n"
	}
	prefix := filepath.ToSlash(filepath.Join(o.root, "src")) + "/"
	std := []string{prefix}
	if trimmed {
		prefix, std = "", stdDirs()
	}
	text += StdTable(o.root, prefix)
	src := fmt.Sprintf("package lockdep\n\nvar _ = func() bool { builtSites, builtStd = %q, %#v; return true }()\n", text, std)
	return o.Add(filepath.Join(o.root, "src", filepath.FromSlash(stdReport), "table.go"), []byte(src))
}

// Key names the files below sync, which make the standard library be rebuilt.
func (o *Overlay) Key() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(o.replace)) {
		if below(name, filepath.Join(o.root, "src")) && filepath.Base(name) != "table.go" {
			fmt.Fprintf(&b, "%s %s\n", name, o.replace[name])
		}
	}
	return hash([]byte(b.String()))
}

// Dir returns where the files of overlays are.
func (o *Overlay) Dir() string { return o.dir }
