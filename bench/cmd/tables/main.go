// Tables measures everything that docs/performance.md shows and writes the
// tables in Markdown. It builds cmd/measure in several forms and runs the
// forms that are compared in turn, several times, so that other load on the
// machine falls on all of them alike; what is shown are medians.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// figure is what cmd/measure writes.
type figure struct {
	Name   string             `json:"name"`
	CPU    float64            `json:"cpu"`
	Wall   float64            `json:"wall"`
	Allocs float64            `json:"allocs"`
	Extra  map[string]float64 `json:"extra"`
}

var (
	rounds = flag.Int("rounds", 9, "how often the macro workloads run in each form")
	only   = flag.String("only", "", "comma-separated names of the tables to make")
)

func main() {
	flag.Parse()
	dir, err := os.MkdirTemp("", "lockdep-tables")
	check(err)
	defer os.RemoveAll(dir)
	b := builder{dir}
	fmt.Printf("%s, %s/%s, %d processors.\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, t := range []struct {
		name string
		f    func(builder)
	}{
		{"pair", pairTable}, {"parallel", parallelTable}, {"memory", memoryTable},
		{"macro", macroTable}, {"race", raceTable}, {"resource", resourceTable},
		{"counters", counterTable}, {"pool", poolTable},
	} {
		if *only == "" || slices.Contains(strings.Split(*only, ","), t.name) {
			t.f(b)
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

type builder struct{ dir string }

// build builds cmd/measure with the given flags.
func (b builder) build(name string, flags ...string) string {
	bin := filepath.Join(b.dir, name)
	args := append(append([]string{"build"}, flags...), "-o", bin, "./cmd/measure")
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	check(cmd.Run())
	return bin
}

// A form is one way to run a workload.
type form struct {
	name    string
	bin     string
	options string // LOCKDEP
}

func (f form) run(workload string) []figure {
	cmd := exec.Command(f.bin, "-w", workload)
	cmd.Env = append(os.Environ(), "LOCKDEP="+f.options, "GORACE=log_path=/dev/null exitcode=0 atexit_sleep_ms=0")
	out, err := cmd.Output()
	if err != nil {
		check(fmt.Errorf("%s -w %s: %w", f.bin, workload, err))
	}
	var figures []figure
	check(json.Unmarshal(out, &figures))
	return figures
}

// inTurn runs the forms one after the other, several rounds. It returns each
// form's figures, sorted by processor time.
func inTurn(workload string, forms []form, rounds int) [][]figure {
	all := make([][]figure, len(forms))
	for range rounds {
		for i, f := range forms {
			all[i] = append(all[i], f.run(workload)[0])
		}
	}
	return all
}

// median returns the median of some figures' processor times.
func median(figures []figure) float64 {
	var v []float64
	for _, f := range figures {
		v = append(v, f.CPU)
	}
	return middle(v)
}

func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// ratio returns the median of the ratios of two forms, round by round: what
// loads the machine in one round falls on both.
func ratio(a, b []figure) float64 {
	var v []float64
	for i := range a {
		v = append(v, a[i].CPU/b[i].CPU)
	}
	return middle(v)
}

// find returns the figure called name.
func find(figures []figure, name string) figure {
	for _, f := range figures {
		if f.Name == name {
			return f
		}
	}
	check(fmt.Errorf("no figure %q", name))
	return figure{}
}

func title(text string, columns ...string) {
	fmt.Printf("\n### %s\n\n| %s |\n|%s\n", text, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

func row(cells ...any) {
	for _, c := range cells {
		if v, ok := c.(float64); ok {
			switch {
			case v >= 100 || v <= -100:
				c = fmt.Sprintf("%.0f", v)
			case v >= 10 || v <= -10:
				c = fmt.Sprintf("%.1f", v)
			default:
				c = fmt.Sprintf("%.2f", v)
			}
		}
		fmt.Printf("| %v ", c)
	}
	fmt.Println("|")
}
