//go:build lockdep

package lockdep

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// A plan says which dependencies to provoke (option provoke). It is text, in
// the form of lockvet test -provoke: a first line, then a dependency on each
// line, by the quoted names of its two classes, separated by a space. A
// goroutine that is about to take a lock of the second class while it holds one
// of the first is held for a moment, so that others can come.
//
//	lockvet provoke 1
//	"bank.Account.mu" "bank.Ledger.mu"
//	"bank.Ledger.mu" "bank.Account.mu"

const planHeader = "lockvet provoke 1"

// allHolds is how many of the longest holds all of them may last together, so
// that a test that takes a second takes at most a few.
const allHolds = 250

// readPlan reads the plan in a file.
func readPlan(name string) (deps [][2]string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	if !s.Scan() || strings.TrimSpace(s.Text()) != planHeader {
		return nil, fmt.Errorf("%s: not a plan: the first line must be %q", name, planHeader)
	}
	for n := 2; s.Scan(); n++ {
		text := strings.TrimSpace(s.Text())
		if text == "" {
			continue
		}
		from, err := strconv.QuotedPrefix(text)
		if err == nil {
			var to string
			to, err = strconv.Unquote(strings.TrimSpace(text[len(from):]))
			from, _ = strconv.Unquote(from)
			deps = append(deps, [2]string{from, to})
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: want two quoted names of classes", name, n)
		}
	}
	return deps, s.Err()
}

// provoke makes the engine hold goroutines as the plan in a file says.
func provoke(o *Options) {
	deps, err := readPlan(o.Provoke)
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
	p.Node = func(class uint16) int32 { return nodes[className(class)] }
	core.Provoke(p)
}
