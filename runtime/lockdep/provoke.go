//go:build lockdep

package lockdep

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// A plan says which dependencies to provoke (option provoke). It is text, in
// the form of lockvet test -provoke: a first line, then a dependency on each
// line, by the quoted names of its two classes, separated by a space. A
// goroutine that is about to take a lock of the second class while it holds one
// of the first is held for a moment, so that others can come. A line with a
// quoted file and a number names a place: a goroutine that is about to take a
// lock there is held, whatever it holds.
//
//	lockvet provoke 1
//	"bank.Account.mu" "bank.Ledger.mu"
//	"bank.Ledger.mu" "bank.Account.mu"
//	"/src/bank/account.go" 31

const planHeader = "lockvet provoke 1"

// allHolds is how many of the longest holds all of them may last together, so
// that a test that takes a second takes at most a few.
const allHolds = 250

// readPlan reads the plan in a file.
func readPlan(name string) (deps [][2]string, lines []lineKey, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	if !s.Scan() || strings.TrimSpace(s.Text()) != planHeader {
		return nil, nil, fmt.Errorf("%s: not a plan: the first line must be %q", name, planHeader)
	}
	for n := 2; s.Scan(); n++ {
		text := strings.TrimSpace(s.Text())
		if text == "" {
			continue
		}
		from, err := strconv.QuotedPrefix(text)
		if err == nil {
			rest := strings.TrimSpace(text[len(from):])
			from, _ = strconv.Unquote(from)
			if line, e := strconv.Atoi(rest); e == nil {
				lines = append(lines, lineKey{from, line})
				continue
			}
			var to string
			to, err = strconv.Unquote(rest)
			deps = append(deps, [2]string{from, to})
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: want two quoted names of classes, or a quoted file and a line", name, n)
		}
	}
	return deps, lines, s.Err()
}

// provoke makes the engine hold goroutines as the plan in a file says.
func provoke(o *Options) {
	deps, lines, err := readPlan(o.Provoke)
	if err != nil {
		fmt.Fprintf(os.Stderr, "lockdep: LOCKDEP: option provoke: %v (ignored)\n", err)
		return
	}
	nodes := make(map[string]int32)
	node := func(name string) int32 {
		if nodes[name] == 0 {
			nodes[name] = int32(len(nodes) + 1)
		}
		return nodes[name]
	}
	p := core.Provocation{Seed: o.Seed, Hold: int64(o.Hold), Total: allHolds * int64(o.Hold)}
	for _, d := range deps {
		p.Edges = append(p.Edges, [2]int32{node(d[0]), node(d[1])})
	}
	for _, l := range lines {
		p.Lines = append(p.Lines, core.HashLine(l.file, l.line))
	}
	p.Node = func(class uint16) int32 { return nodes[className(class)] }
	core.Provoke(p)
	provoked = true
}

// provoked is true once goroutines are held.
var provoked bool

const (
	// watchEvery is how often watchBlocked looks who waits for a lock.
	watchEvery = 100 * time.Millisecond
	// watchMost is how often it finds one that has not gone on before it gives
	// the run up.
	watchMost = 100
)

// watchBlocked ends the program when a goroutine that holds a lock waits for
// good, and another one for that lock: a wait under a lock that was provoked
// and closes. The engine sees that a goroutine does not go on; that nothing can
// wake it is for the runtime to tell (see findLeaked). Where it cannot, because
// somebody could still reach what the goroutine waits for, the program ends,
// too, after a while, since a test that hangs would go on until its timeout.
func watchBlocked() {
	core.Quiet(true)
	same := 0
	for last := waitingNow(); ; {
		time.Sleep(watchEvery)
		now := waitingNow()
		still := false
		for id, w := range now {
			old, ok := last[id]
			still = still || ok && old.Seq == w.Seq && old.Inst == w.Inst
		}
		last = now
		if !still {
			same = 0
			continue
		}
		// The runtime's answer takes a garbage collection.
		if same++; same&(same-1) != 0 && same < watchMost {
			continue
		}
		all := blockedForGood()
		if holder, wants := underLock(all); holder != nil {
			fmt.Fprintf(os.Stderr, "lockdep: %s: deadlock: a goroutine waits with a lock held that another one wants, and nothing can end the wait\n%s%s", holder.Stack[0], holder, wants)
			os.Exit(66)
		}
		if same >= watchMost {
			fmt.Fprintf(os.Stderr, "lockdep: a goroutine has waited for a lock for %v while deadlocks are provoked, the program is stopped\n", watchMost*watchEvery)
			os.Exit(66)
		}
	}
}

// underLock finds a goroutine that holds a lock and waits for something else
// than a lock, and one that waits for that lock.
func underLock(all []blocked) (holder, wants *blocked) {
	for i := range all {
		for j := range all {
			h, w := &all[i], &all[j]
			holds := slices.ContainsFunc(h.Holds, func(k heldByThis) bool { return w.Mode != "" && k.Class == w.Wants })
			if h.Mode == "" && holds && len(h.Stack) > 0 {
				return h, w
			}
		}
	}
	return nil, nil
}

// String is what is told of it at once; the dump has the rest.
func (b *blocked) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "\tgoroutine %d [%s]", b.Goroutine, b.State)
	for _, h := range b.Holds {
		fmt.Fprintf(&s, ", holds %s", h.Class)
	}
	if b.Wants != "" {
		fmt.Fprintf(&s, ", wants %s", b.Wants)
	}
	s.WriteByte('\n')
	for _, at := range b.Stack {
		fmt.Fprintf(&s, "\t\t%s:%d: %s\n", at.File, at.Line, at.Func)
	}
	return s.String()
}
