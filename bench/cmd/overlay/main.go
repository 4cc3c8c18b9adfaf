// Overlay compares programs with lockdep compiled in by lockvet with the same
// programs without it, run in turn.
//
//	overlay [-n runs] suite [-race] [-dir directory] package [test flags]
//	overlay [-n runs] build [packages]
//
// Suite runs the tests of a package: its test binary as go test builds it, and
// as lockvet test builds and runs it, both built before. Build lets go build
// compile packages, by default the standard library, with an empty cache: by a
// compiler and a go command as they are, with lockdep inside, and with lockdep
// but without cross-release. The lockvet on the path is used.
//
// It prints wall and processor time of each run, and the medians of the ratios
// of runs side by side.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 5, "runs of each program, after one that does not count")
	flag.Parse()
	var programs []program
	var err error
	temp, err := os.MkdirTemp("", "overlay-")
	if err == nil {
		defer os.RemoveAll(temp)
		switch flag.Arg(0) {
		case "suite":
			programs, err = suite(temp, flag.Args()[1:])
		case "build":
			programs, err = build(temp, flag.Args()[1:])
		default:
			err = fmt.Errorf("want suite or build")
		}
	}
	if err == nil {
		err = compare(programs, *n)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "overlay: %v\n", err)
		os.Exit(2)
	}
}

// A program is one side of a comparison.
type program struct {
	name   string
	args   []string
	dir    string
	env    []string
	before func() error // what is not measured
}

// A run is what one run of a program took.
type run struct {
	wall, cpu time.Duration
	status    int
}

func (p *program) run() (run, error) {
	if p.before != nil {
		if err := p.before(); err != nil {
			return run{}, err
		}
	}
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), p.env...)
	start := time.Now()
	err := cmd.Run()
	r := run{wall: time.Since(start)}
	if cmd.ProcessState == nil {
		return r, err
	}
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.status = cmd.ProcessState.ExitCode()
	return r, nil
}

// compare runs all programs in turn and prints what they took, against the
// first.
func compare(programs []program, n int) error {
	runs := make([][]run, len(programs))
	for i := -1; i < n; i++ {
		for k := range programs {
			r, err := programs[k].run()
			if err != nil {
				return fmt.Errorf("%s: %w", programs[k].name, err)
			}
			if i >= 0 {
				runs[k] = append(runs[k], r)
			}
		}
	}
	for k, p := range programs {
		fmt.Printf("%-16s", p.name)
		var wall, cpu []float64
		for i, r := range runs[k] {
			fmt.Printf(" %.2f/%.2f", r.wall.Seconds(), r.cpu.Seconds())
			if r.status != 0 {
				fmt.Printf("(status %d)", r.status)
			}
			wall = append(wall, r.wall.Seconds()/runs[0][i].wall.Seconds())
			cpu = append(cpu, r.cpu.Seconds()/runs[0][i].cpu.Seconds())
		}
		fmt.Printf(" s wall/cpu; median ratio to %s: wall %.3f, cpu %.3f\n", programs[0].name, median(wall), median(cpu))
	}
	return nil
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	if len(x)%2 == 1 {
		return x[len(x)/2]
	}
	return (x[len(x)/2-1] + x[len(x)/2]) / 2
}

// output runs a command in dir and returns the line that it prints.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
