package lockdep

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Level is how good the evidence for a report is.
type Level uint8

const (
	// Weak evidence: the classes form a ring, but the observed locks were
	// different ones, or one gate lock is always held. Such reports are often
	// no bugs; they serve to confirm what a static analysis found.
	Weak Level = iota + 1
	// Medium evidence: the same locks, but one goroutine alone took all orders.
	Medium
	// Strong evidence: the same locks, two goroutines, no common gate.
	Strong
)

// String returns the level's name as the option level takes it.
func (l Level) String() string {
	switch l {
	case Weak:
		return "weak"
	case Medium:
		return "medium"
	case Strong:
		return "strong"
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

// MarshalText returns the level's name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the level's name.
func (l *Level) UnmarshalText(text []byte) error {
	for k := Weak; k <= Strong; k++ {
		if k.String() == string(text) {
			*l = k
			return nil
		}
	}
	return fmt.Errorf("lockdep: unknown level %q", text)
}

// Categories of reports. The first six are those of the static analyses.
const (
	CategoryInversion = "inversion" // locks taken in opposite orders, or in a ring
	CategoryNesting   = "nesting"   // two locks of one class, and nothing orders them
	CategoryRecursive = "recursive" // a lock taken again by its holder
	CategoryWaitHeld  = "waitheld"  // a wait under a lock that the signaller needs
	CategoryLeak      = "leak"      // a goroutine ended, or the lock was collected, while held
	CategoryUnlock    = "unlock"    // unlock of a lock that nobody holds
	CategoryDeadlock  = "deadlock"  // goroutines that wait for each other, now
	CategoryCopied    = "copied"    // a lock copied while held
	CategoryAssert    = "assert"    // a failed AssertHeld and the like
)

// A Site is a place in the program.
type Site struct {
	Func string `json:"func"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// String returns file:line.
func (s Site) String() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// An Edge is one dependency of a report: To was acquired, or waited for, while
// From was held; or, if Signal is set, To is needed before From is signalled.
type Edge struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Mode      string `json:"mode"` // such as write->read, write->wait, signal->write
	Wait      bool   `json:"wait,omitempty"`
	Signal    bool   `json:"signal,omitempty"`
	FromSite  Site   `json:"fromSite"`            // where From was acquired
	ToSite    Site   `json:"toSite"`              // where To was acquired
	Stack     []Site `json:"stack,omitempty"`     // of the acquisition of To, innermost first
	FromStack []Site `json:"fromStack,omitempty"` // of the acquisition of From, with fullstack=1
	Goroutine uint64 `json:"goroutine"`
}

// A Report is one problem that was observed.
type Report struct {
	ID       string   `json:"id"`       // as the static analyses give it to the same classes
	Category string   `json:"category"` // one of the Category constants
	Level    Level    `json:"level"`
	Classes  []string `json:"classes"` // ring order, smallest first
	Message  string   `json:"message"`
	Edges    []Edge   `json:"edges"`
	Standard bool     `json:"standard,omitempty"` // only locks that the standard library takes are in it
}

// String returns the report as text: one line that says what is wrong, then
// each edge with its sites, and the stack of its inner acquisition.
func (r *Report) String() string {
	var b strings.Builder
	if len(r.Edges) > 0 {
		fmt.Fprintf(&b, "%v: ", r.Edges[0].ToSite)
	}
	fmt.Fprintf(&b, "%s [%s/%s %s] (%s evidence)\n", r.Message, analyzerOf(r.Category), r.Category, r.ID, r.Level)
	for i := range r.Edges {
		r.Edges[i].write(&b)
	}
	return b.String()
}

func (e *Edge) write(b *strings.Builder) {
	if e.From != "" && e.From != e.To || e.Wait || e.Signal {
		fmt.Fprintf(b, "\t%s -> %s (goroutine %d, %s)\n", e.From, e.To, e.Goroutine, e.Mode)
	} else {
		fmt.Fprintf(b, "\t%s (goroutine %d, %s)\n", e.To, e.Goroutine, e.Mode)
	}
	if !e.Signal && e.FromSite != e.ToSite {
		fmt.Fprintf(b, "\t\t%v: %s acquires %s\n", e.FromSite, e.FromSite.Func, e.From)
		for _, s := range e.FromStack {
			fmt.Fprintf(b, "\t\t\t%v: %s\n", s, s.Func)
		}
	}
	does := "acquires"
	if e.Wait {
		does = "waits for"
	}
	fmt.Fprintf(b, "\t\t%v: %s %s %s", e.ToSite, e.ToSite.Func, does, e.To)
	if e.Signal {
		fmt.Fprintf(b, " before it signals %s", e.From)
	}
	b.WriteByte('\n')
	for _, s := range e.Stack {
		if s != e.ToSite {
			fmt.Fprintf(b, "\t\t\t%v: %s\n", s, s.Func)
		}
	}
}

func (r *Report) json() []byte {
	text, err := json.Marshal(r)
	if err != nil {
		return []byte(fmt.Sprintf("{\"error\":%q}", err))
	}
	return text
}

// analyzerOf returns the static analysis that has the category, or lockdep.
func analyzerOf(category string) string {
	switch category {
	case CategoryInversion, CategoryNesting, CategoryRecursive:
		return "lockorder"
	case CategoryWaitHeld, CategoryLeak, CategoryUnlock:
		return "crossrelease"
	}
	return "lockdep"
}
