package finding

import (
	"fmt"
	"strings"
)

// Text returns the finding as people read it, without its position: the
// message with category and ID, then each edge with its witness.
func (f *Finding) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s [%s/%s %s]", f.Message, f.Analyzer, f.Category, f.ID)
	for _, e := range f.Edges {
		fmt.Fprintf(&b, "\n\t%s -> %s", e.From, e.To)
		writeSteps(&b, e.Steps)
	}
	if len(f.Related) > 0 {
		b.WriteString("\n\talso")
		writeSteps(&b, f.Related)
	}
	return b.String()
}

func writeSteps(b *strings.Builder, steps []Step) {
	for _, s := range steps {
		fmt.Fprintf(b, "\n\t\t%s: ", s.Pos)
		if s.Func != "" {
			b.WriteString(s.Func + " ")
		}
		b.WriteString(s.What)
	}
}

// String returns the finding with its position, as the standalone command
// prints it.
func (f *Finding) String() string { return f.Pos.String() + ": " + f.Text() }
