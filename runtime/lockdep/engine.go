//go:build lockdep

package lockdep

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// Enabled reports whether lock operations are tracked: built with the tag, and
// not switched off by LOCKDEP=enabled=0.
func Enabled() bool { return core.On() }

// reports is what was found so far, and what to do with it.
var reports struct {
	sync.Mutex
	options Options
	list    []*Report
	on      func(*Report)
}

// maxReports bounds the list; a program with more has other worries.
const maxReports = 1024

var watchCollected bool

// sites is the site table.
var sites map[lineKey]string

func init() {
	o := fromEnvironment()
	reports.options = o
	if !o.Enabled {
		return
	}
	if o.Sites != "" || builtSites != "" {
		names, err := siteTable(o.Sites)
		if err != nil {
			fmt.Fprintf(os.Stderr, "lockdep: LOCKDEP: option sites: %v (ignored)\n", err)
		}
		hashed := make(map[uint64]string, len(names))
		for at, name := range names {
			hashed[core.HashLine(at.file, at.line)] = name
		}
		sites = names
		core.SetSites(hashed)
	}
	watchCollected = o.Collected
	core.Hook = receive
	defer func() {
		if o.Provoke != "" {
			provoke(&o)
		}
	}()
	if core.On() { // compiled below package sync, the engine started first
		return
	}
	chains := 64
	for chains < o.Chains {
		chains *= 2
	}
	core.Start(core.Config{
		Cross: o.CrossRelease, FullStack: o.FullStack, Stats: o.Stats, Pool: o.Pool, Deadlocks: o.Deadlock, History: o.History,
		Classes: o.Classes, Deps: o.Deps, Pairs: o.Pairs, Chains: chains, Records: o.Records, Stacks: o.Stacks,
	})
}

// SetOptions changes options that can be changed while the program runs:
// report, level and exit. The list has the form of LOCKDEP.
func SetOptions(list string) error {
	reports.Lock()
	defer reports.Unlock()
	if wrong := parseOptions(&reports.options, list, true); len(wrong) > 0 {
		return fmt.Errorf("lockdep: %s", strings.Join(wrong, "; "))
	}
	return nil
}

// Reports returns what was found, oldest first: what has strong evidence, or
// any of the given levels.
func Reports(levels ...Level) []Report {
	core.Deliver()
	if len(levels) == 0 {
		levels = []Level{Strong}
	}
	reports.Lock()
	defer reports.Unlock()
	var out []Report
	for _, r := range reports.list {
		if slices.Contains(levels, r.Level) {
			out = append(out, *r)
		}
	}
	return out
}

// Reset forgets all dependencies and reports. What goroutines hold stays known.
func Reset() {
	core.Reset()
	core.Deliver()
	reports.Lock()
	reports.list = nil
	reports.Unlock()
}

// OnReport makes f be called for each report from now on, instead of its being
// written to standard error. It is called with no lock of this package held,
// by the goroutine that came upon the problem, before that goroutine acquires
// the lock in question. nil restores the default.
func OnReport(f func(*Report)) {
	reports.Lock()
	reports.on = f
	reports.Unlock()
}

// CheckGoroutines reports locks that are held by goroutines which ended. It
// stops the world for a moment.
func CheckGoroutines() {
	core.ReportLost(liveGoroutines)
}

// liveGoroutines reads the ids from the headlines of all stacks.
func liveGoroutines() map[uint64]bool {
	alive := map[uint64]bool{}
	for _, line := range strings.Split(allStacks(), "\n") {
		var id uint64
		if n, _ := fmt.Sscanf(line, "goroutine %d ", &id); n == 1 {
			alive[id] = true
		}
	}
	return alive
}

// watch reports l if the garbage collector drops it while it is held.
func watch(l *core.Lock) { runtime.AddCleanup(l, core.ReportCollected, l.Inst()) }

// receive makes a report of what the engine found.
func receive(f *core.Finding) {
	switch f.Kind {
	case core.Full:
		name := core.TableNames[f.Table]
		lost := "what does not fit is not checked"
		if f.Table == core.TableStacks {
			lost = "further dependencies are shown without stacks"
		}
		if slices.ContainsFunc(optionTable, func(o option) bool { return o.key == name }) {
			lost += " (LOCKDEP=" + name + "=N)"
		}
		fmt.Fprintf(os.Stderr, "lockdep: table %s is full, %s\n", name, lost)
		return
	case core.Withdraw:
		withdraw(className(f.Links[0].From))
		return
	}
	r := describe(f)
	reports.Lock()
	level := r.Level
	if old := slices.IndexFunc(reports.list, func(o *Report) bool { return o.ID == r.ID && o.Category == r.Category }); old >= 0 {
		if reports.list[old].Level >= level {
			reports.Unlock()
			return
		}
		reports.list[old] = r
	} else if len(reports.list) < maxReports {
		reports.list = append(reports.list, r)
	}
	o, on := reports.options, reports.on
	reports.Unlock()
	if r.Category == CategoryDeadlock && dumpDir != "" {
		dumpAtExit() // there may be no end
	}
	if level < o.Level || r.Standard && !o.Std && r.Category != CategoryDeadlock {
		return
	}
	switch {
	case on != nil:
		on(r)
	case o.Report == "text", o.Report == "deadlock" && r.Category == CategoryDeadlock:
		os.Stderr.WriteString("lockdep: " + r.String())
	case o.Report == "json":
		os.Stderr.Write(append(r.json(), '\n'))
	}
	if o.Exit || o.Provoke != "" && r.Category == CategoryDeadlock {
		os.Exit(66)
	}
}

// withdraw drops what was said about holders of a class whose locks turned out
// to be handed from goroutine to goroutine.
func withdraw(class string) {
	reports.Lock()
	reports.list = slices.DeleteFunc(reports.list, func(r *Report) bool {
		return len(r.Classes) == 1 && r.Classes[0] == class &&
			(r.Category == CategoryRecursive || r.Category == CategoryLeak || r.Category == CategoryDeadlock)
	})
	reports.Unlock()
}

// Names

// className returns the name of a class.
func className(class uint16) string {
	if class == 0 {
		return "(unclassified)"
	}
	src, _ := core.ClassSource(class)
	if parent, n, ok := src.Parent(); ok {
		return fmt.Sprintf("%s/%d", className(parent), n)
	}
	if src.Name != "" {
		return src.Name
	}
	if src.Type != 0 {
		return typeName(src.Type)
	}
	s := siteOf(src.PC)
	if name := sites[lineKey{s.File, s.Line}]; name != "" {
		return name // used before the table was read
	}
	dir, file := s.File, s.File
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		dir, file = file[:i], file[i+1:]
	}
	if pkg := packageOf(s.Func); pkg != "" {
		dir = pkg
	}
	return fmt.Sprintf("%s/%s:%d", dir, file, s.Line)
}

// packageOf returns the import path in a function's name.
func packageOf(fn string) string {
	slash := strings.LastIndexByte(fn, '/') + 1
	if dot := strings.IndexByte(fn[slash:], '.'); dot >= 0 {
		return fn[:slash+dot]
	}
	return ""
}

// typeName returns the name of C for the type word of a *C.
func typeName(word uintptr) string {
	var p any
	*(*uintptr)(unsafe.Pointer(&p)) = word
	t := reflect.TypeOf(p).Elem()
	if t.PkgPath() == "" || t.Name() == "" {
		return t.String()
	}
	return t.PkgPath() + "." + t.Name()
}

func siteOf(pc uintptr) Site {
	if s := sitesOf([]uintptr{pc}); len(s) > 0 && pc != 0 {
		return s[0]
	}
	return Site{Func: "?", File: "?"}
}

// sitesOf names the frames of a stack, without those of this package and of
// package runtime below and above the program's own.
func sitesOf(pcs []uintptr) []Site {
	if len(pcs) == 0 {
		return nil
	}
	var out []Site
	for frames := runtime.CallersFrames(pcs); ; {
		f, more := frames.Next()
		if f.Function != "" && !core.Ours(f.Function) && f.Function != "runtime.goexit" {
			out = append(out, Site{f.Function, f.File, f.Line})
		}
		if !more {
			return out
		}
	}
}
