// Command run prepares and runs the corpus outside of go test: to look at one
// bug by hand, to print the table for the documentation, and to write down the
// findings of whole modules for triage.
//
// Usage:
//
//	go run ./test/corpus/run prepare [-dir dir] [row...]
//	go run ./test/corpus/run noise -lockvet binary [-dir dir] [-out dir] [module...]
//	go run ./test/corpus/run table lockorder|crossrelease
//
// prepare makes a module for both versions of each row, compiles its package
// and says what does not compile. noise writes a .txt and a .json file a
// module; two runs are compared with diff.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockvet/lockvet/test/corpus"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("no subcommand: prepare, noise or table")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	dir := flags.String("dir", filepath.Join(os.TempDir(), "lockvet-corpus"), "make the modules below this `directory` and keep them")
	lockvet := flags.String("lockvet", "", "lockvet `binary`")
	out := flags.String("out", ".", "write findings to this `directory`")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "prepare":
		return prepare(ctx, *dir, flags.Args())
	case "noise":
		if *lockvet == "" {
			return errors.New("noise: no -lockvet binary")
		}
		return noise(ctx, *dir, *lockvet, *out, flags.Args())
	case "table":
		rows, err := corpus.Rows()
		if err != nil {
			return err
		}
		for _, pass := range flags.Args() {
			fmt.Print(corpus.Markdown(rows, pass))
		}
		return nil
	}
	return fmt.Errorf("no subcommand %q: prepare, noise or table", args[0])
}

func prepare(ctx context.Context, dir string, ids []string) error {
	rows, err := corpus.Rows()
	if err != nil {
		return err
	}
	bad := 0
	for _, r := range rows {
		if len(ids) > 0 && !slices.Contains(ids, r.ID) {
			continue
		}
		for _, t := range []struct {
			name   string
			target corpus.Target
		}{{r.ID + "-buggy", r.Buggy}, {r.ID + "-fixed", r.Fixed}} {
			start := time.Now()
			state, details := build(ctx, filepath.Join(dir, t.name), t.target)
			if state == "bad" {
				bad++
			}
			fmt.Printf("%s\t%s\t%.0fs\t%s\n%s", t.name, state, time.Since(start).Seconds(), t.target, details)
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d modules do not build", bad)
	}
	return nil
}

// build prepares a module and returns its state and the compiler's messages.
func build(ctx context.Context, dir string, t corpus.Target) (state, details string) {
	err := corpus.Prepare(ctx, dir, t)
	if err == nil {
		err = corpus.Builds(ctx, dir, t)
	}
	if err != nil {
		return "bad", indent(err)
	}
	return "ok", ""
}

func indent(err error) string {
	return "\t" + strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "\n\t") + "\n"
}

func noise(ctx context.Context, dir, lockvet, out string, names []string) error {
	binary, err := filepath.Abs(lockvet)
	if err != nil {
		return err
	}
	for _, m := range corpus.Noise {
		if len(names) > 0 && !slices.Contains(names, m.Name) {
			continue
		}
		tree := filepath.Join(dir, m.Name)
		if err := corpus.PrepareNoise(ctx, tree, m); err != nil {
			return err
		}
		start := time.Now()
		report, err := corpus.RunNoise(ctx, corpus.Lockvet(binary), tree, out, m)
		if err != nil {
			return err
		}
		fmt.Printf("%s\t%d findings\t%.0fs\n", m.Name, len(report.Findings), time.Since(start).Seconds())
	}
	return nil
}
