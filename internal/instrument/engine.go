package instrument

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	lockdep "github.com/lockvet/lockvet/runtime"
)

//go:embed _goroot/sync/lockdep.go _goroot/runtime/lockdep.go _goroot/core/plat_goroot.go _goroot/core/chan_goroot.go _goroot/core/once_goroot.go _goroot/lockdep/exit.go _goroot/testdeps/lockdep.go
var added embed.FS

// addedFiles are new in GOROOT: what is embedded, and its name below src.
var addedFiles = map[string]string{
	"_goroot/sync/lockdep.go":     "sync/lockdep.go",
	"_goroot/runtime/lockdep.go":  "runtime/lockdep.go",
	"_goroot/core/plat_goroot.go": "internal/lockdep/core/plat_goroot.go",
	"_goroot/core/chan_goroot.go": "internal/lockdep/core/chan_goroot.go",
	"_goroot/core/once_goroot.go": "internal/lockdep/core/once_goroot.go",
	"_goroot/lockdep/exit.go":     "runtime/lockdep/exit.go",
	"_goroot/testdeps/lockdep.go": "testing/internal/testdeps/lockdep.go",
}

// Import paths of the two layers, as a module and in GOROOT.
const (
	corePath  = "github.com/lockvet/lockvet/runtime/lockdep/internal/core"
	stdCore   = "internal/lockdep/core"
	stdReport = "runtime/lockdep"
)

// reportFiles are the files of runtime/lockdep that make its upper half; the
// others are the drop-in types.
var reportFiles = []string{
	"blocked.go", "describe.go", "doc.go", "dump.go", "engine.go", "id.go", "observe.go", "options.go", "provoke.go", "report.go", "sites.go", "snapshot.go",
}

// engineFiles returns both layers of lockdep as files below GOROOT/src.
func engineFiles() (map[string][]byte, error) {
	files := make(map[string][]byte)
	for from, to := range addedFiles {
		text, err := added.ReadFile(from)
		if err != nil {
			return nil, err
		}
		files[to] = text
	}
	names, err := fs.Glob(lockdep.Source, "lockdep/internal/core/*.go")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		base := path.Base(name)
		if strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "plat_") {
			continue
		}
		text, err := lockdep.Source.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[stdCore+"/"+base] = text
	}
	for _, base := range reportFiles {
		text, err := lockdep.Source.ReadFile("lockdep/" + base)
		if err != nil {
			return nil, fmt.Errorf("the engine's sources are incomplete: %w", err)
		}
		s, err := parseSource(stdReport+"/"+base, text)
		if err != nil {
			return nil, err
		}
		s.reimport(corePath, stdCore)
		if strings.Contains(string(text), "\n//go:build lockdep\n") || strings.HasPrefix(string(text), "//go:build lockdep\n") {
			s.without("//go:build lockdep")
		}
		if files[s.name], err = s.result(); err != nil {
			return nil, err
		}
	}
	return files, nil
}
