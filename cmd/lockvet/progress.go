package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// quietFor is how long a run may last before it shows that it is alive.
const quietFor = time.Second

// A progress tells how far the analysis is: a line for each package if the user
// asked for it, else, on a terminal, one line that is written over.
type progress struct {
	w       io.Writer
	verbose bool
	start   time.Time

	mu       sync.Mutex
	asked    int // packages that were named
	packages int // done, with what the named ones import
	shown    bool
	stop     chan struct{} // nil if no line is written over
}

func newProgress(w io.Writer, verbose bool) *progress {
	p := &progress{w: w, verbose: verbose, start: time.Now()}
	if !verbose && isTerminal(w) {
		p.stop = make(chan struct{})
		go p.redraw(p.stop)
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *progress) redraw(stop <-chan struct{}) {
	ticker := time.NewTicker(quietFor)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-ticker.C:
			p.draw(now)
		}
	}
}

func (p *progress) draw(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop == nil {
		return // done came between
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[Klockvet: %d packages analysed, %d asked for, %v", p.packages, p.asked, now.Sub(p.start).Round(time.Second))
}

// expect says how many packages were named.
func (p *progress) expect(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = n
}

// analysed counts a package that is done.
func (p *progress) analysed(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.packages++
	if p.verbose {
		fmt.Fprintf(p.w, "lockvet: analysed %s\n", id)
	}
}

// done takes the progress line away. It may be called again.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
	if p.shown {
		p.shown = false
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
