// Matrix runs every pattern of lock use with three deadlock detectors and
// writes what each said as a Markdown table, that of docs/detection.md. Each
// pattern runs in a process of its own, since some end in a hang or a crash.
// Nothing is left to the schedule: the halves of a pattern run one after the
// other, in goroutines of their own.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience is how long a pattern that hangs may take until it counts as not
// reported. The peers' own time-out is set to a quarter of it.
const patience = 4 * time.Second

func main() {
	if len(os.Args) == 3 {
		child(os.Args[1], os.Args[2])
		return
	}
	bin := build()
	defer os.Remove(bin)
	fmt.Println("| pattern | right | lockdep | go-deadlock | linkdata/deadlock |\n|---|---|---|---|---|")
	right := map[string]int{}
	for _, p := range patterns() {
		fmt.Printf("| %s | %s ", p.name, p.want)
		for _, t := range []string{"lockdep", "go-deadlock", "linkdata"} {
			said := run(bin, t, p.name)
			if p.right(said) {
				right[t]++
			} else if said != "not available" {
				said = "**" + said + "**"
			}
			fmt.Printf("| %s ", said)
		}
		fmt.Println("|")
	}
	fmt.Printf("| right, of %d | | %d | %d | %d |\n", len(patterns()), right["lockdep"], right["go-deadlock"], right["linkdata"])
}

// build builds this command with the tag lockdep.
func build() string {
	f, err := os.CreateTemp("", "matrix")
	if err != nil {
		fatal(err)
	}
	f.Close()
	cmd := exec.Command("go", "build", "-tags", "lockdep", "-o", f.Name(), "./cmd/matrix")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		fatal(err)
	}
	return f.Name()
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "matrix:", err)
	os.Exit(1)
}

// run returns what tool says to the pattern, in a process of its own.
func run(bin, tool, pattern string) string {
	cmd := exec.Command(bin, tool, pattern)
	cmd.Env = append(os.Environ(), "LOCKDEP=report=none")
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.Run() // a crash is part of some patterns
	if said := strings.TrimSpace(out.String()); said != "" {
		return strings.Split(said, "\n")[0]
	}
	return "silent"
}

// child runs one pattern and writes what the tool says first.
func child(toolName, pattern string) {
	said := make(chan string, 100)
	t := tools[toolName](func(what string) {
		select {
		case said <- what:
		default:
		}
	})
	for _, p := range patterns() {
		if p.name != pattern {
			continue
		}
		done := make(chan bool)
		go func() {
			defer close(done)
			defer func() {
				if r := recover(); r == notAvailable {
					fmt.Println("not available")
					os.Exit(0)
				} else if r != nil {
					panic(r)
				}
			}()
			p.f(t)
			t.settle()
		}()
		select {
		case <-done:
		case <-time.After(patience):
		}
		select {
		case what := <-said:
			fmt.Println(what)
		default:
			fmt.Println("silent")
		}
	}
}
