package vetunit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLaterGo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	load := func(source string) error {
		if err := os.WriteFile(file, []byte("package a\n"+source), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := load(&Config{ImportPath: "a", GoFiles: []string{file}, GoVersion: "go1.999"})
		return err
	}
	if err := load("func f() {}"); err != nil {
		t.Errorf("source that uses nothing new: %v", err)
	}
	for _, source := range []string{"func f() { return 1 }", "func f() { if else }"} {
		err := load(source)
		if err == nil || !strings.Contains(err.Error(), "cannot read a package of go1.999: build it again with that version of Go: "+file+":2:") {
			t.Errorf("%s: got %v, want an error that says what to do", source, err)
		}
	}
}
