package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/instrument"
	"github.com/lockvet/lockvet/internal/lockobj"
)

// printSites prints the site table of packages, for programs that use the
// drop-in types of runtime/lockdep.
func printSites(args []string, stdout, stderr io.Writer) error {
	c, err := parseCheck(args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	goCmd, err := findGo(ctx)
	if err != nil {
		return err
	}
	progress := newProgress(stderr, c.verbose)
	_, units, troubles, err := c.collect(ctx, goCmd, progress)
	progress.done()
	for _, t := range troubles {
		fmt.Fprintf(stderr, "lockvet: %s\n", t)
	}
	if err != nil {
		return err
	}
	table, _, err := siteTable(units, nil)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(stdout, table); err != nil {
		return fmt.Errorf("writing the site table: %w", err)
	}
	if len(troubles) > 0 {
		return errTold
	}
	return nil
}

// siteTable says of each line that acquires a lock, waits for an event or
// signals it, of which class that is. A line with two has none. names, which may
// be nil, says how the program's line table names files. shared are the lines
// with two, as FILE:LINE of the source.
func siteTable(units []unit, names *trimmed) (table string, shared map[string]bool, err error) {
	var pkgs []*lockobj.Package
	packages := make(map[string]string)
	for _, u := range units {
		decoded, err := decodeObject(u.object)
		if err != nil {
			return "", nil, fmt.Errorf("the object of %s in the build cache cannot be read: %w: remove it with go clean -cache", u.id, err)
		}
		for _, p := range decoded {
			packages[p.Path] = p.Name
		}
		pkgs = append(pkgs, decoded...)
	}
	classes := make(map[string]string)
	shared = make(map[string]bool)
	for _, p := range pkgs {
		for _, f := range p.Funcs {
			for _, e := range f.Events {
				class := ""
				switch e.Kind {
				case lockobj.Acquire, lockobj.Wait, lockobj.Signal:
					if e.Op != lockobj.OpMake {
						class = e.Lock.Class
					}
				}
				if class == "" || strings.ContainsAny(e.Pos.File, " \n") {
					continue
				}
				class = shown(class, packages)
				at := fmt.Sprintf("%s:%d", names.file(p.Path, e.Pos.File), e.Pos.Line)
				if old, ok := classes[at]; ok && old != class {
					class = ""
					shared[fmt.Sprintf("%s:%d", e.Pos.File, e.Pos.Line)] = true
				}
				classes[at] = class
			}
		}
	}
	var b strings.Builder
	b.WriteString(instrument.SitesHeader + "\n")
	for _, at := range slices.Sorted(maps.Keys(classes)) {
		if classes[at] != "" {
			fmt.Fprintf(&b, "%s %s\n", at, classes[at])
		}
	}
	return b.String(), shared, nil
}

// shown returns a class as findings have it: with its package's name instead of
// the import path. names has the names of packages by path.
func shown(class string, names map[string]string) string {
	head, _, _ := strings.Cut(class, "[") // type arguments have paths of their own
	slash := strings.LastIndexByte(head, '/')
	for i := slash + 1; i < len(class); i++ {
		if class[i] != '.' {
			continue
		}
		if name := names[class[:i]]; name != "" {
			return name + class[i:]
		}
	}
	return class[slash+1:]
}
