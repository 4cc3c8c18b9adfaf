//go:build !lockdep

package lockdep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Types of package sync, untracked: this program was built without the tag
// lockdep.
type (
	Locker    = sync.Locker
	Mutex     = sync.Mutex
	RWMutex   = sync.RWMutex
	Cond      = sync.Cond
	WaitGroup = sync.WaitGroup
	Once      = sync.Once
)

// A MutexOf is a Mutex whose class, with the tag lockdep, is named after C.
type MutexOf[C any] = sync.Mutex

// A RWMutexOf is an RWMutex whose class, with the tag lockdep, is named after C.
type RWMutexOf[C any] = sync.RWMutex

// NewCond is sync.NewCond.
func NewCond(l Locker) *Cond { return sync.NewCond(l) }

// OnceFunc is sync.OnceFunc.
func OnceFunc(f func()) func() { return sync.OnceFunc(f) }

// OnceValue is sync.OnceValue.
func OnceValue[T any](f func() T) func() T { return sync.OnceValue(f) }

// OnceValues is sync.OnceValues.
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) { return sync.OnceValues(f) }

var errUntagged = errors.New("lockdep: this program was built without -tags lockdep: nothing is tracked")

func init() {
	if o := fromEnvironment(); os.Getenv("LOCKDEP") != "" && o.Enabled {
		fmt.Fprintln(os.Stderr, "lockdep: LOCKDEP is set, but this program was built without -tags lockdep: nothing is tracked")
	}
}

// Enabled reports whether lock operations are tracked: not in this program.
func Enabled() bool { return false }

// SetClass does nothing without the tag lockdep.
func SetClass(l any, name string) {}

// Lock locks l. Without the tag lockdep it does not matter how.
func Lock(l Locker, how ...How) { l.Lock() }

// RLock locks l for reading. Without the tag lockdep it does not matter how.
func RLock(l interface{ RLock() }, how ...How) { l.RLock() }

// AssertHeld does nothing without the tag lockdep.
func AssertHeld(l any) {}

// AssertRHeld does nothing without the tag lockdep.
func AssertRHeld(l any) {}

// AssertNotHeld does nothing without the tag lockdep.
func AssertNotHeld(l any) {}

// Pin does nothing without the tag lockdep.
func Pin(l any) Cookie { return Cookie{} }

// Unpin does nothing without the tag lockdep.
func Unpin(l any, c Cookie) {}

// SetOptions returns an error without the tag lockdep.
func SetOptions(list string) error { return errUntagged }

// Reports returns nothing without the tag lockdep.
func Reports(levels ...Level) []Report { return nil }

// Reset does nothing without the tag lockdep.
func Reset() {}

// OnReport does nothing without the tag lockdep.
func OnReport(f func(*Report)) {}

// CheckGoroutines does nothing without the tag lockdep.
func CheckGoroutines() {}

// Snapshot returns an empty graph without the tag lockdep.
func Snapshot() Graph { return Graph{} }

// WriteDump writes an empty dump without the tag lockdep.
func WriteDump(w io.Writer) error {
	_, err := io.WriteString(w, dumpHeader+"\nend\n")
	return err
}

// ReadStats returns no counters without the tag lockdep.
func ReadStats() Stats { return Stats{} }
