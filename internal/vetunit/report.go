package vetunit

import (
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"os"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/finding"
)

// The JSON form of diagnostics is a contract with the go command and with what
// reads the output of go vet -json:
// package ID -> analyzer -> list of jsonDiagnostic, or a jsonError.
type (
	jsonTree  map[string]map[string]any
	jsonError struct {
		Err string `json:"error"`
	}
	jsonDiagnostic struct {
		Category string        `json:"category,omitempty"`
		Posn     string        `json:"posn"`
		End      string        `json:"end"`
		Message  string        `json:"message"`
		Fixes    []jsonFix     `json:"suggested_fixes,omitempty"`
		Related  []jsonRelated `json:"related,omitempty"`
	}
	jsonFix struct {
		Message string     `json:"message"`
		Edits   []jsonEdit `json:"edits"`
	}
	jsonEdit struct {
		Filename string `json:"filename"`
		Start    int    `json:"start"` // byte offsets, half open
		End      int    `json:"end"`
		New      string `json:"new"`
	}
	jsonRelated struct {
		Posn    string `json:"posn"`
		End     string `json:"end"`
		Message string `json:"message"`
	}
)

// report prints the diagnostics, or applies their fixes, as flags ask.
func (t *Tool) report(u *unit, results []*result, opts *options, stdout, stderr io.Writer) error {
	if u.cfg.Stdout != "" {
		f, err := os.Create(u.cfg.Stdout)
		if err != nil {
			return fmt.Errorf("writing output for the go command: %w", err)
		}
		defer f.Close()
		stdout = f
	}
	shorten(u, results)
	switch {
	case opts.fix:
		if err := errorsOf(results); err != nil {
			return err
		}
		return applyFixes(u, results, opts.diff, stdout)
	case opts.json:
		return printJSON(u, results, stdout)
	}
	if err := errorsOf(results); err != nil {
		return err
	}
	found := false
	for _, r := range results {
		for _, d := range r.diagnostics {
			found = true
			fmt.Fprintf(stderr, "%s: %s\n", u.fset.Position(d.Pos), d.Message)
			for _, rel := range d.Related {
				fmt.Fprintf(stderr, "%s: \t%s\n", u.fset.Position(rel.Pos), rel.Message)
			}
		}
	}
	if found {
		return &foundError{}
	}
	return nil
}

// shorten takes the module's directory off file names within messages. The go
// command makes only the names at the start of a line relative, and to a
// directory that is not known here; most often that is the module's.
func shorten(u *unit, results []*result) {
	root := u.cfg.root()
	for _, r := range results {
		for i := range r.diagnostics {
			d := &r.diagnostics[i]
			d.Message = finding.RelativeText(d.Message, root)
			for j := range d.Related {
				d.Related[j].Message = finding.RelativeText(d.Related[j].Message, root)
			}
		}
	}
}

func printJSON(u *unit, results []*result, w io.Writer) error {
	analyzers := make(map[string]any)
	for _, r := range results {
		switch {
		case r.err != nil:
			analyzers[r.analyzer.Name] = jsonError{r.err.Error()}
		case len(r.diagnostics) > 0:
			list := make([]jsonDiagnostic, len(r.diagnostics))
			for i, d := range r.diagnostics {
				list[i] = u.jsonDiagnostic(d)
			}
			analyzers[r.analyzer.Name] = list
		}
	}
	tree := make(jsonTree)
	if len(analyzers) > 0 {
		tree[u.cfg.ID] = analyzers
	}
	data, err := json.MarshalIndent(tree, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}

func (u *unit) jsonDiagnostic(d analysis.Diagnostic) jsonDiagnostic {
	out := jsonDiagnostic{
		Category: d.Category,
		Posn:     u.fset.Position(d.Pos).String(),
		End:      u.fset.Position(orPos(d.End, d.Pos)).String(),
		Message:  d.Message,
	}
	for _, f := range d.SuggestedFixes {
		fix := jsonFix{Message: f.Message}
		for _, e := range f.TextEdits {
			file := u.fset.File(e.Pos)
			fix.Edits = append(fix.Edits, jsonEdit{
				Filename: file.Name(),
				Start:    file.Offset(e.Pos),
				End:      file.Offset(orPos(e.End, e.Pos)),
				New:      string(e.NewText),
			})
		}
		out.Fixes = append(out.Fixes, fix)
	}
	for _, r := range d.Related {
		out.Related = append(out.Related, jsonRelated{
			Posn:    u.fset.Position(r.Pos).String(),
			End:     u.fset.Position(orPos(r.End, r.Pos)).String(),
			Message: r.Message,
		})
	}
	return out
}

// orPos returns end, or pos where an end is not given.
func orPos(end, pos token.Pos) token.Pos {
	if end.IsValid() {
		return end
	}
	return pos
}
