//go:build lockdep

package lockdep

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// A dump (of the form dumpHeader) is the observed graph of one process as text, for lockvet report. The
// first line says which form it has, the last line is "end"; each other line
// is a record: its kind, then its fields, separated by single tabs. Strings are
// quoted as in Go. Records refer to classes and frames by number, and follow
// those that they refer to.
//
//	lockvet dump 1
//	process  PID  UNIX-TIME  GO-VERSION  GOOS/GOARCH  "EXECUTABLE"
//	frame    N  "FUNC"  "FILE"  LINE
//	class    N  KIND  "NAME"  FRAME            frame of its first use, 0 if it has a name
//	dep      FROM  TO  MODE  FROM-FRAME  TO-FRAME  GOROUTINE  STACK
//	pair     FROM  FROM-INSTANCE  TO  TO-INSTANCE  MODE  FROM-FRAME  TO-FRAME  GOROUTINE  SECOND-GOROUTINE
//	held     CLASS  INSTANCE  MODE  FRAME  GOROUTINE
//	report   "JSON of a Report"
//	blocked  "JSON of a goroutine that is blocked for good"     with the option leaks
//	full     TABLE
//	end
//
// KIND is mutex, rwmutex, event, or room: what those wait for who send on a
// channel, whose class otherwise has the name of the event that receivers wait
// for. MODE is that of an [Edge], or, in pairs, earlier->write and
// earlier->read: the goroutine that signals needed TO in an earlier iteration
// (with the option history). Such a pair has a dep record of its own, for its
// stack, which stands for no other instances. STACK is a list
// of frames, innermost first, separated by commas, or -. Instances are
// numbered within the process. SECOND-GOROUTINE is 0 if there was none.
// WriteDump writes the observed graph to w in the form that lockvet report
// reads.
func WriteDump(w io.Writer) error {
	reports.Lock()
	leaks := reports.options.Leaks
	reports.Unlock()
	return writeDump(w, leaks)
}

func writeDump(w io.Writer, leaks bool) error {
	core.Deliver()
	core.Quiet(true)
	defer core.Quiet(false)
	d := dumper{printer: printer{w: w}, frames: map[Site]int{}, leaks: leaks}
	exe, _ := os.Executable()
	d.f("%s\n", dumpHeader)
	d.f("process\t%d\t%d\t%s\t%s/%s\t%q\n", os.Getpid(), time.Now().Unix(), strings.ReplaceAll(runtime.Version(), "\t", " "), runtime.GOOS, runtime.GOARCH, exe)
	for c := 1; c <= core.NumClasses(); c++ {
		d.class(uint16(c))
	}
	core.EachDep(func(l core.Link) {
		from, to, stack := d.pc(l.FromPC), d.pc(l.ToPC), d.stack(l.Stack)
		d.f("dep\t%d\t%d\t%s\t%d\t%d\t%d\t%s\n", l.From, l.To, linkMode(l), from, to, l.Goid, stack)
	})
	core.EachPair(func(l core.Link, second uint64) {
		from, to := d.pc(l.FromPC), d.pc(l.ToPC)
		if l.Earlier {
			d.f("dep\t%d\t%d\t%s\t%d\t%d\t%d\t%s\n", l.From, l.To, linkMode(l), from, to, l.Goid, d.stack(l.Stack))
		}
		d.f("pair\t%d\t%d\t%d\t%d\t%s\t%d\t%d\t%d\t%d\n", l.From, l.FromInst, l.To, l.ToInst, linkMode(l), from, to, l.Goid, second)
	})
	core.EachHeld(func(h core.HeldLock) {
		at := d.pc(h.PC)
		d.f("held\t%d\t%d\t%s\t%d\t%d\n", h.Class, h.Inst, modeName(h.Mode), at, h.Goid)
	})
	for _, r := range Reports(Weak, Medium, Strong) {
		text, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("lockdep: writing a report: %w", err)
		}
		d.f("report\t%q\n", text)
	}
	if d.leaks {
		if err := d.blocked(); err != nil {
			return err
		}
	}
	for t, name := range core.TableNames {
		if core.FullTable(t) {
			d.f("full\t%s\n", name)
		}
	}
	d.f("end\n")
	return d.err
}

// dumper numbers frames as they come.
type dumper struct {
	printer
	frames map[Site]int
	leaks  bool // with the goroutines that are blocked for good
}

func (d *dumper) frame(s Site) int {
	n := d.frames[s]
	if n == 0 {
		n = len(d.frames) + 1
		d.frames[s] = n
		d.f("frame\t%d\t%q\t%q\t%d\n", n, s.Func, s.File, s.Line)
	}
	return n
}

func (d *dumper) pc(pc uintptr) int {
	if pc == 0 {
		return 0
	}
	return d.frame(siteOf(pc))
}

func (d *dumper) stack(pcs []uintptr) string {
	var list []string
	for _, s := range sitesOf(pcs) {
		list = append(list, fmt.Sprint(d.frame(s)))
	}
	if len(list) == 0 {
		return "-"
	}
	return strings.Join(list, ",")
}

func (d *dumper) class(c uint16) {
	src, props := core.ClassSource(c)
	name, at := className(c), 0
	if src.Name == "" && src.Type == 0 {
		at = d.pc(src.PC)
	}
	d.f("class\t%d\t%s\t%q\t%d\n", c, kindName(props), name, at)
}

func kindName(props uint32) string {
	switch {
	case props&core.Room != 0:
		return "room"
	case props&core.Event != 0:
		return "event"
	case props&core.RW != 0:
		return "rwmutex"
	}
	return "mutex"
}

func linkMode(l core.Link) string {
	from, to := modeName(l.FromMode), modeName(l.ToMode)
	if l.Wait {
		to = "wait"
	}
	if l.Signal {
		from = "signal"
	}
	if l.Earlier {
		from = "earlier"
	}
	return from + "->" + to
}

// dumpDir is where each process writes its dump: LOCKDEPDIR.
var dumpDir = func() string {
	dir := os.Getenv("LOCKDEPDIR")
	if dir == "" {
		return ""
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs // the program may go elsewhere
	}
	return dir
}()

var dumping struct {
	sync.Mutex
	name string
}

// dumpToDir writes the dump of this process to its file in dir, which it
// replaces.
func dumpToDir(dir string) error {
	dumping.Lock()
	defer dumping.Unlock()
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // in vain once it has its name
	w := bufio.NewWriter(f)
	err = WriteDump(w)
	if err == nil {
		err = w.Flush()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	if dumping.name == "" {
		dumping.name = filepath.Join(dir, fmt.Sprintf("%d-%d.lockdep", os.Getpid(), time.Now().UnixNano()))
	}
	return os.Rename(f.Name(), dumping.name)
}

// dumpAtExit does it once more, and says so where that fails.
func dumpAtExit() {
	core.Deliver()
	core.Quiet(true)
	defer core.Quiet(false)
	if err := dumpToDir(dumpDir); err != nil {
		fmt.Fprintf(os.Stderr, "lockdep: LOCKDEPDIR: what was observed is lost: %v\n", err)
		// go test shows nothing of a package that passes: leave a note, which
		// has room where a dump has none.
		os.WriteFile(filepath.Join(dumpDir, fmt.Sprintf("%d.lost", os.Getpid())), []byte(err.Error()), 0o666)
	}
}
