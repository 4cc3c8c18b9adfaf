package finding

import (
	"path/filepath"
	"slices"
	"strings"
)

// Relative returns the finding with files below dir named relative to it, in
// positions and in what is said about them.
func (f Finding) Relative(dir string) Finding {
	f.Message = RelativeText(f.Message, dir)
	f.Pos.File = RelativeText(f.Pos.File, dir)
	f.Related = relativeSteps(f.Related, dir)
	if f.Runtime != nil {
		run := Runtime{f.Runtime.Status, RelativeText(f.Runtime.Missed, dir), slices.Clone(f.Runtime.Seen)}
		for i := range run.Seen {
			run.Seen[i].Steps = relativeSteps(run.Seen[i].Steps, dir)
		}
		f.Runtime = &run
	}
	f.Edges = slices.Clone(f.Edges)
	for i := range f.Edges {
		f.Edges[i].Steps = relativeSteps(f.Edges[i].Steps, dir)
	}
	return f
}

// Relative is the same for a hand-off.
func (h Handoff) Relative(dir string) Handoff {
	h.Steps = relativeSteps(h.Steps, dir)
	return h
}

func relativeSteps(in []Step, dir string) []Step {
	out := slices.Clone(in)
	for i := range out {
		out[i].Pos.File = RelativeText(out[i].Pos.File, dir)
		out[i].What = RelativeText(out[i].What, dir)
	}
	return out
}

// RelativeText returns the text with dir taken off the file names in it that
// start with it.
func RelativeText(text, dir string) string {
	dir = strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	var b strings.Builder
	for start := 0; ; {
		i := strings.Index(text[start:], dir)
		if i < 0 {
			b.WriteString(text[start:])
			return b.String()
		}
		i += start
		b.WriteString(text[start:i])
		// Only where a name starts: /src/ is also in the middle of /home/src/a.go.
		if i > 0 && !strings.ContainsRune(" \t\n(\"'`", rune(text[i-1])) {
			b.WriteString(dir)
		}
		start = i + len(dir)
	}
}
