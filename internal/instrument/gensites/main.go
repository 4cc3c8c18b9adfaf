// Gensites writes the lock classes of the standard library, line by line, for
// package instrument.
//
//	go run ./gensites -o stdsites.txt go1.26.8 go1.27.3
//
// For each Go version it builds lockvet with it and lets it analyse the
// standard library, which takes a few minutes the first time.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/instrument"
)

func main() {
	out := flag.String("o", "stdsites.txt", "file to write")
	flag.Parse()
	if err := generate(*out, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "gensites: %v\n", err)
		os.Exit(1)
	}
}

func generate(out string, versions []string) error {
	if len(versions) == 0 {
		return fmt.Errorf("want the Go versions, such as go1.26.8")
	}
	temp, err := os.MkdirTemp("", "gensites-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	files := make(map[string]string) // lines, by the headline of the file
	for _, v := range versions {
		os.Setenv("GOTOOLCHAIN", v)
		tc, err := instrument.Find("go")
		if err != nil {
			return err
		}
		lockvet := filepath.Join(temp, "lockvet-"+v)
		if _, err := run(tc, tc.Go, "build", "-o", lockvet, "github.com/lockvet/lockvet/cmd/lockvet"); err != nil {
			return err
		}
		table, err := run(tc, lockvet, "sites", "-std", "-tests=false", "std")
		if err != nil {
			return err
		}
		if err := add(files, filepath.Join(tc.Root, "src"), table); err != nil {
			return fmt.Errorf("%s: %w", v, err)
		}
	}
	var b bytes.Buffer
	for _, head := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%s\n%s", head, files[head])
	}
	return os.WriteFile(out, b.Bytes(), 0o666)
}

// add splits a site table by files.
func add(files map[string]string, src, table string) error {
	own := make(map[string]string)
	for line := range strings.Lines(table) {
		at, class, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		file, below := strings.CutPrefix(at, src+string(filepath.Separator))
		colon := strings.LastIndexByte(file, ':')
		if !ok || !below || colon < 0 {
			continue // the first line
		}
		text, err := os.ReadFile(filepath.Join(src, file[:colon]))
		if err != nil {
			return err
		}
		head := fmt.Sprintf("file %s %s", filepath.ToSlash(file[:colon]), instrument.StdHash(text))
		own[head] += file[colon+1:] + " " + class + "\n"
	}
	maps.Copy(files, own)
	return nil
}

// run runs a command with a toolchain and returns what it prints.
func run(tc *instrument.Toolchain, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	path := filepath.Join(tc.Root, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH")
	cmd.Env = append(append(os.Environ(), "PATH="+path), tc.Env...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s with %s: %w", filepath.Base(name), tc.Version, err)
	}
	return string(text), nil
}
