package lockdep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockvet/lockvet/internal/finding"
)

func TestOptions(t *testing.T) {
	o := defaults()
	if wrong := parseOptions(&o, "report=json, level=weak,crossrelease=0,classes=100,sites=a b,hold=1s,", false); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	if o.Report != "json" || o.Level != Weak || o.CrossRelease || o.Classes != 100 || o.Sites != "a b" || o.Hold != time.Second || !o.Enabled {
		t.Errorf("%+v", o)
	}
}

func TestWrongOptions(t *testing.T) {
	for list, want := range map[string]string{
		"colour=1":      `unknown option "colour", known are enabled, report, `,
		"stats":         `option "stats": want key=value`,
		"stats=2":       "option stats=2: must be 0 or 1",
		"report=xml":    "option report=xml: must be text, json, deadlock or none",
		"level=great":   "option level=great: must be strong, medium or weak",
		"classes=-1":    "option classes=-1: must be from 16 to 65535",
		"classes=many":  "option classes=many: must be a number",
		"pairs=1":       "option pairs=1: must be from 64 to 16777216",
		"hold=20":       "option hold=20: must be a time of at most 1m, like 20ms",
		"hold=1h":       "option hold=1h: must be a time of at most 1m, like 20ms",
		"hold=0s":       "option hold=0s: must be a time of at most 1m, like 20ms",
		"classes=70000": "option classes=70000: must be from 16 to 65535",
	} {
		o := defaults()
		wrong := parseOptions(&o, list+",exit=1", false)
		if len(wrong) != 1 || !strings.HasPrefix(wrong[0], want) {
			t.Errorf("%s: %q, want %q", list, wrong, want)
		}
		want := defaults()
		want.Exit = true
		if o != want {
			t.Errorf("%s: what is wrong was not ignored: %+v", list, o)
		}
	}
}

func TestOptionsAtStart(t *testing.T) {
	o := defaults()
	wrong := parseOptions(&o, "level=weak,classes=100", true)
	if len(wrong) != 1 || wrong[0] != "option classes can only be set at start, in LOCKDEP" || o.Level != Weak {
		t.Errorf("%q, level %v", wrong, o.Level)
	}
}

func TestIDIsThatOfStaticFindings(t *testing.T) {
	for _, classes := range [][]string{{"a"}, {"b", "a"}, {"c", "b", "a"}, {"x.T.mu", "x.U.mu"}} {
		got := findingID("lockorder", "inversion", classes)
		if want := finding.ID("lockorder", "inversion", classes); got != want {
			t.Errorf("%v: %s, want %s", classes, got, want)
		}
	}
}

func TestSiteTable(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sites")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("lockvet sites 1\n/a/b.go:3 p.T.mu\n\n/a/b.go:4 p.T.x\n/a/b.go:4 p.T.y\nC:/c.go:5 p.T.z\n")
	sites, err := siteTable(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(sites) != 2 || sites[lineKey{"/a/b.go", 3}] != "p.T.mu" || sites[lineKey{"C:/c.go", 5}] != "p.T.z" {
		t.Errorf("%v", sites)
	}
	for text, want := range map[string]string{
		"":                           "", // an empty table names nothing
		"bank.go:3 x\n":              "not a site table",
		"lockvet sites 1\nx\n":       "sites:2: want FILE:LINE CLASS",
		"lockvet sites 1\nx.go:y z":  "sites:2: want FILE:LINE CLASS",
		"lockvet sites 2\nx.go:1 z,": "not a site table",
	} {
		write(text)
		if _, err := siteTable(name); want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
