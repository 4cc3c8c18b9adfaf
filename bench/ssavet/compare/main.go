// Compare measures what lockvet costs beside other vet tools on one module,
// and prints ratios:
//
//	go run ./compare [-module path@version] [-n runs]
//
// Cold is the first run of a tool when the compiler's work is already cached;
// warm is the run after it; touched is a run after a file of a package that no
// other imports has changed. Times are the best of n runs. The module is copied
// from the module cache to a temporary directory. Nothing else should run on
// the machine meanwhile.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A bench is a copy of a module and the tools to run on it.
type bench struct {
	dir             string // of the copy
	tmp             string
	lockvet, ssavet string
	leaf            string // a file of a package that no other imports
	leafText        []byte
	salt            int
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("compare: ")
	module := flag.String("module", "github.com/nats-io/nats-server/v2@v2.15.3", "module to analyse, path@version")
	runs := flag.Int("n", 3, "runs of each measurement")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatal("takes no arguments, see -help")
	}
	tmp, err := os.MkdirTemp("", "compare-")
	if err != nil {
		log.Fatal(err)
	}
	err = measure(tmp, *module, *runs)
	os.RemoveAll(tmp)
	if err != nil {
		log.Fatal(err)
	}
}

func measure(tmp, module string, runs int) error {
	b, err := prepare(tmp, module)
	if err != nil {
		return err
	}
	govet := func(tool string, flags ...string) []string {
		args := []string{"go", "vet"}
		if tool != "" {
			args = append(args, "-vettool="+tool)
		}
		return append(append(args, flags...), "./...")
	}
	whole := func(tool string) []string { return []string{tool, "./..."} }
	fmt.Printf("%s, best of %d\n\n", module, runs)
	fmt.Printf("%-9s%-34s%9s%9s%9s\n", "", "", "wall s", "CPU s", "max MB")

	cold := func(tool string, command func(string) []string) (cost, error) {
		return best(runs, func() (cost, error) {
			fresh, err := b.resalted(tool)
			if err != nil {
				return cost{}, err
			}
			return b.run(command(fresh))
		})
	}
	vettool := func(tool string) []string { return govet(tool) }
	orderOnly := func(tool string) []string { return govet(tool, "-lockorder") }
	base, err := cold(b.ssavet, vettool)
	if err != nil {
		return err
	}
	base.print("cold", "ssavet", cost{})
	for _, m := range []struct {
		name    string
		command func(string) []string
	}{
		{"go vet -vettool=lockvet -lockorder", orderOnly},
		{"go vet -vettool=lockvet", vettool},
		{"lockvet", whole},
	} {
		c, err := cold(b.lockvet, m.command)
		if err != nil {
			return err
		}
		c.print("cold", m.name, base)
	}

	commands := []struct {
		name string
		args []string
	}{
		{"go vet", govet("")},
		{"go vet -vettool=lockvet", govet(b.lockvet)},
		{"lockvet", whole(b.lockvet)},
	}
	for _, state := range []string{"warm", "touched"} {
		var base cost
		for i, m := range commands {
			if _, err := b.run(m.args); err != nil { // fill the caches
				return err
			}
			c, err := best(runs, func() (cost, error) {
				if state == "touched" {
					if err := b.touch(); err != nil {
						return cost{}, err
					}
				}
				return b.run(m.args)
			})
			if err != nil {
				return err
			}
			if i == 0 {
				base = c
				c.print(state, m.name, cost{})
			} else {
				c.print(state, m.name, base)
			}
		}
	}
	return nil
}

// prepare copies the module, builds the tools, and has the go command compile
// all that go vet needs.
func prepare(tmp, module string) (*bench, error) {
	b := &bench{
		dir: filepath.Join(tmp, "module"), tmp: tmp,
		lockvet: filepath.Join(tmp, "lockvet"), ssavet: filepath.Join(tmp, "ssavet"),
	}
	out, err := command("", "go", "mod", "download", "-json", module)
	if err != nil {
		return nil, err
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(out, &downloaded); err != nil {
		return nil, fmt.Errorf("go mod download: %w", err)
	}
	if err := os.CopyFS(b.dir, os.DirFS(downloaded.Dir)); err != nil {
		return nil, err
	}
	if _, err := command("", "chmod", "-R", "u+w", b.dir); err != nil {
		return nil, err
	}
	if _, err := command("", "go", "build", "-o", b.ssavet, "github.com/lockvet/lockvet/bench/ssavet"); err != nil {
		return nil, err
	}
	if _, err := command("", "go", "build", "-o", b.lockvet, "github.com/lockvet/lockvet/cmd/lockvet"); err != nil {
		return nil, err
	}
	if _, err := command(b.dir, "go", "mod", "download"); err != nil {
		return nil, err
	}
	if _, err := b.run([]string{"go", "vet", "./..."}); err != nil {
		return nil, err
	}
	return b, b.findLeaf()
}

// findLeaf chooses a file of a package that no package of the module imports.
func (b *bench) findLeaf() error {
	out, err := command(b.dir, "go", "list", "-f",
		`{{.ImportPath}} {{.Name}} {{.Dir}}{{"/"}}{{index .GoFiles 0}}{{range .Imports}} {{.}}{{end}}{{range .TestImports}} {{.}}{{end}}{{range .XTestImports}} {{.}}{{end}}`, "./...")
	if err != nil {
		return err
	}
	imported := make(map[string]bool)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		for _, path := range strings.Fields(line)[3:] {
			imported[path] = true
		}
	}
	for _, line := range lines {
		if f := strings.Fields(line); !imported[f[0]] {
			b.leaf = f[2]
			if f[1] != "main" {
				break
			}
		}
	}
	if b.leaf == "" {
		return fmt.Errorf("every package of the module is imported by another")
	}
	b.leafText, err = os.ReadFile(b.leaf)
	return err
}

// touch gives the leaf a content that no cache has seen.
func (b *bench) touch() error {
	b.salt++
	text := fmt.Appendf(bytes.Clone(b.leafText), "\n// touched %d %d\n", b.salt, time.Now().UnixNano())
	return os.WriteFile(b.leaf, text, 0o666)
}

// resalted returns a copy of a tool that differs in bytes behind its end, which
// no cache has seen.
func (b *bench) resalted(tool string) (string, error) {
	data, err := os.ReadFile(tool)
	if err != nil {
		return "", err
	}
	b.salt++
	name := fmt.Sprintf("%s-%d", tool, b.salt)
	return name, os.WriteFile(name, fmt.Appendf(data, "%d %d", b.salt, time.Now().UnixNano()), 0o777)
}

// A cost is what a command took, all its children included; memory is that of
// the largest process.
type cost struct {
	wall, cpu time.Duration
	maxRSS    int64 // bytes
}

// run runs a command in the module. That it finds something is no error.
func (b *bench) run(args []string) (cost, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = b.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		return cost{}, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out.String())
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{
		wall:   wall,
		cpu:    cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		maxRSS: usage.Maxrss * 1024, // Linux counts in KB
	}, nil
}

func best(runs int, f func() (cost, error)) (cost, error) {
	var least cost
	for i := range runs {
		c, err := f()
		if err != nil {
			return cost{}, err
		}
		if i == 0 {
			least = c
		}
		least.wall = min(least.wall, c.wall)
		least.cpu = min(least.cpu, c.cpu)
		least.maxRSS = max(least.maxRSS, c.maxRSS)
	}
	return least, nil
}

// print prints a row, with ratios to the base if there is one.
func (c cost) print(state, name string, base cost) {
	fmt.Printf("%-9s%-34s%9.2f%9.2f%9d", state, name, c.wall.Seconds(), c.cpu.Seconds(), c.maxRSS>>20)
	if base.wall > 0 {
		fmt.Printf("   wall x%.2f, CPU x%.2f", c.wall.Seconds()/base.wall.Seconds(), c.cpu.Seconds()/base.cpu.Seconds())
	}
	fmt.Println()
}

func command(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.Bytes(), nil
}
