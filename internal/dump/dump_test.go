package dump

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const sample = Header + `
process	7	1800000000	go1.26.8	linux/amd64	"/bin/a b"
frame	1	"bank.AB"	"/src/bank.go"	10
frame	2	"bank.AB"	"/src/bank.go"	12
class	1	mutex	"bank.A.mu"	1
class	2	rwmutex	"bank.B.mu"	0
class	3	room	"bank.A.c"	0
dep	1	2	write->read	1	2	5	2,1
dep	3	1	earlier->write	1	2	5	-
pair	1	11	2	12	write->read	1	2	5	6
later	what this version does not know
report	"{\"id\":\"LV-1\",\"category\":\"inversion\",\"level\":\"strong\",\"classes\":[\"bank.A.mu\"]}"
blocked	"{\"goroutine\":7,\"state\":\"chan receive\",\"wants\":\"bank.A.c\",\"holds\":[{\"class\":\"bank.A.mu\",\"mode\":\"write\",\"site\":{\"func\":\"bank.AB\",\"file\":\"/src/bank.go\",\"line\":10}}],\"stack\":[]}"
full	deps
end
`

func TestRead(t *testing.T) {
	g, err := Read(strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	one, two := Site{"bank.AB", "/src/bank.go", 10}, Site{"bank.AB", "/src/bank.go", 12}
	want := &Graph{
		Process: "/bin/a b",
		Deps:    []Dep{{From: "bank.A.mu", To: "bank.B.mu", Mode: "write->read", FromSite: one, ToSite: two, Stack: []Site{two, one}}, {From: "bank.A.c", To: "bank.A.mu", Event: "room", Mode: "earlier->write", FromSite: one, ToSite: two}},
		Pairs:   []Pair{{From: "bank.A.mu", To: "bank.B.mu", FromInst: 11, ToInst: 12, Mode: "write->read", FromSite: one, ToSite: two}},
		Reports: []Report{{ID: "LV-1", Category: "inversion", Level: "strong", Classes: []string{"bank.A.mu"}}},
		Blocked: []Blocked{{Goroutine: 7, State: "chan receive", Wants: "bank.A.c", Holds: []Held{{"bank.A.mu", "write", one}}, Stack: []Site{}}},
		Full:    []string{"deps"},
	}
	if !reflect.DeepEqual(g, want) {
		t.Errorf("got\n%+v\nwant\n%+v", g, want)
	}
}

func TestLimits(t *testing.T) {
	g, err := Read(strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	g.Full = append(g.Full, "stacks", "goroutines")
	want := []string{
		"table deps of a b was full, what it observed is not complete: set LOCKDEP=deps=N to a larger N, see docs/runtime.md",
		"table stacks of a b was full, some stacks are missing: set LOCKDEP=stacks=N to a larger N, see docs/runtime.md",
		"table goroutines of a b was full, what it observed is not complete",
	}
	if got := g.Limits(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every site has the new name, in texts too.
func TestRenameFiles(t *testing.T) {
	report := Report{
		Message: "B acquired at m/a.go:31, but m/a.go:3 and m/b.go:4 differ",
		Edges:   []ReportEdge{{FromSite: Site{File: "m/a.go", Line: 3}, ToSite: Site{File: "m/a.go", Line: 31}}, {FromSite: Site{File: "m/b.go", Line: 4}, Stack: []Site{{File: "m/a.go"}}}},
	}
	g, err := Read(strings.NewReader(strings.ReplaceAll(sample, "/src/", "m/")))
	if err != nil {
		t.Fatal(err)
	}
	g.Reports = append(g.Reports, report)
	g.RenameFiles(func(name string) string {
		if rest, ok := strings.CutPrefix(name, "m/"); ok {
			return "/src/m/" + rest
		}
		return name
	})
	if got, want := g.Reports[1].Message, "B acquired at /src/m/a.go:31, but /src/m/a.go:3 and /src/m/b.go:4 differ"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	if text := fmt.Sprintf("%+v", g); strings.Contains(strings.ReplaceAll(text, "/src/m/", ""), "m/") {
		t.Errorf("got %s, want all names below /src/m", text)
	}
}

// Whatever is cut off or damaged, what comes before it counts.
func TestDamaged(t *testing.T) {
	for cut := len(Header) + 1; cut < len(sample); cut++ {
		g, err := Read(strings.NewReader(sample[:cut]))
		if g == nil || err == nil || !strings.Contains(err.Error(), "skipped") {
			t.Fatalf("cut after %d bytes: got %v, %v, want a graph and what was skipped", cut, g, err)
		}
	}
	g, err := Read(strings.NewReader(strings.Replace(sample, "pair\t1\t11", "pair\t9\t11", 1)))
	if err == nil || len(g.Deps) != 2 || len(g.Pairs) != 0 || !strings.Contains(err.Error(), "line 10") {
		t.Errorf("pair of an unknown class: got %+v, %v", g, err)
	}
	for _, text := range []string{"", "no dump\n", "lockvet dump 2\n"} {
		if g, err := Read(strings.NewReader(text)); g != nil || err == nil {
			t.Errorf("%q: got %v, %v, want an error only", text, g, err)
		}
	}
}

func TestReadDir(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a" + Suffix: sample, "b" + Suffix: "lockvet dump 2\n", "new-7": "half", "7.lost": "disk full", "8.lost": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	graphs, troubles, err := ReadDir(dir)
	if err != nil || len(graphs) != 1 || len(troubles) != 3 || !strings.HasSuffix(troubles[0], "process 7 observed is lost: disk full") ||
		!strings.Contains(troubles[1], "process 8 observed is lost: no room") || !strings.Contains(troubles[2], "b"+Suffix) {
		t.Errorf("got %v, %q, %v, want one graph and a line about each of the others", graphs, troubles, err)
	}
	if _, _, err := ReadDir(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("got no error about a directory that does not exist")
	}
}

// TestRoundTrip reads what runtime/lockdep writes.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "main.go")
	if err := os.WriteFile(program, []byte(`package main

import (
	"os"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

func main() {
	var a, b lockdep.Mutex
	lockdep.SetClass(&a, "A")
	lockdep.SetClass(&b, "B\t\"")
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
	b.Lock()
	a.Lock()
	if err := lockdep.WriteDump(os.Stdout); err != nil {
		panic(err)
	}
}
`), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "-tags=lockdep", program)
	cmd.Env = append(os.Environ(), "LOCKDEP=report=none")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	g, err := Read(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if len(g.Deps) != 2 || g.Deps[0].From != "A" || g.Deps[0].To != "B\t\"" || g.Deps[0].FromSite.Line != 13 || len(g.Deps[0].Stack) == 0 {
		t.Errorf("dependencies are %+v", g.Deps)
	}
	if len(g.Pairs) != 2 || g.Pairs[0].FromInst != g.Pairs[1].ToInst || g.Pairs[0].ToInst != g.Pairs[1].FromInst {
		t.Errorf("pairs are %+v", g.Pairs)
	}
	if len(g.Reports) == 0 || g.Reports[0].Category != "inversion" || len(g.Reports[0].Edges) != 2 {
		t.Errorf("reports are %+v", g.Reports)
	}
}
