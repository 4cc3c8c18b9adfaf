// Package finding holds what the analyses report: one type for a problem with
// the full path of each of its sides, its stable ID, and its text and JSON
// forms.
//
// In go: edges and paths from the linker or from runtime dumps. Out come text
// and JSON. It never decides whether something is a problem.
package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// A Position is a place in a source file.
type Position struct {
	File string // as the go command named it; relative to the working directory in output
	Line int    // from 1
	Col  int    // in bytes, from 1
}

// String returns file:line:col.
func (p Position) String() string {
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// A Step is one line of a witness: at Pos, Func does What.
type Step struct {
	Pos  Position
	Func string // short name, such as (*Account).Transfer
	What string // such as "acquires bank.Account.mu" or "calls (*Ledger).Post"
}

// An Edge is one dependency of a finding: To was, or can be, acquired (or
// awaited) while From is held, as Steps show.
type Edge struct {
	From, To string
	Mode     string // modes of the two, such as "write->read"
	Steps    []Step
}

// A Finding is one reported problem.
type Finding struct {
	ID       string // stable over edits, see [ID]
	Analyzer string // lockorder or crossrelease
	Category string // inversion, recursive, …
	Message  string // one line, lowercase, no full stop
	Pos      Position
	Classes  []string // the lock classes, ring order, smallest first
	Edges    []Edge
	Related  []Step   // other ways into the same problem, such as further callers of a hub
	Runtime  *Runtime // what a run showed; nil before one
	Fixes    []Edit   // a change that mends it; none where that is not safe
}

// An Edit replaces the bytes from offset Start to End of a file by New.
type Edit struct {
	File       string
	Start, End int
	New        string
}

// Runtime is what running the program showed of a finding.
type Runtime struct {
	Status string // deadlocked, confirmed, observed, partial, unseen or runtime
	Missed string // why the analysis (of runtime), or the run (of unseen and partial), can have missed it, "" if that is not known
	Seen   []Seen
}

// Seen is an edge that a run showed.
type Seen struct {
	From, To string
	By       string // the test, "" if it is not known
	Steps    []Step // the stack of the acquisition of To, innermost first; What only where two things happen
}

// ID returns the stable identifier of a finding: a hash of analyzer, category
// and lock classes, and of function names where the classes alone do not tell
// two findings apart. Lines take no part, so that it survives edits.
// The classes form a ring: every rotation gives the same ID.
func ID(analyzer, category string, classes []string, funcs ...string) string {
	var b strings.Builder
	b.WriteString(analyzer + "\x00" + category)
	for _, c := range Rotate(classes) {
		b.WriteString("\x00" + c)
	}
	for _, f := range funcs {
		b.WriteString("\x01" + f)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return "LV-" + hex.EncodeToString(sum[:4])
}

// Rotate returns the ring of classes turned so that the smallest comes first.
func Rotate(classes []string) []string {
	if len(classes) == 0 {
		return nil
	}
	i := slices.Index(classes, slices.Min(classes))
	return slices.Concat(classes[i:], classes[:i])
}
