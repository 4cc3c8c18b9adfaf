package lockdep

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Options is what LOCKDEP sets. Each field names its key; the zero value of
// none of them is the default, see the table of keys in docs/runtime.md.
type Options struct {
	Enabled bool   // enabled: 0 tracks nothing
	Report  string // report: text, json, deadlock (only these, as text) or none, written to standard error
	Level   Level  // level: the weakest evidence that is reported, strong by default
	Exit    bool   // exit: end the program with status 66 after the first report

	CrossRelease bool          // crossrelease: track waits and signals
	Deadlock     bool          // deadlock: look for real deadlocks when about to block
	FullStack    bool          // fullstack: keep the stack of each held lock
	History      bool          // history: remember signals that needed a lock in an earlier iteration, to confirm static findings
	Stats        bool          // stats: count events and acquisitions
	Pool         bool          // pool: reuse goroutine records
	Collected    bool          // collected: report locks that the collector drops while held
	Resources    bool          // resources: track Resource
	Std          bool          // std: report problems among locks of the standard library alone
	Leaks        bool          // leaks: look for goroutines that are blocked for good when the program ends, for its dump
	Provoke      string        // provoke: file with the dependencies to provoke; the first deadlock ends the program with status 66
	Seed         uint64        // seed: chooses whom to hold
	Hold         time.Duration // hold: longest moment for which a goroutine is held; all together 250 of them
	Sites        string        // sites: file with the classes of lines, from lockvet sites

	Classes int // classes: how many can exist
	Deps    int // deps: dependencies between classes that are kept
	Pairs   int // pairs: pairs of instances that are remembered
	Chains  int // chains: validated chains that are remembered, rounded up to a power of two
	Records int // records: goroutine records kept by goroutines that hold nothing
	Stacks  int // stacks: stacks kept for reports
}

func defaults() Options {
	return Options{
		Enabled: true, Report: "text", Level: Strong,
		CrossRelease: true, Deadlock: true, Pool: true, Resources: true, Hold: 20 * time.Millisecond,
		Classes: 8191, Deps: 1 << 16, Pairs: 1 << 14, Chains: 1 << 15, Records: 4096, Stacks: 1 << 13,
	}
}

// option is one key of LOCKDEP.
type option struct {
	key   string
	start bool // can only be set at start
	set   func(o *Options, v string) error
}

func flagOption(key string, start bool, field func(*Options) *bool) option {
	return option{key, start, func(o *Options, v string) error {
		switch v {
		case "0", "1":
			*field(o) = v == "1"
			return nil
		}
		return fmt.Errorf("must be 0 or 1")
	}}
}

func sizeOption(key string, least, most int, field func(*Options) *int) option {
	return option{key, true, func(o *Options, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil {
			return fmt.Errorf("must be a number")
		}
		if n < least || n > most {
			return fmt.Errorf("must be from %d to %d", least, most)
		}
		*field(o) = n
		return nil
	}}
}

var optionTable = []option{
	flagOption("enabled", true, func(o *Options) *bool { return &o.Enabled }),
	{"report", false, func(o *Options, v string) error {
		switch v {
		case "text", "json", "deadlock", "none":
			o.Report = v
			return nil
		}
		return fmt.Errorf("must be text, json, deadlock or none")
	}},
	{"level", false, func(o *Options, v string) error {
		for l := Weak; l <= Strong; l++ {
			if l.String() == v {
				o.Level = l
				return nil
			}
		}
		return fmt.Errorf("must be strong, medium or weak")
	}},
	flagOption("exit", false, func(o *Options) *bool { return &o.Exit }),
	flagOption("crossrelease", true, func(o *Options) *bool { return &o.CrossRelease }),
	flagOption("deadlock", true, func(o *Options) *bool { return &o.Deadlock }),
	flagOption("history", true, func(o *Options) *bool { return &o.History }),
	flagOption("fullstack", true, func(o *Options) *bool { return &o.FullStack }),
	flagOption("stats", true, func(o *Options) *bool { return &o.Stats }),
	flagOption("pool", true, func(o *Options) *bool { return &o.Pool }),
	flagOption("std", false, func(o *Options) *bool { return &o.Std }),
	flagOption("leaks", false, func(o *Options) *bool { return &o.Leaks }),
	flagOption("collected", true, func(o *Options) *bool { return &o.Collected }),
	flagOption("resources", true, func(o *Options) *bool { return &o.Resources }),
	{"provoke", true, func(o *Options, v string) error { o.Provoke = v; return nil }},
	{"seed", true, func(o *Options, v string) (err error) {
		if o.Seed, err = strconv.ParseUint(v, 10, 64); err != nil {
			return fmt.Errorf("must be a number")
		}
		return nil
	}},
	{"hold", true, func(o *Options, v string) error {
		d, err := time.ParseDuration(v)
		if err != nil || d <= 0 || d > time.Minute {
			return fmt.Errorf("must be a time of at most 1m, like 20ms")
		}
		o.Hold = d
		return nil
	}},
	{"sites", true, func(o *Options, v string) error { o.Sites = v; return nil }},
	sizeOption("classes", 16, 65535, func(o *Options) *int { return &o.Classes }),
	sizeOption("deps", 64, 1<<24, func(o *Options) *int { return &o.Deps }),
	sizeOption("pairs", 64, 1<<24, func(o *Options) *int { return &o.Pairs }),
	sizeOption("chains", 64, 1<<26, func(o *Options) *int { return &o.Chains }),
	sizeOption("records", 0, 1<<24, func(o *Options) *int { return &o.Records }),
	sizeOption("stacks", 16, 1<<20, func(o *Options) *int { return &o.Stacks }),
}

// parseOptions applies list, in the form of LOCKDEP, to o. What is wrong in it
// is ignored and described by one line each.
func parseOptions(o *Options, list string, running bool) (wrong []string) {
	for _, part := range strings.Split(list, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			wrong = append(wrong, fmt.Sprintf("option %q: want key=value", part))
			continue
		}
		found := false
		for _, opt := range optionTable {
			if opt.key != key {
				continue
			}
			found = true
			if running && opt.start {
				wrong = append(wrong, fmt.Sprintf("option %s can only be set at start, in LOCKDEP", key))
			} else if err := opt.set(o, value); err != nil {
				wrong = append(wrong, fmt.Sprintf("option %s=%s: %v", key, value, err))
			}
		}
		if !found {
			wrong = append(wrong, fmt.Sprintf("unknown option %q, known are %s", key, knownKeys()))
		}
	}
	return wrong
}

func knownKeys() string {
	var keys []string
	for _, o := range optionTable {
		keys = append(keys, o.key)
	}
	return strings.Join(keys, ", ")
}

// fromEnvironment returns the options of LOCKDEP. It says what is wrong with
// them on standard error, in one line.
func fromEnvironment() Options {
	o := defaults()
	if wrong := parseOptions(&o, os.Getenv("LOCKDEP"), false); len(wrong) > 0 {
		fmt.Fprintf(os.Stderr, "lockdep: LOCKDEP: %s (ignored)\n", strings.Join(wrong, "; "))
	}
	return o
}
