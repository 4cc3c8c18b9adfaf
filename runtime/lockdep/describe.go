//go:build lockdep

package lockdep

import (
	"fmt"
	"strings"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// describe makes the report for a finding of the engine.
func describe(f *core.Finding) *Report {
	r := &Report{Level: Level(f.Level)}
	for _, l := range f.Links {
		r.Edges = append(r.Edges, edgeOf(l))
	}
	var ring []string
	for _, e := range r.Edges {
		ring = append(ring, e.From)
	}
	switch f.Kind {
	case core.Inversion, core.WaitHeld, core.Deadlock:
		at := smallest(ring)
		for onlyWaits(f.Links, at) {
			at = (at + 1) % len(ring) // to who holds it
		}
		r.Edges = append(r.Edges[at:len(r.Edges):len(r.Edges)], r.Edges[:at]...)
		r.Classes = rotate(ring)
		if f.Kind == core.Deadlock {
			var held []string
			for i, c := range ring {
				if !onlyWaits(f.Links, i) {
					held = append(held, c)
				}
			}
			r.Classes = rotate(held)
		}
	default:
		r.Classes = ring[:1]
	}
	first := &r.Edges[0]
	switch f.Kind {
	case core.Inversion:
		r.Category = CategoryInversion
		if len(r.Edges) == 2 {
			r.Message = fmt.Sprintf("lock order inversion: %s acquired while %s is held, but %v acquires them in the opposite order",
				first.To, first.From, r.Edges[1].ToSite)
		} else {
			r.Message = fmt.Sprintf("lock order inversion: %s -> %s is a ring of %d locks", strings.Join(r.Classes, " -> "), r.Classes[0], len(ring))
		}
	case core.Nesting:
		r.Category = CategoryNesting
		r.Message = fmt.Sprintf("nested locks of one class: %s acquired while another %[1]s is held, and nothing orders the two", first.From)
	case core.Recursive:
		r.Category = CategoryRecursive
		l := f.Links[0]
		switch {
		case l.FromMode == core.Read && l.ToMode == core.Read:
			r.Message = fmt.Sprintf("recursive read lock: %s is already read-held by this goroutine, acquired at %v, and a writer waiting between the two deadlocks both", first.From, first.FromSite)
		case l.FromMode == core.Read:
			r.Message = fmt.Sprintf("lock upgrade: %s is write-locked while read-held by this goroutine, acquired at %v", first.From, first.FromSite)
		default:
			r.Message = fmt.Sprintf("recursive lock: %s is already held by this goroutine, acquired at %v", first.From, first.FromSite)
		}
	case core.WaitHeld:
		r.Category = CategoryWaitHeld
		r.Message = waitMessage(r.Edges)
	case core.Deadlock:
		r.Category = CategoryDeadlock
		r.Message = fmt.Sprintf("deadlock: %d goroutines wait for each other's locks", len(ring))
		switch {
		case len(ring) == 1:
			r.Message = fmt.Sprintf("deadlock: %s is held by the goroutine that waits for it", first.From)
		case len(r.Classes) == 1 && len(ring) == 2:
			r.Message = fmt.Sprintf("deadlock: %s is read-held by a goroutine that read-locks it again, behind a writer that waits for it", first.From)
		}
	case core.Unlock:
		r.Category = CategoryUnlock
		r.Message = fmt.Sprintf("unlock of %s, which nobody holds", first.From)
	case core.Leak:
		r.Category = CategoryLeak
		r.Message = fmt.Sprintf("lock leak: %s acquired at %v is still held, and its goroutine %d has ended", first.From, first.FromSite, first.Goroutine)
	case core.Collected:
		r.Category = CategoryLeak
		r.Message = fmt.Sprintf("lock leak: %s acquired at %v was garbage-collected while held", first.From, first.FromSite)
	case core.Copied:
		r.Category = CategoryCopied
		r.Message = fmt.Sprintf("copied lock: this %s is a copy that was made while the original was held", first.From)
	case core.Assert:
		r.Category = CategoryAssert
		r.Message = "assertion failed: " + f.Note
	}
	r.Standard = true
	for _, e := range r.Edges {
		r.Standard = r.Standard && standard(e.ToSite.File) && (e.Signal || standard(e.FromSite.File))
	}
	r.ID = findingID(analyzerOf(r.Category), r.Category, r.Classes)
	return r
}

// onlyWaits reports whether the i-th goroutine of a deadlock holds nothing of
// it: a writer for which readers wait.
func onlyWaits(links []core.Link, i int) bool {
	l := links[i]
	return len(links) > 1 && l.FromInst == l.ToInst && l.FromMode == core.Write
}

// waitMessage names the lock and the event of the first wait in the ring.
func waitMessage(edges []Edge) string {
	for i, e := range edges {
		if !e.Wait {
			continue
		}
		next := edges[(i+1)%len(edges)]
		return fmt.Sprintf("wait under lock: waits for %s while %s is held, which its signaller needs at %v before it signals", e.To, e.From, next.ToSite)
	}
	return fmt.Sprintf("wait under lock: %s is acquired while %s is held, which the goroutine that releases it needs", edges[0].To, edges[0].From)
}

func edgeOf(l core.Link) Edge {
	e := Edge{
		From: className(l.From), To: className(l.To), Wait: l.Wait, Signal: l.Signal,
		FromSite: siteOf(l.FromPC), ToSite: siteOf(l.ToPC),
		Stack: sitesOf(l.Stack), FromStack: sitesOf(l.FromStack), Goroutine: l.Goid,
	}
	e.Mode = linkMode(l)
	return e
}

func modeName(m uint8) string {
	if m == core.Read {
		return "read"
	}
	return "write"
}
