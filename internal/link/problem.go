package link

import (
	"fmt"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lockobj"
)

// problems makes the findings that lie within one function: leaks and wrong
// releases.
func (l *linker) problems() []finding.Finding {
	var out []finding.Finding
	for _, n := range l.nodes {
		if len(n.Problems) == 0 || l.dead(n) || !l.roots[n.pkg] {
			continue
		}
		seen := map[string]int{}
		for _, p := range n.Problems {
			class := l.short(p.Lock.Class)
			where := n.pkg + " " + n.Name
			if seen[p.Category+class]++; seen[p.Category+class] > 1 {
				where += fmt.Sprint(" ", seen[p.Category+class])
			}
			f := finding.Finding{
				Analyzer: "crossrelease", Category: p.Category,
				Pos: position(p.Pos), Classes: []string{class},
				ID: finding.ID("crossrelease", p.Category, []string{class}, where),
			}
			acquired := finding.Step{Pos: position(p.At), Func: n.Name, What: verb(p.Lock.Mode) + " " + class}
			switch p.Category {
			case "leak":
				f.Message = fmt.Sprintf("lock leak: %s acquired at %s is still held at this return", class, position(p.At))
				f.Related = []finding.Step{acquired, {Pos: position(p.Pos), Func: n.Name, What: "returns, or goes on, with " + class + " held"}}
			case "unlock":
				f.Message = fmt.Sprintf("unlock of %s, which cannot be held here", class)
				if p.At.IsValid() {
					f.Message = fmt.Sprintf("unlock of %s, which cannot be held here for %s: it was acquired for %s at %s", class, purpose(p.Lock.Mode), purpose(other(p.Lock.Mode)), position(p.At))
				}
				f.Related = []finding.Step{{Pos: position(p.Pos), Func: n.Name, What: "releases " + class}}
			}
			for _, e := range p.Fix {
				f.Fixes = append(f.Fixes, finding.Edit{File: e.File, Start: e.Start, End: e.End, New: e.New})
			}
			out = append(out, f)
		}
	}
	return out
}

func purpose(m lockobj.Mode) string {
	if m == lockobj.Read {
		return "reading"
	}
	return "writing"
}

// other is the mode that a release of the given mode does not fit.
func other(m lockobj.Mode) lockobj.Mode {
	if m == lockobj.Read {
		return lockobj.Write
	}
	return lockobj.Read
}

// leaks reports whether a function leaves the lock acquired at a position held
// by mistake: what follows from that is not reported again.
func (n *node) leaks(at lockobj.Pos) bool {
	for _, p := range n.Problems {
		if p.Category == "leak" && p.At == at {
			return true
		}
	}
	return false
}
