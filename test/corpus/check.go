package corpus

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// An Outcome is what came of one row.
type Outcome struct {
	Row Row
	// FactBytes is the size of the largest fact among the packages analysed.
	FactBytes int64
	// Found is the finding on the buggy version, nil where there is none.
	Found *Finding
	// Left is the finding that the fixed version should not have.
	Left *Finding
	// Near are findings of the row's category and classes which are not the
	// wanted one, on the buggy version. They help to see what was missed.
	Near []Finding
}

// State says in a word or two how the row went.
func (o Outcome) State() string {
	switch {
	case o.Found == nil && o.Row.Miss != "":
		return "missed, as known"
	case o.Found == nil:
		return "missed"
	case o.Left != nil:
		return "found, not gone"
	case o.Row.Silent:
		return "found, gone"
	default:
		return "found"
	}
}

// Err returns what is wrong with the outcome, nil where the row is as the
// table says.
func (o Outcome) Err() error {
	r := o.Row
	switch {
	case o.Found == nil && r.Miss == "":
		var near strings.Builder
		for i := range o.Near {
			fmt.Fprintf(&near, "\n%s", &o.Near[i])
		}
		return fmt.Errorf("%s: no %s of %s in %s; the bug: %s%s", r.ID, r.Category, alternatives(r.Want.Classes), r.Buggy, r.Sites, near.String())
	case o.Found != nil && r.Miss != "":
		return fmt.Errorf("%s: found, but the table calls it a known miss (%s); take the reason out\n%s", r.ID, r.Miss, o.Found)
	case o.Left != nil:
		return fmt.Errorf("%s: still reported in %s, where it is fixed\n%s", r.ID, r.Fixed, o.Left)
	}
	return nil
}

func alternatives(lists [][]string) string {
	var s []string
	for _, l := range lists {
		s = append(s, strings.Join(l, ", "))
	}
	return strings.Join(s, " or ")
}

// A Checker runs rows.
type Checker struct {
	Lockvet Lockvet
	// Modules is the directory below which a module is made for each version
	// of each row. Modules already there are used as they are.
	Modules string
}

// Prepare makes the modules of both versions of a row.
func (c Checker) Prepare(ctx context.Context, r Row) error {
	if err := Prepare(ctx, c.dir(r, "buggy"), r.Buggy); err != nil {
		return err
	}
	return Prepare(ctx, c.dir(r, "fixed"), r.Fixed)
}

// Check runs lockvet over both versions of a prepared row. The fixed version
// is left out where it would say nothing: the bug was not found, or the fix is
// one that keeps the finding.
func (c Checker) Check(ctx context.Context, r Row) (Outcome, error) {
	o := Outcome{Row: r}
	report, err := c.report(ctx, c.dir(r, "buggy"), r.Buggy)
	if err != nil {
		return o, err
	}
	o.FactBytes = report.factBytes()
	o.Found, o.Near = r.Want.find(report)
	if o.Found == nil || !r.Silent {
		return o, nil
	}
	if report, err = c.report(ctx, c.dir(r, "fixed"), r.Fixed); err != nil {
		return o, err
	}
	o.Left, _ = r.Want.find(report)
	return o, nil
}

func (c Checker) dir(r Row, version string) string {
	return filepath.Join(c.Modules, r.ID+"-"+version)
}

func (c Checker) report(ctx context.Context, dir string, t Target) (*Report, error) {
	report, err := c.Lockvet.Run(ctx, dir, t.Package)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	return report, nil
}

// find returns the wanted finding, and those that come near it.
func (w Want) find(r *Report) (match *Finding, near []Finding) {
	for i := range r.Findings {
		switch w.Judge(&r.Findings[i]) {
		case Match:
			if match == nil {
				match = &r.Findings[i]
			}
		case NoPath, SameClasses:
			near = append(near, r.Findings[i])
		}
	}
	return match, near
}
