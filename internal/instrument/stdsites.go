package instrument

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// stdSites has the lock classes of the standard library, line by line, as the
// analysis of its packages has found them. Analysing them takes as long as
// building them, so it is done before, for the newest release of each Go
// version that can be instrumented. A file is known by its content: what did
// not change between two releases is there once, what changed in another has no
// classes there, and its locks are named after lines.
//
//	file net/http/transport.go d1f0a2a7c3b4e5f60718293a
//	1394 http.wantConn.mu
//
//go:generate go run ./gensites -o stdsites.txt go1.26.8 go1.27.3
//go:embed stdsites.txt
var stdSites string

// StdHash is how stdsites.txt knows a file of the standard library.
func StdHash(text []byte) string { return hash(text) }

// StdTable returns the lines of a site table for the standard library of a
// GOROOT, with its files named as the program's line table has them: below
// prefix, which ends in a slash or is empty.
func StdTable(root, prefix string) string {
	var b strings.Builder
	file, same := "", false
	for line := range strings.Lines(stdSites) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "file "); ok {
			want := ""
			file, want, _ = strings.Cut(rest, " ")
			text, err := os.ReadFile(filepath.Join(root, "src", filepath.FromSlash(file)))
			same = err == nil && StdHash(text) == want
		} else if at, class, ok := strings.Cut(line, " "); ok && same {
			fmt.Fprintf(&b, "%s%s:%s %s\n", prefix, file, at, class)
		}
	}
	return b.String()
}

// stdDirs returns the directories below GOROOT/src that have lock classes, each
// with a slash behind it.
func stdDirs() []string {
	dirs := make(map[string]bool)
	for line := range strings.Lines(stdSites) {
		if rest, ok := strings.CutPrefix(line, "file "); ok {
			file, _, _ := strings.Cut(rest, " ")
			dirs[path.Dir(file)+"/"] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs))
}
