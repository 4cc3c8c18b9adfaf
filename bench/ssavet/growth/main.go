// Growth measures the link of several modules together:
//
//	go run ./growth [-n runs] dir[,pattern]...
//
// Each directory holds a module, of which the packages of the pattern count, or
// all. They, and their tests, are compiled by go vet with lockvet, which is not
// measured. Then 1, 2, 4, and so on, of the modules are
// linked together, each time in a process of its own, which decodes the objects
// and links them. Printed are the size of the objects, the processor time and
// the memory of that process, and the time for a megabyte of objects: that it
// stays the same is what linear growth means. Times are the best of n runs.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/lockvet/lockvet/internal/link"
	"github.com/lockvet/lockvet/internal/lockobj"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("growth: ")
	runs := flag.Int("n", 3, "runs of each link")
	child := flag.Bool("link", false, "link the object files given and print what it took (used by growth itself)")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("no directory given, see -help")
	}
	if *child {
		if err := linkFiles(flag.Args()); err != nil {
			log.Fatal(err)
		}
		return
	}
	tmp, err := os.MkdirTemp("", "growth-")
	if err != nil {
		log.Fatal(err)
	}
	err = measure(tmp, flag.Args(), *runs)
	os.RemoveAll(tmp)
	if err != nil {
		log.Fatal(err)
	}
}

func measure(tmp string, dirs []string, runs int) error {
	lockvet := filepath.Join(tmp, "lockvet")
	if out, err := exec.Command("go", "build", "-o", lockvet, "github.com/lockvet/lockvet/cmd/lockvet").CombinedOutput(); err != nil {
		return fmt.Errorf("building lockvet: %w\n%s", err, out)
	}
	var files []string
	for i, dir := range dirs {
		objects, err := objectsOf(lockvet, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		file := filepath.Join(tmp, fmt.Sprint(i))
		if err := os.WriteFile(file, objects, 0o666); err != nil {
			return err
		}
		files = append(files, file)
	}
	fmt.Printf("%-8s%12s%12s%12s%12s%14s%14s\n", "modules", "packages", "objects MB", "link CPU s", "max MB", "CPU s per MB", "memory per MB")
	for n := 1; ; n = min(2*n, len(files)) {
		var best taken
		for i := range runs {
			out, err := exec.Command(os.Args[0], append([]string{"-link"}, files[:n]...)...).Output()
			if err != nil {
				return fmt.Errorf("linking: %w", err)
			}
			var t taken
			if err := json.Unmarshal(out, &t); err != nil {
				return err
			}
			if i == 0 || t.CPU < best.CPU {
				best = t
			}
		}
		size := float64(best.Decoded) / 1e6
		fmt.Printf("%-8d%12d%12.1f%12.2f%12.0f%14.3f%14.1f\n", n, best.Packages, size, best.CPU.Seconds(), float64(best.MaxRSS)/1e6, best.CPU.Seconds()/size, float64(best.MaxRSS)/1e6/size)
		if n == len(files) {
			return nil
		}
	}
}

// objectsOf compiles a module's packages and what they import, and returns
// their objects: each line one, in base64.
func objectsOf(lockvet, dir string) ([]byte, error) {
	dir, pattern, ok := strings.Cut(dir, ",")
	if !ok {
		pattern = "./..."
	}
	cmd := exec.Command("go", "vet", "-vettool="+lockvet, "-json", "-lockvetemit", pattern)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	var all bytes.Buffer
	text := append(stdout.Bytes(), stderr.Bytes()...)
	var docs bytes.Buffer
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("#")) {
			docs.Write(line)
		}
	}
	for dec := json.NewDecoder(&docs); ; {
		var units map[string]map[string][]struct{ Message string }
		if err := dec.Decode(&units); err == io.EOF {
			return all.Bytes(), nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the output of go vet: %w", err)
		}
		for _, unit := range units {
			for _, diagnostics := range unit {
				for _, d := range diagnostics {
					fmt.Fprintln(&all, d.Message)
				}
			}
		}
	}
}

// taken is what a link took, all in the process that linked.
type taken struct {
	Packages int
	Decoded  int // bytes of the objects as they are kept
	CPU      time.Duration
	MaxRSS   int64 // bytes
}

func linkFiles(files []string) error {
	var pkgs []*lockobj.Package
	var t taken
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			object, err := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
			if err != nil {
				return err
			}
			decoded, err := lockobj.Decode(object)
			if err != nil {
				return err
			}
			pkgs = append(pkgs, decoded...)
			t.Decoded += len(object)
		}
	}
	// Modules have dependencies in common.
	pkgs = lockobj.Merge(pkgs)
	t.Packages = len(pkgs)
	link.Link(pkgs, link.Options{})
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return err
	}
	t.CPU = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	t.MaxRSS = usage.Maxrss * 1024 // Linux counts in KB
	return json.NewEncoder(os.Stdout).Encode(t)
}
