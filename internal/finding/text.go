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
	if f.Runtime != nil {
		f.Runtime.write(&b)
	}
	return b.String()
}

// write says what a run showed.
func (r *Runtime) write(b *strings.Builder) {
	switch r.Status {
	case "deadlocked":
		b.WriteString("\n\tdeadlocked: it happened in this run")
		r.writeMissed(b, "analysis")
	case "confirmed":
		b.WriteString("\n\tconfirmed: this run did it, on the same locks")
	case "observed":
		b.WriteString("\n\tobserved: this run did it, but on different locks of these classes")
	case "partial":
		b.WriteString("\n\tpartial: this run did only")
		r.writeMissed(b, "run")
	case "unseen":
		b.WriteString("\n\tunseen: this run did nothing of it")
		r.writeMissed(b, "run")
	case "runtime":
		b.WriteString("\n\tseen only by this run")
		r.writeMissed(b, "analysis")
	}
	for _, s := range r.Seen {
		fmt.Fprintf(b, "\n\t\t%s -> %s", s.From, s.To)
		if s.By != "" {
			fmt.Fprintf(b, " in %s", s.By)
		}
		for _, step := range s.Steps {
			fmt.Fprintf(b, "\n\t\t\t%s:%d: %s", step.Pos.File, step.Pos.Line, step.Func)
			if step.What != "" {
				b.WriteString(" " + step.What)
			}
		}
	}
}

// writeMissed says how one of the two, the analysis or the run, can have missed
// what the other showed.
func (r *Runtime) writeMissed(b *strings.Builder, who string) {
	if r.Missed != "" {
		b.WriteString("; the " + who + " can have missed it: " + r.Missed)
	}
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
