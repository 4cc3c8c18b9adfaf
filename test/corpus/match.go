package corpus

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Want says which finding is the bug of a row.
type Want struct {
	Category string
	// Classes are alternatives: which locks, and events of a waitheld, the
	// finding names. There is more than one where a bug has several rings.
	Classes [][]string
	// Functions has an entry a side, of functions any of which shows that
	// side: a bug can be reached by more than one way.
	Functions [][]string
	// Lines are alternatives: file:line of the places that the finding has
	// to show. Used for leaks, whose class and function say too little.
	Lines [][]string
}

// analyzerOf maps a category to the analyzer that reports it.
var analyzerOf = map[string]string{
	"inversion": "lockorder", "recursive": "lockorder", "nesting": "lockorder", "declared": "lockorder",
	"waitheld": "crossrelease", "leak": "crossrelease", "unlock": "crossrelease",
}

func parseWant(category, classes, functions, lines string) (Want, error) {
	w := Want{
		Category:  category,
		Classes:   split(classes, "|"),
		Functions: split(functions, "/"),
		Lines:     split(lines, "|"),
	}
	switch {
	case len(w.Classes) == 0:
		return Want{}, fmt.Errorf("no classes")
	case category == "leak" && len(w.Lines) == 0:
		return Want{}, fmt.Errorf("a leak needs the lines of its acquisition and its return")
	case category != "leak" && len(w.Functions) == 0:
		return Want{}, fmt.Errorf("no functions of the two sides")
	}
	return w, nil
}

// split returns the words of each part of s.
func split(s, sep string) [][]string {
	var parts [][]string
	for part := range strings.SplitSeq(s, " "+sep+" ") {
		if words := strings.Fields(part); len(words) > 0 {
			parts = append(parts, words)
		}
	}
	return parts
}

// A Verdict says how near a finding comes to what is wanted.
type Verdict int

const (
	Unrelated Verdict = iota
	// SameClasses is a finding of the category about the wanted classes, by
	// other functions or lines: another bug, or another way to this one that
	// the table does not name yet.
	SameClasses
	// NoPath is the wanted finding without the path of each side.
	NoPath
	Match
)

// Judge compares a finding with the wanted one.
func (w Want) Judge(f *Finding) Verdict {
	if f.Category != w.Category || f.Analyzer != analyzerOf[w.Category] {
		return Unrelated
	}
	if !slices.ContainsFunc(w.Classes, f.names) {
		return Unrelated
	}
	if !f.hasPaths() {
		return NoPath
	}
	if len(w.Lines) > 0 && !slices.ContainsFunc(w.Lines, f.shows) {
		return SameClasses
	}
	if !sides(w.Functions, f.Edges) {
		return SameClasses
	}
	return Match
}

// names reports whether the finding is about these classes. An event may
// stand in an edge only.
func (f *Finding) names(classes []string) bool {
	has := slices.Clone(f.Classes)
	for _, e := range f.Edges {
		has = append(has, e.From, e.To)
	}
	for _, c := range classes {
		if !slices.Contains(has, c) {
			return false
		}
	}
	// A ring through further locks is another ring.
	return analyzerOf[f.Category] != "lockorder" || len(f.Classes) == len(classes)
}

// hasPaths reports whether each edge is shown from where the first lock is
// held to where the second is acquired or awaited. A leak has no second lock:
// its acquisition and its return are its related steps.
func (f *Finding) hasPaths() bool {
	if f.Category == "leak" {
		return len(f.Related) >= 2
	}
	for _, e := range f.Edges {
		if len(e.Steps) < 2 {
			return false
		}
	}
	switch f.Category {
	case "inversion":
		return len(f.Edges) >= 2
	default:
		return len(f.Edges) >= 1
	}
}

// shows reports whether every file:line is a position of the finding.
func (f *Finding) shows(lines []string) bool {
	has := []string{fileLine(f.Pos)}
	for _, e := range f.Edges {
		for _, s := range e.Steps {
			has = append(has, fileLine(s.Pos))
		}
	}
	for _, s := range f.Related {
		has = append(has, fileLine(s.Pos))
	}
	for _, l := range lines {
		if !slices.Contains(has, l) {
			return false
		}
	}
	return true
}

// fileLine cuts path:line:col down to base:line.
func fileLine(pos string) string {
	if i := strings.LastIndexByte(pos, ':'); i >= 0 {
		pos = pos[:i]
	}
	return path.Base(pos)
}

// sides reports whether each side is shown by an edge of its own; where the
// finding has one edge only, as a recursive lock, that edge shows all sides.
func sides(want [][]string, edges []Edge) bool {
	if len(want) == 0 {
		return true
	}
	for i, e := range edges {
		if !slices.ContainsFunc(e.Steps, func(s Step) bool { return inOneOf(s.Func, want[0]) }) {
			continue
		}
		rest := edges
		if len(edges) > 1 {
			rest = slices.Concat(edges[:i], edges[i+1:])
		}
		if sides(want[1:], rest) {
			return true
		}
	}
	return false
}

// inOneOf reports whether name is one of the functions or a closure in one,
// such as (*Account).Transfer.func1.
func inOneOf(name string, functions []string) bool {
	return slices.ContainsFunc(functions, func(f string) bool {
		return name == f || strings.HasPrefix(name, f+".func")
	})
}
