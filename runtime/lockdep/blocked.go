//go:build lockdep

package lockdep

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// A blocked is a goroutine that nothing can wake any more: the runtime's own
// analysis says so, which looks for goroutines that wait for what nobody can
// reach; or it waits for a lock whose holder has ended or is blocked for good
// itself, which the runtime cannot know.
type blocked struct {
	Goroutine uint64       `json:"goroutine"`
	State     string       `json:"state"`           // as the runtime calls it, such as "chan receive"
	Wants     string       `json:"wants,omitempty"` // class of the lock or event, if it is known
	Mode      string       `json:"mode,omitempty"`  // of a lock
	Lost      bool         `json:"lost,omitempty"`  // the holder of the lock has ended
	Holds     []heldByThis `json:"holds,omitempty"`
	Stack     []Site       `json:"stack"` // innermost first
	CreatedBy *Site        `json:"createdBy,omitempty"`
}

type heldByThis struct {
	Class string `json:"class"`
	Mode  string `json:"mode"`
	Site  Site   `json:"site"`
}

// findLeaked makes the runtime look for goroutines that are blocked for good, so
// that stacks say which are, where the Go version can do that. It is set by who
// can do it.
var findLeaked func()

// setFindLeaked sets findLeaked. With it waits can be provoked, too.
func setFindLeaked(f func()) {
	findLeaked = f
	if provoked {
		go watchBlocked()
	}
}

// blockedForGood returns the goroutines that are blocked for good, in the order
// of the runtime's list of them.
func blockedForGood() []blocked {
	if findLeaked != nil {
		findLeaked()
	}
	first := waitingNow()
	goroutines := parseStacks(allStacks())
	stuck := make(map[uint64]core.Waiting)
	alive := make(map[uint64]bool)
	leaked := make(map[uint64]bool)
	for _, g := range goroutines {
		alive[g.id] = true
		leaked[g.id] = g.leaked
	}
	for id, w := range waitingNow() {
		// Who has not gone on since, and did not run in between, blocks.
		if old, ok := first[id]; ok && old.Seq == w.Seq && old.Inst == w.Inst && alive[id] {
			stuck[id] = w
		}
	}
	// All of them, less those whose lock somebody can still give up.
	for again := true; again; {
		again = false
		for id, w := range stuck {
			lost := w.Lost
			for _, o := range w.For {
				_, waits := stuck[o]
				lost = lost || waits || leaked[o] || !alive[o]
			}
			if !lost {
				delete(stuck, id)
				again = true
			}
		}
	}
	held := make(map[uint64][]heldByThis)
	core.EachHeld(func(h core.HeldLock) {
		held[h.Goid] = append(held[h.Goid], heldByThis{className(h.Class), modeName(h.Mode), siteOf(h.PC)})
	})
	var out []blocked
	for _, g := range goroutines {
		w, waits := stuck[g.id]
		if !waits && !g.leaked {
			continue
		}
		b := blocked{Goroutine: g.id, State: g.state, Holds: held[g.id], Stack: g.stack, CreatedBy: g.createdBy}
		if w, ok := first[g.id]; ok {
			b.Wants, b.Mode, b.Lost = className(w.Class), modeName(w.Mode), w.Lost
		} else if len(g.stack) > 0 {
			b.Wants = sites[lineKey{g.stack[0].File, g.stack[0].Line}]
		}
		if waits && len(w.For) == 1 && !alive[w.For[0]] {
			b.Lost = true
		}
		out = append(out, b)
	}
	return out
}

func waitingNow() map[uint64]core.Waiting {
	all := make(map[uint64]core.Waiting)
	core.EachWaiting(func(w core.Waiting) { all[w.Goid] = w })
	return all
}

// allStacks returns the stacks of all goroutines as text. It stops the world
// for a moment.
func allStacks() string {
	for buf := make([]byte, 1<<16); ; buf = make([]byte, 2*len(buf)) {
		if n := runtime.Stack(buf, true); n < len(buf) || len(buf) >= 1<<26 {
			return string(buf[:n])
		}
	}
}

// goroutine is one entry of that text:
//
//	goroutine 8 [chan receive (leaked), 2 minutes]:
//	main.main.func2()
//		/src/main.go:14 +0x25
//	created by main.main in goroutine 1
//		/src/main.go:14 +0x2a
type goroutine struct {
	id        uint64
	state     string
	leaked    bool
	stack     []Site
	createdBy *Site
}

func parseStacks(text string) []goroutine {
	var all []goroutine
	for entry := range strings.SplitSeq(text, "\n\n") {
		lines := strings.Split(strings.TrimSpace(entry), "\n")
		var g goroutine
		head, state, ok := strings.Cut(strings.TrimSuffix(lines[0], "]:"), " [")
		if _, err := fmt.Sscanf(head, "goroutine %d", &g.id); err != nil || !ok {
			continue
		}
		state, _, _ = strings.Cut(state, ",")
		g.state, g.leaked = strings.CutSuffix(state, " (leaked)")
		for i := 1; i+1 < len(lines); i += 2 {
			s := Site{Func: lines[i]}
			file, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
			if colon := strings.LastIndexByte(file, ':'); colon > 0 {
				s.File = file[:colon]
				s.Line, _ = strconv.Atoi(file[colon+1:])
			}
			if by, ok := strings.CutPrefix(s.Func, "created by "); ok {
				s.Func, _, _ = strings.Cut(by, " in goroutine ")
				g.createdBy = &s
				break
			}
			if paren := strings.LastIndexByte(s.Func, '('); paren > 0 {
				s.Func = s.Func[:paren]
			}
			if len(g.stack) > 0 || !core.Ours(s.Func) && !strings.HasPrefix(s.Func, "runtime.") && !strings.HasPrefix(s.Func, "sync.") && !strings.HasPrefix(s.Func, "internal/sync.") {
				g.stack = append(g.stack, s)
			}
		}
		all = append(all, g)
	}
	return all
}

// blocked writes the goroutines that are blocked for good.
func (d *dumper) blocked() error {
	for _, b := range blockedForGood() {
		text, err := json.Marshal(b)
		if err != nil {
			return fmt.Errorf("lockdep: writing a goroutine: %w", err)
		}
		d.f("blocked\t%q\n", text)
	}
	return nil
}
