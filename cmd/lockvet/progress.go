package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// quietFor is how long a run may last before it shows that it is alive.
const quietFor = time.Second

// A progress tells how far the analysis is: a line for each package if the user
// asked for it, else one line that is written over, on a terminal only.
type progress struct {
	w        io.Writer
	verbose  bool
	terminal bool
	start    time.Time
	packages int
	asked    int
	shown    bool
}

func newProgress(w io.Writer, verbose bool, asked int) *progress {
	return &progress{w: w, verbose: verbose, terminal: isTerminal(w), start: time.Now(), asked: asked}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// analysed counts a package that is done.
func (p *progress) analysed(id string) {
	p.packages++
	switch {
	case p.verbose:
		fmt.Fprintf(p.w, "lockvet: analysed %s\n", id)
	case p.terminal && time.Since(p.start) > quietFor:
		p.shown = true
		fmt.Fprintf(p.w, "\r\x1b[Klockvet: %d packages done, to check %d with what they import", p.packages, p.asked)
	}
}

// done takes the progress line away.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
