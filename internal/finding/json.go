package finding

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// JSONVersion is the version of the form that a Report has as JSON. Fields may
// be added under one version; it grows when one changes its meaning or goes.
const JSONVersion = 1

// A Report is everything that one run of lockvet has to say:
//
//	{"version":1,
//	 "findings":[{"id","analyzer","category","message","pos","classes":[…],
//	   "edges":[{"from","to","mode","steps":[{"pos","func","what"}]}],
//	   "related":[{"pos","func","what"}],
//	   "runtime":{"status","seen":[{"from","to","by","steps":[…]}]}}],
//	 "handoffs":[{"class","steps":[{"pos","func","what"}]}],
//	 "stats":{…}}
//
// Positions are strings, file:line:col.
type Report struct {
	Findings []Finding
	Handoffs []Handoff
	Stats    map[string]int64
}

// A Handoff is a lock that one goroutine or function acquires and another
// releases. It is no problem, but only a run can follow it.
type Handoff struct {
	Class string
	Steps []Step // where it is acquired and released
}

type jsonReport struct {
	Version  int              `json:"version"`
	Findings []jsonFinding    `json:"findings"`
	Handoffs []jsonHandoff    `json:"handoffs"`
	Stats    map[string]int64 `json:"stats"`
}

type jsonFinding struct {
	ID       string       `json:"id"`
	Analyzer string       `json:"analyzer"`
	Category string       `json:"category"`
	Message  string       `json:"message"`
	Pos      Position     `json:"pos"`
	Classes  []string     `json:"classes"`
	Edges    []jsonEdge   `json:"edges"`
	Related  []jsonStep   `json:"related,omitempty"`
	Runtime  *jsonRuntime `json:"runtime,omitempty"`
}

type jsonEdge struct {
	From  string     `json:"from"`
	To    string     `json:"to"`
	Mode  string     `json:"mode"`
	Steps []jsonStep `json:"steps"`
}

type jsonStep struct {
	Pos  Position `json:"pos"`
	Func string   `json:"func"`
	What string   `json:"what"`
}

type jsonRuntime struct {
	Status string     `json:"status"`
	Missed string     `json:"missed,omitempty"`
	Seen   []jsonSeen `json:"seen,omitempty"`
}

type jsonSeen struct {
	From  string     `json:"from"`
	To    string     `json:"to"`
	By    string     `json:"by,omitempty"`
	Steps []jsonStep `json:"steps"`
}

type jsonHandoff struct {
	Class string     `json:"class"`
	Steps []jsonStep `json:"steps"`
}

// MarshalText returns file:line:col.
func (p Position) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads file:line:col; the file may contain colons.
func (p *Position) UnmarshalText(text []byte) error {
	rest, col, ok1 := cutLast(string(text))
	file, line, ok2 := cutLast(rest)
	if !ok1 || !ok2 {
		return fmt.Errorf("reading position %q: want file:line:col", text)
	}
	*p = Position{File: file, Line: line, Col: col}
	return nil
}

// cutLast cuts the number behind the last colon off s.
func cutLast(s string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil
}

// WriteJSON writes the report as one object, indented, ending in a newline.
func (r *Report) WriteJSON(w io.Writer) error {
	out := jsonReport{
		Version:  JSONVersion,
		Findings: convert(r.Findings, toJSON),
		Handoffs: convert(r.Handoffs, func(h Handoff) jsonHandoff {
			return jsonHandoff{h.Class, convert(h.Steps, stepToJSON)}
		}),
		Stats: r.Stats,
	}
	if out.Stats == nil {
		out.Stats = map[string]int64{}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // an edge is written with ->
	enc.SetIndent("", "\t")
	return enc.Encode(out)
}

// ReadJSON reads what WriteJSON wrote.
func ReadJSON(r io.Reader) (*Report, error) {
	var in jsonReport
	if err := json.NewDecoder(r).Decode(&in); err != nil {
		return nil, fmt.Errorf("reading lockvet's JSON: %w", err)
	}
	if in.Version != JSONVersion {
		return nil, fmt.Errorf("reading lockvet's JSON: it has version %d, this lockvet reads version %d: write it again with this lockvet", in.Version, JSONVersion)
	}
	return &Report{
		Findings: convert(in.Findings, fromJSON),
		Handoffs: convert(in.Handoffs, func(h jsonHandoff) Handoff {
			return Handoff{h.Class, convert(h.Steps, stepFromJSON)}
		}),
		Stats: in.Stats,
	}, nil
}

func toJSON(f Finding) jsonFinding {
	out := jsonFinding{
		ID: f.ID, Analyzer: f.Analyzer, Category: f.Category, Message: f.Message, Pos: f.Pos,
		Classes: convert(f.Classes, func(s string) string { return s }),
		Edges: convert(f.Edges, func(e Edge) jsonEdge {
			return jsonEdge{e.From, e.To, e.Mode, convert(e.Steps, stepToJSON)}
		}),
		Related: convert(f.Related, stepToJSON),
	}
	if f.Runtime != nil {
		out.Runtime = &jsonRuntime{f.Runtime.Status, f.Runtime.Missed, convert(f.Runtime.Seen, func(s Seen) jsonSeen {
			return jsonSeen{s.From, s.To, s.By, convert(s.Steps, stepToJSON)}
		})}
	}
	return out
}

func fromJSON(f jsonFinding) Finding {
	out := Finding{
		ID: f.ID, Analyzer: f.Analyzer, Category: f.Category, Message: f.Message, Pos: f.Pos,
		Classes: f.Classes,
		Edges: convert(f.Edges, func(e jsonEdge) Edge {
			return Edge{e.From, e.To, e.Mode, convert(e.Steps, stepFromJSON)}
		}),
		Related: convert(f.Related, stepFromJSON),
	}
	if f.Runtime != nil {
		out.Runtime = &Runtime{Status: f.Runtime.Status, Missed: f.Runtime.Missed}
		for _, s := range f.Runtime.Seen {
			out.Runtime.Seen = append(out.Runtime.Seen, Seen{s.From, s.To, s.By, convert(s.Steps, stepFromJSON)})
		}
	}
	return out
}

func stepToJSON(s Step) jsonStep   { return jsonStep(s) }
func stepFromJSON(s jsonStep) Step { return Step(s) }

// convert never returns nil, so that an empty list is [] in JSON.
func convert[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}
