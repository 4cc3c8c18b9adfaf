package finding

import (
	"slices"

	"github.com/lockvet/lockvet/internal/directive"
)

// Findings about directives themselves carry these.
const (
	DirectiveAnalyzer = "lockvet"
	CategoryDirective = "directive" // cannot be read
	CategoryUnused    = "unused"    // silences nothing
)

// Suppress returns the findings that no directive silences, and findings about
// directives: those that cannot be read, and ignores that silenced nothing.
// The latter are of worth only where all findings of a package are known, so
// they have a category of their own.
//
// An ignore silences a finding that stands on its lines or has a step of a
// witness there: each edge of a cycle is needed, so a reason against one is a
// reason against the whole. In generated files only findings that stand there
// are silenced.
func Suppress(findings []Finding, directives []directive.Directive) (kept, bad []Finding) {
	used := make([]bool, len(directives))
	for _, f := range findings {
		silent := false
		for i := range directives {
			if silences(&directives[i], &f) {
				silent, used[i] = true, true
			}
		}
		if !silent {
			kept = append(kept, f)
		}
	}
	for i, d := range directives {
		switch {
		case d.Kind == directive.Bad:
			bad = append(bad, about(d, CategoryDirective, d.Reason))
		case d.Kind == directive.Ignore && !used[i]:
			bad = append(bad, about(d, CategoryUnused, "ignore silences nothing here: remove it"))
		}
	}
	return kept, Sort(bad)
}

func about(d directive.Directive, category, message string) Finding {
	return Finding{
		ID:       ID(DirectiveAnalyzer, category, nil, d.File, d.Reason),
		Analyzer: DirectiveAnalyzer,
		Category: category,
		Message:  message,
		Pos:      Position{File: d.File, Line: d.Pos.Line, Col: d.Pos.Col},
	}
}

func silences(d *directive.Directive, f *Finding) bool {
	switch d.Kind {
	case directive.Generated:
		return d.Covers(f.Pos.File, f.Pos.Line)
	case directive.Ignore, directive.Nolint:
	default:
		return false
	}
	if len(d.Categories) > 0 && !slices.Contains(d.Categories, f.Category) && !slices.Contains(d.Categories, f.Analyzer) {
		return false
	}
	if d.Covers(f.Pos.File, f.Pos.Line) {
		return true
	}
	for _, e := range f.Edges {
		for _, s := range e.Steps {
			if d.Covers(s.Pos.File, s.Pos.Line) {
				return true
			}
		}
	}
	return false
}
