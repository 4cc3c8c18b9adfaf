//go:build lockdep

package lockdep_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

func lockedElsewhere(m lockdep.Locker) { m.Lock() }

// TestSitesOption names the class of a line by a site table.
func TestSitesOption(t *testing.T) {
	_, file, line, _ := runtime.Caller(0)
	table := filepath.Join(t.TempDir(), "sites")
	lockLine := line + 10
	text := fmt.Sprintf("lockvet sites 1\n%s:%d bank.Account.mu\n", file, lockLine)
	if err := os.WriteFile(table, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out := inChild(t, "sites="+table, func() {
		m := new(lockdep.Mutex)
		func() {
			m.Lock()
			m.Unlock()
		}()
		lockedElsewhere(m)
		for _, h := range lockdep.Snapshot().Held {
			fmt.Println("held:", h.Class, filepath.Base(h.Site.File))
		}
	})
	if !strings.Contains(out, "held: bank.Account.mu sites_test.go") {
		t.Errorf("got %q", out)
	}
	out = inChildAgain(t, "sites="+table+".missing")
	if !strings.Contains(out, "lockdep: LOCKDEP: option sites: open ") {
		t.Errorf("a missing table was not reported: %q", out)
	}
}

func TestStandard(t *testing.T) {
	whole, trimmed := []string{"/go/src/"}, []string{"net/http/", "sync/"}
	tests := []struct {
		dirs []string
		file string
		want bool
	}{
		{whole, "/go/src/net/http/server.go", true},
		{whole, "/go/src/cmd/go/main.go", false},
		{whole, "/go/srcs/a.go", false},
		{whole, "/home/a/bank/account.go", false},
		{trimmed, "net/http/server.go", true},
		{trimmed, "example.com/bank/account.go", false},
		{nil, "/go/src/net/http/server.go", false},
	}
	for _, test := range tests {
		if got := lockdep.Standard(test.dirs, test.file); got != test.want {
			t.Errorf("%s, below %q: got %t", test.file, test.dirs, got)
		}
	}
}
