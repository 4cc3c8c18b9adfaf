// Package instrument compiles lockdep into a program without changing its
// source: it makes an overlay, a list of files that the go command takes in
// place of those of GOROOT.
//
// In goes the user's GOROOT, whose files it edits by syntax tree, and the
// sources of runtime/lockdep, which this program carries. Out comes a directory
// in the user's cache with an overlay.json for go build -overlay. It never
// writes to GOROOT, and never guesses: a file that does not have the expected
// shape is an error that names it.
//
// The engine becomes package internal/lockdep/core, below sync; what reports
// and dumps, package runtime/lockdep, which test binaries and instrumented main
// packages import. The overlay is named after its content, so the go command
// rebuilds the standard library only when that changes; GOOS, GOARCH and -race
// need no overlay of their own.
package instrument

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// An Overlay maps files, by absolute name, to files with their new content.
type Overlay struct {
	dir     string // where new files are kept
	root    string // GOROOT
	replace map[string]string
}

// New returns the overlay for a toolchain, and makes its files.
func New(tc *Toolchain) (*Overlay, error) {
	files, err := engineFiles()
	if err != nil {
		return nil, err
	}
	src := filepath.Join(tc.Root, "src")
	for name := range files {
		if _, err := os.Stat(filepath.Join(src, filepath.FromSlash(name))); err == nil {
			return nil, fmt.Errorf("cannot instrument the standard library of %s: src/%s exists already: use an unpatched Go", tc.Version, name)
		}
	}
	for _, e := range edits {
		text, err := os.ReadFile(filepath.Join(src, filepath.FromSlash(e.file)))
		if err != nil {
			return nil, fmt.Errorf("cannot instrument the standard library of %s: %w", tc.Version, err)
		}
		s, err := parseSource(e.file, text)
		if err != nil {
			return nil, err
		}
		e.edit(s)
		if files[e.file], err = s.result(); err != nil {
			var shape *ShapeError
			if errors.As(err, &shape) {
				shape.Version = tc.Version
			}
			return nil, err
		}
	}
	base, err := CacheDir()
	if err != nil {
		return nil, err
	}
	o := &Overlay{dir: filepath.Join(base, "overlay"), root: tc.Root, replace: make(map[string]string)}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := o.Add(filepath.Join(src, filepath.FromSlash(name)), files[name]); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// CacheDir returns lockvet's directory in the user's cache.
func CacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding a place for the instrumented standard library: %w: set XDG_CACHE_HOME or HOME", err)
	}
	return filepath.Join(base, "lockvet"), nil
}

// Add replaces, or adds, a file.
func (o *Overlay) Add(name string, text []byte) error {
	kept, err := keep(o.dir, hash(text)+"-"+filepath.Base(name), text)
	if err != nil {
		return err
	}
	o.replace[name] = kept
	return nil
}

// Merge adds what the user's own overlay file replaces. A file that both
// replace is an error.
func (o *Overlay) Merge(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the file of -overlay: %w", err)
	}
	var theirs struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &theirs); err != nil {
		return fmt.Errorf("reading the file of -overlay: %s: %w", file, err)
	}
	for _, name := range slices.Sorted(maps.Keys(theirs.Replace)) {
		to := theirs.Replace[name]
		abs, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		if _, both := o.replace[abs]; both {
			return fmt.Errorf("-overlay %s replaces %s, which lockvet has to edit: remove it from that file", file, abs)
		}
		if to != "" {
			if to, err = filepath.Abs(to); err != nil {
				return err
			}
		}
		o.replace[abs] = to
	}
	return nil
}

// File writes the overlay in the go command's form and returns the file's name.
func (o *Overlay) File() (string, error) {
	text, err := json.MarshalIndent(map[string]any{"Replace": o.replace}, "", "\t")
	if err != nil {
		return "", err
	}
	return keep(o.dir, hash(text)+"-overlay.json", append(text, '\n'))
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// keep makes sure that dir has a file of that name and content. The name tells
// the content, but a damaged file is written again.
func keep(dir, name string, text []byte) (string, error) {
	name = filepath.Join(dir, name)
	if have, err := os.ReadFile(name); err == nil && string(have) == string(text) {
		return name, nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("writing the instrumented standard library: %w", err)
	}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = replaceFile(name, text)
	}
	if err != nil {
		return "", fmt.Errorf("writing the instrumented standard library: %w: set XDG_CACHE_HOME to a directory with room", err)
	}
	return name, nil
}

// replaceFile writes a file so that others see all of it or nothing.
func replaceFile(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // in vain once it has its name
	_, err = f.Write(text)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return err
}
