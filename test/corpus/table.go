package corpus

import (
	"fmt"
	"strings"
)

// Summary returns a line for each outcome and one of totals.
func Summary(outcomes []Outcome) string {
	var b strings.Builder
	found := make(map[string]int)
	total := make(map[string]int)
	for _, o := range outcomes {
		fmt.Fprintf(&b, "%-4s %-12s %-10s %-17s %s\n", o.Row.ID, o.Row.Pass, o.Row.Category, o.State(), o.Row.Buggy)
		total[o.Row.Pass]++
		if o.Found != nil {
			found[o.Row.Pass]++
		}
	}
	for _, pass := range []string{"lockorder", "crossrelease"} {
		if total[pass] > 0 {
			fmt.Fprintf(&b, "%s: %d of %d found\n", pass, found[pass], total[pass])
		}
	}
	return b.String()
}

// Markdown returns the rows of a pass as a table for the documentation. Its
// last column is what the test holds the analysis to.
func Markdown(rows []Row, pass string) string {
	var b strings.Builder
	b.WriteString("| row | category | module | buggy | fixed | public | asks | result |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		if r.Pass != pass {
			continue
		}
		result := "found, gone when fixed"
		switch {
		case r.Miss != "":
			result = "missed: " + r.Miss
		case !r.Silent:
			result = "found; " + r.Note
		}
		fixed := r.Fixed.Version
		if r.Fixed.Module != r.Buggy.Module {
			fixed = r.Fixed.Module + " " + fixed
		}
		cells := []string{r.ID, r.Category, r.Buggy.Module, r.Buggy.Version, fixed, r.Tracker, r.Asks, result}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return b.String()
}
