package vetunit

import (
	"fmt"
	"strings"
)

// contextLines is how many unchanged lines stand around a change, as in diff -u.
const contextLines = 3

// unified returns the differences of two versions of a file as diff -u prints
// them, or nothing if there are none.
func unified(name, old, new string) string {
	if old == new {
		return ""
	}
	ops := compare(splitLines(old), splitLines(new))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, name)
	for start := 0; start < len(ops); {
		if ops[start].kind == ' ' {
			start++
			continue
		}
		// A hunk reaches to the last change before a long enough quiet stretch.
		end, quiet := start+1, 0
		for i := start + 1; i < len(ops) && quiet <= 2*contextLines; i++ {
			if ops[i].kind == ' ' {
				quiet++
			} else {
				end, quiet = i+1, 0
			}
		}
		writeHunk(&b, ops, max(start-contextLines, 0), min(end+contextLines, len(ops)))
		start = end
	}
	return b.String()
}

// An op is one line of a comparison: kept (' '), removed ('-') or added ('+').
type op struct {
	kind     byte
	line     string
	old, new int // lines of each version before this one
}

func writeHunk(b *strings.Builder, ops []op, from, to int) {
	olds, news := 0, 0
	for _, o := range ops[from:to] {
		if o.kind != '+' {
			olds++
		}
		if o.kind != '-' {
			news++
		}
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", lineRange(ops[from].old, olds), lineRange(ops[from].new, news))
	for _, o := range ops[from:to] {
		fmt.Fprintf(b, "%c%s", o.kind, o.line)
		if !strings.HasSuffix(o.line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

func lineRange(before, n int) string {
	if n == 0 {
		return fmt.Sprintf("%d,0", before)
	}
	return fmt.Sprintf("%d,%d", before+1, n)
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// compare finds a shortest list of removals and additions that makes b of a,
// by the greedy algorithm of Myers, "An O(ND) Difference Algorithm and Its
// Variations" (1986): fixes are small, so D is.
func compare(a, b []string) []op {
	n, m := len(a), len(b)
	// furthest[k] is the furthest x on diagonal k = x-y; trace keeps it for
	// every number of changes, to walk back.
	furthest := map[int]int{1: 0}
	var trace []map[int]int
	for d := 0; ; d++ {
		saved := make(map[int]int, len(furthest))
		for k, x := range furthest {
			saved[k] = x
		}
		trace = append(trace, saved)
		for k := -d; k <= d; k += 2 {
			x := furthest[k-1] + 1
			if k == -d || k != d && furthest[k-1] < furthest[k+1] {
				x = furthest[k+1]
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x, y = x+1, y+1
			}
			furthest[k] = x
			if x >= n && y >= m {
				return walkBack(a, b, trace)
			}
		}
	}
}

func walkBack(a, b []string, trace []map[int]int) []op {
	var reversed []op
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		k := x - y
		prev := k - 1
		if k == -d || k != d && trace[d][k-1] < trace[d][k+1] {
			prev = k + 1
		}
		px := trace[d][prev]
		py := px - prev
		for x > max(px, 0) && y > max(py, 0) {
			x, y = x-1, y-1
			reversed = append(reversed, op{' ', a[x], x, y})
		}
		if d == 0 {
			break
		}
		if x == px {
			y--
			reversed = append(reversed, op{'+', b[y], x, y})
		} else {
			x--
			reversed = append(reversed, op{'-', a[x], x, y})
		}
	}
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return reversed
}
