package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func pairTable(b builder) {
	f := form{"", b.build("tracked", "-tags=lockdep"), ""}.run("micro")
	title("One operation, ns of processor time", "", "sync", "lockdep", "go-deadlock", "linkdata/deadlock", "lockdep over sync", "go-deadlock / lockdep", "allocations of lockdep")
	for _, w := range []struct{ name, text string }{
		{"pair", "Lock and Unlock"},
		{"three", "three nested locks"},
		{"crowded", "Lock and Unlock, 1,000 other locks held by another goroutine"},
		{"goroutine", "new goroutine that takes one lock"},
	} {
		get := func(who string) figure { return find(f, w.name+" "+who) }
		s, l, g := get("sync").CPU, get("lockdep").CPU, get("go-deadlock").CPU
		row(w.text, s, l, g, get("linkdata").CPU, fmt.Sprintf("+%.1f, ×%.2f", l-s, l/s), fmt.Sprintf("%.1f", g/l), fmt.Sprintf("%.0f", get("lockdep").Allocs))
	}
}

func parallelTable(b builder) {
	f := form{"", b.build("tracked", "-tags=lockdep"), ""}.run("parallel")
	title("Own locks on all processors, ns of processor time for a Lock and Unlock", "GOMAXPROCS", "sync", "against 1", "lockdep", "against 1")
	one := [2]float64{find(f, "sync 1").CPU, find(f, "lockdep 1").CPU}
	for _, p := range []int{1, 2, 4, 8} {
		s, l := find(f, fmt.Sprintf("sync %d", p)).CPU, find(f, fmt.Sprintf("lockdep %d", p)).CPU
		row(p, s, s/one[0], l, l/one[1])
	}
}

func memoryTable(b builder) {
	f := form{"", b.build("tracked", "-tags=lockdep"), ""}.run("memory")
	title("Memory, bytes beyond sync's", "what", "bytes")
	for _, x := range f {
		row(x.Name, fmt.Sprintf("%.0f", x.Extra["bytes"]))
	}
}

// macroTable has the four rows of the kernel's comparison.
func macroTable(b builder) {
	plain, tracked := b.build("plain"), b.build("tracked", "-tags=lockdep")
	forms := []form{
		{"none", plain, "enabled=0"},
		{"lockdep", tracked, "crossrelease=0"},
		{"+ cross-release, one PC", tracked, "crossrelease=1"},
		{"+ cross-release, full stacks", tracked, "crossrelease=1,fullstack=1"},
	}
	title("Macro workloads: ms of processor time, medians, and median ratios of runs side by side",
		"", "HTTP", "to none", "to lockdep", "to one PC", "pipeline", "to none", "to lockdep", "to one PC")
	h, p := inTurn("http", forms, *rounds), inTurn("pipeline", forms, *rounds)
	for i, f := range forms {
		cells := []any{f.name}
		for _, w := range []struct {
			runs [][]figure
			n    float64
		}{{h, 6000}, {p, 200}} {
			cells = append(cells, median(w.runs[i])*w.n/1e6)
			for j := range 3 {
				if j < i {
					cells = append(cells, fmt.Sprintf("%.3f", ratio(w.runs[i], w.runs[j])))
				} else {
					cells = append(cells, "")
				}
			}
		}
		row(cells...)
	}
}

// raceTable compares the engine as it is under -race with one that the race
// detector instruments.
func raceTable(b builder) {
	plain := b.build("plain.race", "-race")
	quiet := b.build("quiet.race", "-race", "-tags=lockdep")
	loud := b.build("loud.race", "-race", "-tags=lockdep", "-overlay="+instrumented(b.dir))
	forms := []form{
		{"none, -race", plain, "enabled=0"},
		{"lockdep, not instrumented", quiet, ""},
		{"lockdep, instrumented", loud, ""},
	}
	title("Under -race: µs of processor time for one file of the pipeline, and for one goroutine that takes a lock",
		"", "pipeline", "to none", "to not instrumented", "goroutine", "to none", "to not instrumented")
	files, locks := inTurn("pipeline", forms, *rounds), inTurn("pool", forms, *rounds)
	for i, f := range forms {
		cells := []any{f.name}
		for _, runs := range [][][]figure{files, locks} {
			cells = append(cells, median(runs[i])/1e3)
			for j := range 2 {
				if j < i {
					cells = append(cells, fmt.Sprintf("%.3f", ratio(runs[i], runs[j])))
				} else {
					cells = append(cells, "")
				}
			}
		}
		row(cells...)
	}
	quietEvents := form{"", quiet, "stats=1"}.run("pipeline")[0].Extra
	loudEvents := form{"", loud, "stats=1"}.run("pipeline")[0].Extra
	title("Events of these runs, with stats=1", "event", "not instrumented", "instrumented")
	var names []string
	for n := range quietEvents {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		row(n, fmt.Sprintf("%.0f", quietEvents[n]), fmt.Sprintf("%.0f", loudEvents[n]))
	}
}

// instrumented writes copies of the engine's source without the pragmas that
// keep the race detector out, and an overlay that replaces the originals.
func instrumented(dir string) string {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/lockvet/lockvet/runtime/lockdep/internal/core").Output()
	check(err)
	src := strings.TrimSpace(string(out))
	files, err := filepath.Glob(filepath.Join(src, "*.go"))
	check(err)
	var replace []string
	pragma := regexp.MustCompile(`(?m)^//go:norace\n`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		check(err)
		text = pragma.ReplaceAll(text, nil)
		if filepath.Base(name) == "race_on.go" {
			text = []byte(strings.NewReplacer("runtime.RaceDisable()", "", "runtime.RaceEnable()", "", `import "runtime"`, "").Replace(string(text)))
		}
		to := filepath.Join(dir, filepath.Base(name))
		check(os.WriteFile(to, text, 0o666))
		replace = append(replace, fmt.Sprintf("%q: %q", name, to))
	}
	overlay := filepath.Join(dir, "overlay.json")
	check(os.WriteFile(overlay, []byte(`{"Replace": {`+strings.Join(replace, ", ")+"}}"), 0o666))
	return overlay
}

func resourceTable(b builder) {
	f := form{"", b.build("tracked", "-tags=lockdep"), ""}.run("resource")
	title("1,000,000 Resources, locked by one goroutine and unlocked by another", "tracking", "ns of processor time each", "to off", "bytes each")
	for _, x := range f {
		row(x.Name, x.CPU, fmt.Sprintf("%.2f", x.CPU/f[0].CPU), x.Extra["bytes per page"])
	}
}

func counterTable(b builder) {
	f := form{"", b.build("plain"), "enabled=0"}.run("counters")
	title("Contended lock with the bookkeeping of a checker, ns of elapsed time for one operation",
		"GOMAXPROCS", "shared, inside", "shared, outside", "sharded, inside", "sharded, outside", "last to first")
	for _, p := range []int{1, 2, 4, 8} {
		cells := []any{p}
		var v []float64
		for _, n := range []string{"shared inside", "shared outside", "sharded inside", "sharded outside"} {
			v = append(v, find(f, fmt.Sprintf("%s %d", n, p)).Wall)
			cells = append(cells, v[len(v)-1])
		}
		row(append(cells, fmt.Sprintf("%.2f", v[3]/v[0]))...)
	}
}

func poolTable(b builder) {
	tracked := b.build("tracked", "-tags=lockdep")
	forms := []form{
		{"untracked", b.build("plain"), "enabled=0"},
		{"no pool", tracked, "pool=0,records=0"},
		{"pool", tracked, "records=0"},
		{"pool, record kept by its g (default)", tracked, ""},
	}
	title("A goroutine for each lock, 64 at a time, ns of processor time for one", "", "time", "to untracked", "records allocated", "get", "put", "refills", "drains", "skipped")
	runs := inTurn("pool", forms, *rounds)
	for i, f := range forms {
		cells := []any{f.name, median(runs[i]), ratio(runs[i], runs[0])}
		if i > 0 {
			e := form{"", f.bin, strings.TrimPrefix(f.options+",stats=1", ",")}.run("pool")[0].Extra
			for _, n := range []string{"pool new", "pool get", "pool put", "pool refill", "pool drain"} {
				cells = append(cells, fmt.Sprintf("%.0f", e[n]))
			}
			cells = append(cells, fmt.Sprintf("%.0f", e["pool busy"]+e["pool skip"]))
		}
		row(cells...)
	}
}
