// Package dump reads what processes with lockdep inside observed, as they wrote
// it to LOCKDEPDIR (see WriteDump in runtime/lockdep for the form).
//
// In goes a directory; out come graphs with names, one for each process, and a
// line for each file, or part of one, that cannot be used. It never judges.
package dump

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Header is the first line of a dump that this package reads.
const Header = "lockvet dump 1"

// Suffix ends the names of dump files.
const Suffix = ".lockdep"

// lostSuffix ends the names of the notes that processes leave which could not
// write their dumps: the process's number, and the reason where that has room.
const lostSuffix = ".lost"

// A Site is a place in the program.
type Site struct {
	Func string `json:"func"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// A Dep is one dependency between two classes: To was acquired, or waited for,
// with From held; or To is needed before From is signalled.
type Dep struct {
	From, To         string
	Event            string // which of the two an event is: "event", "room" in a channel, or "" for two locks
	Mode             string // such as write->write, read->wait, signal->write, earlier->write
	FromSite, ToSite Site
	Stack            []Site // of the acquisition of To, innermost first
}

// A Pair is a dependency between two instances, which are numbered within the
// process.
type Pair struct {
	From, To         string
	FromInst, ToInst uint64
	Mode             string
	FromSite, ToSite Site
}

// A Report is a problem that the engine found, as runtime/lockdep has it.
type Report struct {
	ID       string       `json:"id"`
	Category string       `json:"category"`
	Level    string       `json:"level"`
	Classes  []string     `json:"classes"`
	Message  string       `json:"message"`
	Edges    []ReportEdge `json:"edges"`
	Standard bool         `json:"standard"` // only locks that the standard library takes are in it
}

// A ReportEdge is one dependency of a Report.
type ReportEdge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Mode     string `json:"mode"`
	FromSite Site   `json:"fromSite"`
	ToSite   Site   `json:"toSite"`
	Stack    []Site `json:"stack"`
}

// A Blocked is a goroutine that was blocked for good when its process ended.
type Blocked struct {
	Goroutine uint64 `json:"goroutine"`
	State     string `json:"state"` // as the runtime calls it, such as "chan receive"
	Wants     string `json:"wants"` // class of the lock or event, "" if it is not known
	Lost      bool   `json:"lost"`  // the holder of that lock has ended
	Holds     []Held `json:"holds"`
	Stack     []Site `json:"stack"` // innermost first
	CreatedBy Site   `json:"createdBy"`
}

// Held is a lock that a goroutine holds.
type Held struct {
	Class string `json:"class"`
	Mode  string `json:"mode"`
	Site  Site   `json:"site"` // of its acquisition
}

// Has reports whether the goroutine holds a lock of the class.
func (b *Blocked) Has(class string) bool {
	return slices.ContainsFunc(b.Holds, func(h Held) bool { return h.Class == class })
}

// A Graph is what one process observed.
type Graph struct {
	File    string
	Process string // executable
	Deps    []Dep
	Pairs   []Pair
	Reports []Report
	Blocked []Blocked
	Full    []string // tables that had no room left
}

// Limits says what the process did not record for want of room, a line for each
// table that was full.
func (g *Graph) Limits() []string {
	var lines []string
	for _, table := range g.Full {
		line := fmt.Sprintf("table %s of %s was full, ", table, filepath.Base(g.Process))
		if table == "stacks" {
			line += "some stacks are missing"
		} else {
			line += "what it observed is not complete"
		}
		switch table {
		case "classes", "deps", "stacks":
			line += fmt.Sprintf(": set LOCKDEP=%s=N to a larger N, see docs/runtime.md", table)
		}
		lines = append(lines, line)
	}
	return lines
}

// RenameFiles gives the files of all sites other names.
func (g *Graph) RenameFiles(name func(string) string) {
	rename := func(sites ...*Site) {
		for _, s := range sites {
			s.File = name(s.File)
		}
	}
	stack := func(sites []Site) {
		for i := range sites {
			rename(&sites[i])
		}
	}
	for i := range g.Deps {
		d := &g.Deps[i]
		rename(&d.FromSite, &d.ToSite)
		stack(d.Stack)
	}
	for i := range g.Pairs {
		rename(&g.Pairs[i].FromSite, &g.Pairs[i].ToSite)
	}
	for i := range g.Reports {
		r := &g.Reports[i]
		var text []string
		for j := range r.Edges {
			e := &r.Edges[j]
			for _, s := range []*Site{&e.FromSite, &e.ToSite} {
				was := s.File
				rename(s)
				text = append(text, was+":", s.File+":")
			}
			stack(e.Stack)
		}
		r.Message = strings.NewReplacer(text...).Replace(r.Message)
	}
	for i := range g.Blocked {
		b := &g.Blocked[i]
		for j := range b.Holds {
			rename(&b.Holds[j].Site)
		}
		stack(b.Stack)
		rename(&b.CreatedBy)
	}
}

// ReadDir reads all dumps in dir. What is wrong with single files comes back as
// lines; the records before the damage count.
func ReadDir(dir string) (graphs []*Graph, troubles []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("reading dumps: %w", err)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if pid, ok := strings.CutSuffix(e.Name(), lostSuffix); ok {
			why, err := os.ReadFile(name)
			if err != nil || len(why) == 0 {
				why = []byte("no room for the reason")
			}
			troubles = append(troubles, fmt.Sprintf("what process %s observed is lost: %s", pid, why))
			continue
		}
		if !strings.HasSuffix(e.Name(), Suffix) {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			troubles = append(troubles, fmt.Sprintf("reading dumps: %v", err))
			continue
		}
		g, err := Read(f)
		f.Close()
		if err != nil {
			troubles = append(troubles, fmt.Sprintf("%s: %v", name, err))
		}
		if g != nil {
			g.File = name
			graphs = append(graphs, g)
		}
	}
	return graphs, troubles, nil
}

// Read reads one dump. With an error the graph, unless it is nil, holds what
// came before.
func Read(r io.Reader) (*Graph, error) {
	in := bufio.NewReader(r)
	first, _ := in.ReadString('\n')
	if strings.TrimSuffix(first, "\n") != Header {
		if strings.HasPrefix(first, "lockvet dump ") {
			return nil, fmt.Errorf("is skipped: it is of version %q, this lockvet reads %q", strings.TrimSpace(first), Header)
		}
		return nil, fmt.Errorf("is skipped: it is no dump, its first line is not %q", Header)
	}
	d := reader{g: new(Graph), frames: map[string]Site{}, classes: map[string]string{}, events: map[string]string{}}
	for n := 2; ; n++ {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return d.g, fmt.Errorf("ends before its last record, which is skipped")
		} else if err != nil {
			return d.g, err
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if fields[0] == "end" {
			return d.g, nil
		}
		d.fields = fields[1:]
		d.record(fields[0])
		if d.bad {
			return d.g, fmt.Errorf("line %d cannot be read, the rest is skipped", n)
		}
	}
}

type reader struct {
	g       *Graph
	frames  map[string]Site
	classes map[string]string
	events  map[string]string // of classes that are events, their kind
	fields  []string
	bad     bool
}

func (d *reader) next() string {
	if len(d.fields) == 0 {
		d.bad = true
		return ""
	}
	f := d.fields[0]
	d.fields = d.fields[1:]
	return f
}

func (d *reader) quoted() string {
	s, err := strconv.Unquote(d.next())
	d.bad = d.bad || err != nil
	return s
}

func (d *reader) number() uint64 {
	n, err := strconv.ParseUint(d.next(), 10, 64)
	d.bad = d.bad || err != nil
	return n
}

func (d *reader) site() Site { return d.frames[d.next()] }

func (d *reader) class() string {
	name, ok := d.classes[d.next()]
	d.bad = d.bad || !ok
	return name
}

// event returns the kind of the event among the two classes that come next.
func (d *reader) event() string {
	for _, n := range d.fields[:min(2, len(d.fields))] {
		if kind := d.events[n]; kind != "" {
			return kind
		}
	}
	return ""
}

// record reads one line. Kinds that are not known are of a later version that
// says more.
func (d *reader) record(kind string) {
	switch kind {
	case "process":
		for range 4 {
			d.next()
		}
		d.g.Process = d.quoted()
	case "frame":
		n := d.next()
		d.frames[n] = Site{d.quoted(), d.quoted(), int(d.number())}
	case "class":
		n := d.next()
		if kind := d.next(); kind == "event" || kind == "room" {
			d.events[n] = kind
		}
		d.classes[n] = d.quoted()
	case "dep":
		x := Dep{Event: d.event(), From: d.class(), To: d.class(), Mode: d.next(), FromSite: d.site(), ToSite: d.site()}
		d.number()
		if list := d.next(); list != "-" {
			for _, n := range strings.Split(list, ",") {
				x.Stack = append(x.Stack, d.frames[n])
			}
		}
		if !d.bad {
			d.g.Deps = append(d.g.Deps, x)
		}
	case "pair":
		x := Pair{From: d.class(), FromInst: d.number(), To: d.class(), ToInst: d.number(), Mode: d.next(), FromSite: d.site(), ToSite: d.site()}
		if !d.bad {
			d.g.Pairs = append(d.g.Pairs, x)
		}
	case "report":
		var r Report
		if err := json.Unmarshal([]byte(d.quoted()), &r); err != nil {
			d.bad = true
			return
		}
		d.g.Reports = append(d.g.Reports, r)
	case "blocked":
		var b Blocked
		if err := json.Unmarshal([]byte(d.quoted()), &b); err != nil {
			d.bad = true
			return
		}
		d.g.Blocked = append(d.g.Blocked, b)
	case "full":
		d.g.Full = append(d.g.Full, d.next())
	}
}
