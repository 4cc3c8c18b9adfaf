// Package corpus checks lockvet against public deadlocks that were fixed.
//
// In go: a table of bugs, each with the version of a module that has it and
// the version that does not, and a lockvet binary. Out comes, for each bug,
// whether the finding with both its paths is there on the one and gone on the
// other. The modules come from the module proxy into temporary modules; no
// code of theirs is kept here.
package corpus

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed realbugs.tsv
var realbugs string

// A Row is one bug of the table.
type Row struct {
	ID       string
	Pass     string // lockorder or crossrelease
	Category string
	Buggy    Target
	Fixed    Target
	Tracker  string // where the bug is public
	Sites    string // both sides, in the buggy tree
	Asks     string // what finding it asks of the analysis
	Want     Want
	// Silent says that the fixed version must not have the finding. Some
	// fixes keep what a static analysis sees; Note says how.
	Silent bool
	Note   string
	// Miss is why the analysis does not find the row. A row with a reason
	// that is found all the same fails, so that the table stays true.
	Miss string
}

var columns = []string{
	"row", "pass", "category", "module", "buggy", "fixed", "package",
	"fixed module", "fixed package", "raise", "tracker", "sites", "asks",
	"classes", "functions", "lines", "silent", "note", "miss",
}

// Rows returns the bugs of the table in its order.
func Rows() ([]Row, error) { return parseRows(realbugs) }

func parseRows(table string) ([]Row, error) {
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	if lines[0] != strings.Join(columns, "\t") {
		return nil, fmt.Errorf("realbugs.tsv: the heading is not %q", columns)
	}
	var rows []Row
	seen := make(map[string]bool)
	for i, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != len(columns) {
			return nil, fmt.Errorf("realbugs.tsv:%d: %d fields, not %d", i+2, len(fields), len(columns))
		}
		row, err := parseRow(fields)
		if err != nil {
			return nil, fmt.Errorf("realbugs.tsv:%d: %w", i+2, err)
		}
		if seen[row.ID] {
			return nil, fmt.Errorf("realbugs.tsv:%d: row %s is there twice", i+2, row.ID)
		}
		seen[row.ID] = true
		rows = append(rows, row)
	}
	return rows, nil
}

func parseRow(fields []string) (Row, error) {
	f := make(map[string]string, len(columns))
	for i, c := range columns {
		f[c] = fields[i]
	}
	for _, c := range []string{"row", "module", "buggy", "fixed", "package", "tracker", "sites", "classes"} {
		if f[c] == "" {
			return Row{}, fmt.Errorf("no %s", c)
		}
	}
	analyzer, ok := analyzerOf[f["category"]]
	if !ok || analyzer != f["pass"] {
		return Row{}, fmt.Errorf("%s has no category %q", f["pass"], f["category"])
	}
	if f["silent"] != "yes" && f["silent"] != "no" {
		return Row{}, fmt.Errorf("silent is %q, not yes or no", f["silent"])
	}
	want, err := parseWant(f["category"], f["classes"], f["functions"], f["lines"])
	if err != nil {
		return Row{}, err
	}
	row := Row{
		ID: f["row"], Pass: f["pass"], Category: f["category"],
		Buggy:   Target{f["module"], f["buggy"], f["package"], strings.Fields(f["raise"])},
		Fixed:   Target{f["module"], f["fixed"], f["package"], strings.Fields(f["raise"])},
		Tracker: f["tracker"], Sites: f["sites"], Asks: f["asks"],
		Want: want, Silent: f["silent"] == "yes", Note: f["note"], Miss: f["miss"],
	}
	if m := f["fixed module"]; m != "" {
		row.Fixed.Module = m
	}
	if p := f["fixed package"]; p != "" {
		row.Fixed.Package = p
	}
	return row, nil
}
