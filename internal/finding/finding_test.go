package finding

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/directive"
)

func pos(file string, line, col int) Position { return Position{file, line, col} }

func inversion() Finding {
	classes := []string{"bank.Account.mu", "bank.Ledger.mu"}
	return Finding{
		ID:       ID("lockorder", "inversion", classes),
		Analyzer: "lockorder",
		Category: "inversion",
		Message:  "lock order inversion: bank.Ledger.mu acquired while bank.Account.mu is held, but /src/bank/audit.go:18:2 acquires them in the opposite order",
		Pos:      pos("/src/bank/transfer.go", 31, 9),
		Classes:  classes,
		Edges: []Edge{
			{"bank.Account.mu", "bank.Ledger.mu", "write->write", []Step{
				{pos("/src/bank/transfer.go", 29, 2), "(*Account).Transfer", "acquires bank.Account.mu"},
				{pos("/src/bank/transfer.go", 31, 9), "(*Account).Transfer", "calls (*Ledger).Post"},
				{pos("/src/bank/ledger.go", 12, 2), "(*Ledger).Post", "acquires bank.Ledger.mu"},
			}},
			{"bank.Ledger.mu", "bank.Account.mu", "write->read", []Step{
				{pos("/src/bank/audit.go", 17, 2), "(*Ledger).Audit", "acquires bank.Ledger.mu"},
				{pos("/src/bank/audit.go", 18, 2), "(*Ledger).Audit", "read-acquires bank.Account.mu"},
			}},
		},
	}
}

func TestText(t *testing.T) {
	f := inversion().Relative("/src")
	want := `bank/transfer.go:31:9: lock order inversion: bank.Ledger.mu acquired while bank.Account.mu is held, but bank/audit.go:18:2 acquires them in the opposite order [lockorder/inversion ` + f.ID + `]
	bank.Account.mu -> bank.Ledger.mu
		bank/transfer.go:29:2: (*Account).Transfer acquires bank.Account.mu
		bank/transfer.go:31:9: (*Account).Transfer calls (*Ledger).Post
		bank/ledger.go:12:2: (*Ledger).Post acquires bank.Ledger.mu
	bank.Ledger.mu -> bank.Account.mu
		bank/audit.go:17:2: (*Ledger).Audit acquires bank.Ledger.mu
		bank/audit.go:18:2: (*Ledger).Audit read-acquires bank.Account.mu`
	if got := f.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	f.Edges = nil
	f.Related = []Step{{pos("bank/open.go", 4, 2), "", "starts goroutine f"}}
	if got, want := f.Text(), "\n\talso\n\t\tbank/open.go:4:2: starts goroutine f"; !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant it to end in\n%s", got, want)
	}
}

func TestID(t *testing.T) {
	id := ID("lockorder", "inversion", []string{"a", "b", "c"})
	if len(id) != len("LV-")+8 || !strings.HasPrefix(id, "LV-") {
		t.Errorf("got %s, want LV- and eight digits", id)
	}
	if got := ID("lockorder", "inversion", []string{"c", "a", "b"}); got != id {
		t.Errorf("a ring turned has ID %s, want %s", got, id)
	}
	for _, other := range []string{
		ID("lockorder", "inversion", []string{"a", "c", "b"}),
		ID("lockorder", "inversion", []string{"a", "b"}),
		ID("lockorder", "nesting", []string{"a", "b", "c"}),
		ID("crossrelease", "inversion", []string{"a", "b", "c"}),
		ID("lockorder", "inversion", []string{"a", "b", "c"}, "f"),
	} {
		if other == id {
			t.Errorf("another finding has the same ID %s", id)
		}
	}
}

func TestRelativeText(t *testing.T) {
	tests := []struct{ text, want string }{
		{"/src/a.go:1:2", "a.go:1:2"},
		{"but /src/a/b.go:1:2 and (/src/c.go:3:4)", "but a/b.go:1:2 and (c.go:3:4)"},
		{"/home/src/a.go:1:2", "/home/src/a.go:1:2"},
		{"/srcs/a.go:1:2", "/srcs/a.go:1:2"},
		{"a.go:1:2\n\t\t/src/b.go:1:2", "a.go:1:2\n\t\tb.go:1:2"},
		{"", ""},
	}
	for _, test := range tests {
		for _, dir := range []string{"/src", "/src/"} {
			if got := RelativeText(test.text, dir); got != test.want {
				t.Errorf("%q below %s: got %q, want %q", test.text, dir, got, test.want)
			}
		}
	}
}

func TestRelativeLeavesTheFindingAlone(t *testing.T) {
	f := inversion()
	f.Relative("/src")
	if !reflect.DeepEqual(f, inversion()) {
		t.Error("Relative changed the finding that it was called on")
	}
}

func TestSort(t *testing.T) {
	mk := func(file string, line int, class string) Finding {
		return Finding{ID: ID("a", "c", []string{class}), Pos: pos(file, line, 1)}
	}
	in := []Finding{mk("b", 1, "x"), mk("a", 10, "x"), mk("a", 9, "y"), mk("a", 9, "x"), mk("a", 9, "y")}
	got := Sort(in)
	var order []string
	for _, f := range got {
		order = append(order, f.Pos.String())
	}
	if want := []string{"a:9:1", "a:9:1", "a:10:1", "b:1:1"}; !slices.Equal(order, want) {
		t.Errorf("got %v, want %v", order, want)
	}
	slices.Reverse(in)
	if !reflect.DeepEqual(Sort(in), got) {
		t.Error("the order depends on the order that findings come in")
	}
}

func TestJSON(t *testing.T) {
	f := inversion()
	f.Runtime = &Runtime{Status: "confirmed"}
	f.Related = []Step{{pos("c:/x.go", 1, 2), "f", "calls g"}}
	report := &Report{
		Findings: []Finding{f},
		Handoffs: []Handoff{{"bank.Account.mu", []Step{{pos("a.go", 1, 2), "f", "acquires bank.Account.mu"}}}},
		Stats:    map[string]int64{"packages": 3},
	}
	var buf bytes.Buffer
	if err := report.WriteJSON(&buf); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"version": 1`, `"id": "LV-`, `"pos": "/src/bank/transfer.go:31:9"`, `"from": "bank.Account.mu"`, `"mode": "write->write"`, `"what": "calls (*Ledger).Post"`, `"status": "confirmed"`, `"packages": 3`} {
		if !strings.Contains(buf.String(), want) {
			t.Errorf("no %s in %s", want, buf.String())
		}
	}
	got, err := ReadJSON(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, report) {
		t.Errorf("read back\n%+v\nwant\n%+v", got, report)
	}
}

func TestJSONEmpty(t *testing.T) {
	var buf bytes.Buffer
	if err := new(Report).WriteJSON(&buf); err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, buf.Bytes()); err != nil {
		t.Fatal(err)
	}
	if got, want := compact.String(), `{"version":1,"findings":[],"handoffs":[],"stats":{}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReadJSONErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{`{"version":2}`, "version 2"},
		{`{"version":1,"findings":[{"pos":"a.go:1"}]}`, "file:line:col"},
		{`{"version":1`, "unexpected EOF"},
		{``, "EOF"},
	}
	for _, test := range tests {
		if _, err := ReadJSON(strings.NewReader(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", test.text, err, test.want)
		}
	}
}

func TestSuppress(t *testing.T) {
	at := func(kind directive.Kind, file string, from, to int, categories ...string) directive.Directive {
		return directive.Directive{
			Kind: kind, File: file, FromLine: from, ToLine: to, Categories: categories,
			Reason: "why", Pos: directive.Pos{Line: from, Col: 1},
		}
	}
	const transfer, ledger = "/src/bank/transfer.go", "/src/bank/ledger.go"
	tests := []struct {
		name   string
		d      directive.Directive
		silent bool
		bad    string // category of the finding about the directive
	}{
		{"on the line", at(directive.Ignore, transfer, 31, 31), true, ""},
		{"around it", at(directive.Ignore, transfer, 20, 40), true, ""},
		{"on a step of a witness", at(directive.Ignore, ledger, 12, 12), true, ""},
		{"elsewhere", at(directive.Ignore, transfer, 32, 40), false, CategoryUnused},
		{"in another file", at(directive.Ignore, "other.go", 31, 31), false, CategoryUnused},
		{"for its category", at(directive.Ignore, transfer, 31, 31, "leak", "inversion"), true, ""},
		{"for its analyzer", at(directive.Ignore, transfer, 31, 31, "lockorder"), true, ""},
		{"for another category", at(directive.Ignore, transfer, 31, 31, "leak"), false, CategoryUnused},
		{"nolint", at(directive.Nolint, transfer, 31, 31), true, ""},
		{"nolint that silences nothing", at(directive.Nolint, transfer, 1, 1), false, ""},
		{"a generated file", at(directive.Generated, transfer, 1, 99), true, ""},
		{"a step in a generated file", at(directive.Generated, ledger, 1, 99), false, ""},
		{"a bad directive on the line", at(directive.Bad, transfer, 31, 31), false, CategoryDirective},
		{"a directive for the analysis", at(directive.Nested, transfer, 31, 31), false, ""},
	}
	for _, test := range tests {
		kept, bad := Suppress([]Finding{inversion()}, []directive.Directive{test.d})
		if silent := len(kept) == 0; silent != test.silent {
			t.Errorf("%s: silent %v, want %v", test.name, silent, test.silent)
		}
		got := ""
		for _, b := range bad {
			got += b.Category
			if b.Pos != pos(test.d.File, test.d.FromLine, 1) || b.Message == "" {
				t.Errorf("%s: the finding about the directive is %+v", test.name, b)
			}
		}
		if got != test.bad {
			t.Errorf("%s: findings about the directive %q, want %q", test.name, got, test.bad)
		}
	}
}
