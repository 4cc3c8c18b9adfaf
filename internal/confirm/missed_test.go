package confirm

import (
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/dump"
)

func TestMissed(t *testing.T) {
	f := func(name, file string, line int) dump.Site { return dump.Site{Func: name, File: file, Line: line} }
	outer, get := f("example.com/m.(*A).Outer", "/src/a.go", 10), f("example.com/m.(*B).Get", "/src/b.go", 20)
	calls := Calls{
		"/src/a.go:10": {{Kind: CallInterface, Method: "Get"}},
		"/src/a.go:11": {{Kind: CallValue}},
		"/src/a.go:12": {{Kind: CallStatic}},
		"/src/a.go:13": {{Kind: CallStatic}, {Kind: CallInterface, Method: "Other"}},
	}
	at := func(line int) dump.Site { o := outer; o.Line = line; return o }
	test := f("testing.tRunner", "/go/src/testing/testing.go", 1)
	for name, test := range map[string]struct {
		stack []dump.Site
		want  string
	}{
		"interface":           {[]dump.Site{get, outer, test}, "m.(*B).Get is called through an interface at /src/a.go:10"},
		"function value":      {[]dump.Site{get, at(11), test}, "m.(*B).Get is called through a function value at /src/a.go:11"},
		"named":               {[]dump.Site{get, at(12), test}, ""},
		"other interface":     {[]dump.Site{get, at(13), test}, ""},
		"line without a call": {[]dump.Site{get, at(14), test}, ""},
		"reflection": {[]dump.Site{get, f("reflect.Value.call", "/go/src/reflect/value.go", 1), f("reflect.Value.Call", "/go/src/reflect/value.go", 2), at(12), test},
			"m.(*B).Get is called by reflection at /src/a.go:12"},
		"callback":              {[]dump.Site{get, f("slices.SortFunc", "/go/src/slices/sort.go", 1), at(12), test}, "m.(*B).Get is a callback of slices.SortFunc at /src/a.go:12"},
		"before the first lock": {[]dump.Site{get, at(12), f("example.com/m.F", "/src/a.go", 11), test}, ""},
		"standard library":      {[]dump.Site{f("net/http.(*T).get", "/go/src/net/http/t.go", 3), at(12), test}, "http.(*T).get takes one of the locks, and the standard library is not analysed"},
	} {
		r := &dump.Report{}
		r.Edges = append(r.Edges, dump.ReportEdge{From: "A", To: "B", FromSite: outer, ToSite: test.stack[0], Stack: test.stack})
		if got := Missed(r, calls, "/go/src"); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestMissedIsKept(t *testing.T) {
	r := dump.Report{ID: "LV-2", Category: "inversion", Level: "strong", Classes: []string{"A", "B"}}
	got := Judge(nil, []*dump.Graph{{Reports: []dump.Report{r}}}, false, func(*dump.Report) string { return "because" })
	if len(got) != 1 || !strings.Contains(got[0].Text(), "the analysis can have missed it: because") {
		t.Errorf("got %v, want the reason in it", got)
	}
}
