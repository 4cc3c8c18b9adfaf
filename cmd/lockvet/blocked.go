package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/internal/dump"
	"github.com/lockvet/lockvet/internal/finding"
)

// maxBlocked bounds how many kinds of blocked goroutines are printed.
const maxBlocked = 20

// printBlocked lists the goroutines that were blocked for good at the end of
// their process, those of one stack together.
func printBlocked(w io.Writer, graphs []*dump.Graph, dir string) {
	count := make(map[string]int)
	var order []string
	for _, g := range graphs {
		for _, b := range g.Blocked {
			text := finding.RelativeText(blockedText(filepath.Base(g.Process), &b), dir)
			if count[text]++; count[text] == 1 {
				order = append(order, text)
			}
		}
	}
	for i, text := range order {
		if i == maxBlocked {
			fmt.Fprintf(w, "lockvet: goroutines of %d other kinds are blocked for good: set LOCKDEPDIR to keep all\n", len(order)-maxBlocked)
			break
		}
		number := ""
		if n := count[text]; n > 1 {
			number = fmt.Sprintf(" (%d goroutines)", n)
		}
		head, rest, _ := strings.Cut(text, "\n")
		fmt.Fprintf(w, "%s%s\n%s", head, number, rest)
	}
}

// blockedText says what a goroutine waits for, what it holds and where it is.
func blockedText(process string, b *dump.Blocked) string {
	var s strings.Builder
	fmt.Fprintf(&s, "goroutine blocked for good in %s: %s", process, b.State)
	if b.Wants != "" {
		fmt.Fprintf(&s, ", wants %s", b.Wants)
	}
	if b.Lost {
		s.WriteString(", whose holder has ended")
	}
	s.WriteByte('\n')
	for _, h := range b.Holds {
		fmt.Fprintf(&s, "\tholds %s (%s), acquired at %s:%d: %s\n", h.Class, h.Mode, h.Site.File, h.Site.Line, h.Site.Func)
	}
	for _, at := range b.Stack {
		if strings.HasPrefix(at.Func, "testing.") || strings.HasPrefix(at.Func, "runtime.") {
			break
		}
		fmt.Fprintf(&s, "\t%s:%d: %s\n", at.File, at.Line, at.Func)
	}
	if at := b.CreatedBy; at.Func != "" && !strings.HasPrefix(at.Func, "testing.") {
		fmt.Fprintf(&s, "\tcreated at %s:%d: %s\n", at.File, at.Line, at.Func)
	}
	return s.String()
}
