package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/lockvet/lockvet/internal/confirm"
	"github.com/lockvet/lockvet/internal/dump"
	"github.com/lockvet/lockvet/internal/finding"
)

// reportDumps merges the dumps of any number of processes into one report.
func reportDumps(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("lockvet report", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	asJSON := fs.Bool("json", false, "")
	static := fs.String("static", "", "")
	std := fs.Bool("std", false, "")
	if err := fs.Parse(args); err != nil {
		return fmt.Errorf("%w: see lockvet help", err)
	}
	if fs.NArg() == 0 {
		return fmt.Errorf("report takes the directories that LOCKDEPDIR named")
	}
	var findings []finding.Finding
	if *static != "" {
		f, err := os.Open(*static)
		if err != nil {
			return fmt.Errorf("reading the file of -static: %w", err)
		}
		saved, err := finding.ReadJSON(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", *static, err)
		}
		findings = saved.Findings
	}
	var graphs []*dump.Graph
	told := false
	for _, dir := range fs.Args() {
		more, troubles, err := dump.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, t := range troubles {
			fmt.Fprintf(stderr, "lockvet: %s\n", t)
			told = true
		}
		for _, g := range more {
			for _, limit := range g.Limits() {
				fmt.Fprintf(stderr, "lockvet: %s\n", limit)
			}
		}
		graphs = append(graphs, more...)
	}
	if len(graphs) == 0 {
		return fmt.Errorf("no dumps in %v: run a program built by lockvet build with LOCKDEPDIR set to a directory", fs.Args())
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	report := finding.Report{
		Findings: confirm.Judge(findings, graphs, *std, nil),
		Stats:    map[string]int64{"processes": int64(len(graphs))},
	}
	for i := range report.Findings {
		report.Findings[i] = report.Findings[i].Relative(dir)
		if !*asJSON {
			fmt.Fprintln(stdout, report.Findings[i].String())
		}
	}
	if !*asJSON {
		printBlocked(stdout, graphs, dir)
	}
	if *asJSON {
		if err := report.WriteJSON(stdout); err != nil {
			return fmt.Errorf("writing findings: %w", err)
		}
	}
	switch {
	case told:
		return errTold
	case len(report.Findings) > 0:
		return errFound
	}
	return nil
}
