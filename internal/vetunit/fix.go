package vetunit

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"io"
	"maps"
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/finding"
)

// An edit replaces the bytes from start to end of a file.
type edit struct {
	start, end int
	new        string
}

// applyFixes applies the first fix of each diagnostic, all of its edits or
// none. The changed files go to the archive that the go command asked for,
// else over the old ones; with diff they are only compared.
func applyFixes(u *unit, results []*result, diff bool, stdout io.Writer) error {
	accepted := make(map[string][]edit)
	for _, r := range results {
		for _, d := range r.diagnostics {
			if len(d.SuggestedFixes) == 0 {
				continue
			}
			edits, err := u.edits(d.SuggestedFixes[0])
			if err != nil {
				return fmt.Errorf("fix %q of %s: %w", d.SuggestedFixes[0].Message, r.analyzer.Name, err)
			}
			merge(accepted, edits)
		}
	}
	changed := make(map[string][]byte)
	for _, name := range slices.Sorted(maps.Keys(accepted)) {
		old, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("fixing: %w", err)
		}
		fixed, err := apply(old, accepted[name])
		if err != nil {
			return fmt.Errorf("fixing %s: %w", name, err)
		}
		if diff {
			short := finding.RelativeText(name, u.cfg.root())
			if _, err := io.WriteString(stdout, unified(short, string(old), string(fixed))); err != nil {
				return err
			}
		}
		changed[name] = fixed
	}
	if diff {
		return nil
	}
	if u.cfg.FixArchive != "" {
		return writeArchive(u.cfg, changed)
	}
	for name, data := range changed {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return fmt.Errorf("fixing: %w", err)
		}
	}
	return nil
}

// edits returns the edits of a fix by file. A file that the fix must not touch
// is an error: one that is generated, or not the package's own.
func (u *unit) edits(fix analysis.SuggestedFix) (map[string][]edit, error) {
	all := make(map[string][]edit)
	for _, te := range fix.TextEdits {
		i := slices.IndexFunc(u.files, func(f *ast.File) bool { return f.FileStart <= te.Pos && te.Pos <= f.FileEnd })
		if i < 0 {
			return nil, fmt.Errorf("it edits a file outside the package")
		}
		if ast.IsGenerated(u.files[i]) {
			return nil, nil
		}
		file, end := u.fset.File(te.Pos), orPos(te.End, te.Pos)
		if end < te.Pos || end > token.Pos(file.Base()+file.Size()) {
			return nil, fmt.Errorf("it ends before it starts, or in another file")
		}
		all[file.Name()] = append(all[file.Name()], edit{file.Offset(te.Pos), file.Offset(end), string(te.NewText)})
	}
	return all, nil
}

// merge adds the edits of one fix unless one of them is in the way of an
// accepted one. The same edit twice is one.
func merge(accepted, edits map[string][]edit) {
	for name, list := range edits {
		for _, e := range list {
			for _, a := range accepted[name] {
				if a != e && (e.start < a.end && a.start < e.end || e.start == a.start) {
					return
				}
			}
		}
	}
	for name, list := range edits {
		for _, e := range list {
			if !slices.Contains(accepted[name], e) {
				accepted[name] = append(accepted[name], e)
			}
		}
	}
}

// apply returns the file with the edits made, formatted if it was before.
func apply(old []byte, edits []edit) ([]byte, error) {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var buf bytes.Buffer
	last := 0
	for _, e := range edits {
		if e.start < last || e.end > len(old) {
			return nil, fmt.Errorf("edits overlap, or the file has changed")
		}
		buf.Write(old[last:e.start])
		buf.WriteString(e.new)
		last = e.end
	}
	buf.Write(old[last:])
	formatted, err := format.Source(buf.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the fixed file would not parse: %w", err)
	}
	if was, err := format.Source(old); err != nil || !bytes.Equal(was, old) {
		return buf.Bytes(), nil
	}
	return formatted, nil
}

// writeArchive writes the changed files for the go command, which applies them
// when all packages are done. It is written also when there are none, since
// without it the go command would not use what it has cached.
func writeArchive(cfg *Config, changed map[string][]byte) error {
	if cfg.FixArchive == "" {
		return nil
	}
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		w, err := zw.Create(name)
		if err == nil {
			_, err = w.Write(changed[name])
		}
		if err != nil {
			return fmt.Errorf("writing fixes of %s: %w", cfg.ImportPath, err)
		}
	}
	if err := zw.Close(); err != nil {
		return fmt.Errorf("writing fixes of %s: %w", cfg.ImportPath, err)
	}
	if err := os.WriteFile(cfg.FixArchive, buf.Bytes(), 0o666); err != nil {
		return fmt.Errorf("writing fixes of %s: %w", cfg.ImportPath, err)
	}
	return nil
}
