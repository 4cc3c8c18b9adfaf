package corpus

import (
	"encoding/json"
	"testing"
)

const inversion = `{"analyzer":"lockorder","category":"inversion","pos":"bank/transfer.go:31:9",
	"classes":["bank.Account.mu","bank.Ledger.mu"],
	"edges":[
		{"from":"bank.Account.mu","to":"bank.Ledger.mu","steps":[
			{"pos":"bank/transfer.go:29:2","func":"(*Account).Transfer","what":"acquires bank.Account.mu"},
			{"pos":"bank/transfer.go:31:9","func":"(*Account).Transfer","what":"calls (*Ledger).Post"},
			{"pos":"bank/ledger.go:12:2","func":"(*Ledger).Post","what":"acquires bank.Ledger.mu"}]},
		{"from":"bank.Ledger.mu","to":"bank.Account.mu","steps":[
			{"pos":"bank/audit.go:14:2","func":"(*Ledger).Audit.func1","what":"acquires bank.Ledger.mu"},
			{"pos":"bank/audit.go:18:2","func":"(*Ledger).Audit.func1","what":"acquires bank.Account.mu"}]}]}`

const recursive = `{"analyzer":"lockorder","category":"recursive","pos":"bank/a.go:9:9",
	"classes":["bank.Account.mu"],
	"edges":[{"from":"bank.Account.mu","to":"bank.Account.mu","steps":[
		{"pos":"bank/a.go:8:2","func":"(*Account).Total","what":"acquires bank.Account.mu"},
		{"pos":"bank/a.go:20:2","func":"(*Account).Balance","what":"acquires bank.Account.mu"}]}]}`

const leak = `{"analyzer":"crossrelease","category":"leak","pos":"bank/a.go:12:3",
	"classes":["bank.Account.mu"],
	"edges":[],"related":[
		{"pos":"bank/a.go:8:2","func":"(*Account).Total","what":"acquires bank.Account.mu"},
		{"pos":"bank/a.go:12:3","func":"(*Account).Total","what":"returns, or goes on, with bank.Account.mu held"}]}`

const waitheld = `{"analyzer":"crossrelease","category":"waitheld","pos":"bank/a.go:12:3",
	"classes":["bank.Account.mu"],
	"edges":[
		{"from":"bank.Account.mu","to":"bank.Account.done","steps":[
			{"pos":"bank/a.go:8:2","func":"(*Account).Close","what":"acquires bank.Account.mu"},
			{"pos":"bank/a.go:12:3","func":"(*Account).Close","what":"waits for bank.Account.done"}]},
		{"from":"bank.Account.done","to":"bank.Account.mu","steps":[
			{"pos":"bank/a.go:30:2","func":"(*Account).loop","what":"acquires bank.Account.mu"},
			{"pos":"bank/a.go:34:2","func":"(*Account).loop","what":"signals bank.Account.done"}]}]}`

const inversionWithoutPath = `{"analyzer":"lockorder","category":"inversion",
	"classes":["bank.Account.mu","bank.Ledger.mu"],
	"edges":[{"from":"bank.Account.mu","to":"bank.Ledger.mu","steps":[{"func":"(*Account).Transfer"}]}]}`

func TestJudge(t *testing.T) {
	tests := []struct {
		name, finding                       string
		category, classes, functions, lines string
		want                                Verdict
	}{
		{"both sides", inversion, "inversion", "bank.Ledger.mu bank.Account.mu", "(*Account).Transfer / (*Ledger).Audit", "", Match},
		{"sides the other way round", inversion, "inversion", "bank.Ledger.mu bank.Account.mu", "(*Ledger).Audit / (*Ledger).Post", "", Match},
		{"another way to a side", inversion, "inversion", "bank.Ledger.mu bank.Account.mu", "(*Account).Close (*Account).Transfer / (*Ledger).Audit", "", Match},
		{"other classes in the table too", inversion, "inversion", "bank.A.mu bank.B.mu | bank.Ledger.mu bank.Account.mu", "(*Account).Transfer / (*Ledger).Audit", "", Match},
		{"two sides of one edge", inversion, "inversion", "bank.Ledger.mu bank.Account.mu", "(*Account).Transfer / (*Ledger).Post", "", SameClasses},
		{"other function", inversion, "inversion", "bank.Ledger.mu bank.Account.mu", "(*Account).Transfer / (*Ledger).Close", "", SameClasses},
		{"function whose name goes on", inversion, "inversion", "bank.Ledger.mu bank.Account.mu", "(*Account).Trans / (*Ledger).Audit", "", SameClasses},
		{"other class", inversion, "inversion", "bank.Ledger.mu bank.Bank.mu", "(*Account).Transfer / (*Ledger).Audit", "", Unrelated},
		{"part of a longer ring", inversion, "inversion", "bank.Ledger.mu", "(*Account).Transfer / (*Ledger).Audit", "", Unrelated},
		{"other category", inversion, "recursive", "bank.Ledger.mu bank.Account.mu", "(*Account).Transfer / (*Ledger).Audit", "", Unrelated},
		{"one edge, no path", inversionWithoutPath, "inversion", "bank.Ledger.mu bank.Account.mu", "(*Account).Transfer / (*Ledger).Audit", "", NoPath},
		{"recursive, both sides in one edge", recursive, "recursive", "bank.Account.mu", "(*Account).Total / (*Account).Balance", "", Match},
		{"leak, both lines", leak, "leak", "bank.Account.mu", "", "a.go:1 a.go:2 | a.go:8 a.go:12", Match},
		{"leak, other return", leak, "leak", "bank.Account.mu", "", "a.go:8 a.go:14", SameClasses},
		{"waitheld, event in an edge", waitheld, "waitheld", "bank.Account.mu bank.Account.done", "(*Account).Close / (*Account).loop", "", Match},
		{"waitheld, other event", waitheld, "waitheld", "bank.Account.mu bank.Account.wg", "(*Account).Close / (*Account).loop", "", Unrelated},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var f Finding
			if err := json.Unmarshal([]byte(test.finding), &f); err != nil {
				t.Fatal(err)
			}
			w, err := parseWant(test.category, test.classes, test.functions, test.lines)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.Judge(&f); got != test.want {
				t.Errorf("Judge = %d, want %d", got, test.want)
			}
		})
	}
}
