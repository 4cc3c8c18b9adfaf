package vetunit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"same", "a\n", "a\n", ""},
		{"change", "a\nb\nc\n", "a\nx\nc\n", "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"add", "a\nb\n", "a\nx\nb\n", "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n+x\n b\n"},
		{"remove all", "a\n", "", "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n"},
		{"from nothing", "", "a\n", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n"},
		{"no newline", "a", "a\n", "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{
			"context", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
			"--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n",
		},
	}
	for _, test := range tests {
		if got := unified("f", test.old, test.new); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// What unified prints, patch must be able to apply: near and far changes, one
// and more hunks.
func TestUnifiedPatches(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("no patch command here")
	}
	var lines []string
	for i := range 40 {
		lines = append(lines, strings.Repeat("x", i%7)+"\n")
	}
	old := strings.Join(lines, "")
	for _, at := range [][]int{{0}, {39}, {0, 39}, {5, 12}, {5, 13}, {5, 11, 30}, {1, 2, 3, 20}} {
		changed := append([]string(nil), lines...)
		for i, n := range at {
			switch i % 3 {
			case 0:
				changed[n] = "changed\n"
			case 1:
				changed[n] = ""
			case 2:
				changed[n] += "added\nadded\n"
			}
		}
		want := strings.Join(changed, "")
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte(old), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(patch, "--fuzz=0", name)
		cmd.Stdin = strings.NewReader(unified("f", old, want))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("changes at %v: %v\n%s", at, err, out)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("changes at %v: patched file is\n%s\nwant\n%s (%v)", at, got, want, err)
		}
	}
}
