package corpus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeEnv makes the test binary act as lockvet: it prints report.json of its
// working directory and exits as lockvet would.
const fakeEnv = "LOCKVET_CORPUS_FAKE"

func TestMain(m *testing.M) {
	if os.Getenv(fakeEnv) == "" {
		os.Exit(m.Run())
	}
	data, err := os.ReadFile("report.json")
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot load package")
		os.Exit(2)
	}
	os.Stdout.Write(data)
	if strings.Contains(string(data), `"analyzer"`) {
		os.Exit(1)
	}
	os.Exit(0)
}

// fake returns a checker whose lockvet prints these findings for the buggy and
// the fixed version of row 00; "" makes it fail.
func fake(t *testing.T, buggy, fixed string) Checker {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(fakeEnv, "1")
	modules := t.TempDir()
	for name, findings := range map[string]string{"00-buggy": buggy, "00-fixed": fixed} {
		dir := filepath.Join(modules, name)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if findings == "" {
			continue
		}
		report := `{"version":1,"findings":` + findings + `,"stats":{}}`
		if err := os.WriteFile(filepath.Join(dir, "report.json"), []byte(report), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return Checker{Lockvet: Lockvet(exe), Modules: modules}
}

func TestCheck(t *testing.T) {
	other := strings.ReplaceAll(recursive, "Total", "Sum")
	tests := []struct {
		name         string
		buggy, fixed string
		miss         string
		keeps        bool
		state        string
		err          string // part of the message, "" for none
	}{
		{"found and gone", "[" + recursive + "]", "[]", "", false, "found, gone", ""},
		{"another bug of the class stays", "[" + recursive + "]", "[" + other + "]", "", false, "found, gone", ""},
		{"found and kept by the fix", "[" + recursive + "]", "[" + recursive + "]", "", true, "found", ""},
		{"not gone", "[" + recursive + "]", "[" + recursive + "]", "", false, "found, not gone", "still reported"},
		{"missed", "[]", "[]", "", false, "missed", "no recursive of bank.Account.mu"},
		{"missed, near ones are shown", "[" + other + "]", "[]", "", false, "missed", "(*Account).Sum"},
		{"known miss", "[]", "[]", "needs luck", false, "missed, as known", ""},
		{"known miss that is found", "[" + recursive + "]", "[]", "needs luck", false, "found, gone", "take the reason out"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want, err := parseWant("recursive", "bank.Account.mu", "(*Account).Total / (*Account).Balance", "")
			if err != nil {
				t.Fatal(err)
			}
			row := Row{ID: "00", Pass: "lockorder", Category: "recursive", Want: want, Silent: !test.keeps, Miss: test.miss}
			o, err := fake(t, test.buggy, test.fixed).Check(t.Context(), row)
			if err != nil {
				t.Fatal(err)
			}
			if got := o.State(); got != test.state {
				t.Errorf("State = %q, want %q", got, test.state)
			}
			switch err := o.Err(); {
			case err == nil && test.err != "":
				t.Errorf("no error, want one with %q", test.err)
			case err != nil && (test.err == "" || !strings.Contains(err.Error(), test.err)):
				t.Errorf("error %q, want one with %q", err, test.err)
			}
		})
	}
}

func TestCheckReportsFailureOfLockvet(t *testing.T) {
	_, err := fake(t, "", "[]").Check(t.Context(), Row{ID: "00"})
	if err == nil || !strings.Contains(err.Error(), "cannot load package") {
		t.Errorf("error %v, want one with what lockvet printed", err)
	}
}

func TestOffline(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	target := Target{Module: "example.com/absent", Version: "v1.0.0", Package: "example.com/absent"}
	err := Prepare(t.Context(), t.TempDir(), target)
	if !errors.Is(err, errOffline) {
		t.Errorf("Prepare without network: %v, want an error that says so", err)
	}
}

func TestTableIsWhole(t *testing.T) {
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	for _, pass := range []string{"lockorder", "crossrelease"} {
		if n := strings.Count(Markdown(rows, pass), "\n"); n < 16 {
			t.Errorf("%d lines in the table of %s", n, pass)
		}
	}
	for _, id := range quick {
		if _, err := selectRows(rows, id); err != nil {
			t.Error(err)
		}
	}
}

func TestBadTable(t *testing.T) {
	good := strings.SplitN(realbugs, "\n", 3)
	tests := []struct{ name, table, err string }{
		{"heading", "row\tpass\n", "heading"},
		{"fields", good[0] + "\n01\tlockorder\n", "realbugs.tsv:2: 2 fields"},
		{"category", good[0] + "\n" + strings.Replace(good[1], "\tlockorder\t", "\tcrossrelease\t", 1), `no category "inversion"`},
		{"twice", good[0] + "\n" + good[1] + "\n" + good[1], "there twice"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseRows(test.table)
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want one with %q", err, test.err)
			}
		})
	}
}
