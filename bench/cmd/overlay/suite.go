package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// lockdepOptions are those that lockvet test sets.
const lockdepOptions = "LOCKDEP=report=deadlock,history=1,leaks=1,stacks=65536"

// suite builds the test binary of a package in both forms.
func suite(temp string, args []string) ([]program, error) {
	fs := flag.NewFlagSet("suite", flag.ExitOnError)
	race := fs.Bool("race", false, "both with the race detector")
	dir := fs.String("dir", ".", "directory to work in")
	fs.Parse(args)
	if fs.NArg() == 0 {
		return nil, fmt.Errorf("suite wants a package")
	}
	pkg := fs.Arg(0)
	at, err := output(*dir, "go", "list", "-f", "{{.Dir}}", pkg)
	if err != nil {
		return nil, err
	}
	flags := []string{"-vet=off"}
	if *race {
		flags = append(flags, "-race")
	}
	plain, tracked := filepath.Join(temp, "plain.test"), filepath.Join(temp, "tracked.test")
	if _, err := output(*dir, "go", slices.Concat([]string{"test", "-c", "-o", plain}, flags, []string{pkg})...); err != nil {
		return nil, err
	}
	if _, err := output(*dir, "lockvet", slices.Concat([]string{"test", "-run-only", "-c", "-o", tracked}, flags, []string{pkg})...); err != nil {
		return nil, err
	}
	dumps := filepath.Join(temp, "dumps")
	if err := os.Mkdir(dumps, 0o777); err != nil {
		return nil, err
	}
	rest := fs.Args()[1:]
	return []program{
		{name: "plain", dir: at, args: append([]string{plain}, rest...)},
		{name: "lockdep", dir: at, args: append([]string{tracked}, rest...), env: []string{lockdepOptions, "LOCKDEPDIR=" + dumps}},
	}, nil
}
