//go:build lockdep

package lockdep

import (
	"sync/atomic"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// A ResourceClass is the class of some resources. Only resources of a class
// are tracked, and only while that is switched on.
type ResourceClass struct {
	name string
	kind Kind
	off  atomic.Bool
	core atomic.Uint32
}

// NewResourceClass makes a class, which is tracked unless LOCKDEP=resources=0.
func NewResourceClass(name string, kind Kind) *ResourceClass {
	c := &ResourceClass{name: name, kind: kind}
	c.Track(true)
	return c
}

// Track switches tracking of resources that are initialized from now on.
func (c *ResourceClass) Track(on bool) {
	reports.Lock()
	on = on && reports.options.Resources && core.On()
	reports.Unlock()
	if on && c.core.Load() == 0 {
		props := core.RW // its holders may share it
		if c.kind == Handoff {
			props = core.Event
		}
		c.core.Store(uint32(core.ClassByName(c.name, props|core.Instances)))
	}
	c.off.Store(!on)
}

// Init makes r a resource of the class. It must not be in use.
func (c *ResourceClass) Init(r *Resource) {
	r.id = 0
	if !c.off.Load() {
		r.id = core.NewID(uint16(c.core.Load()))
	}
}

// A Resource is the tracking state of anything that is acquired and released,
// or waited for and signalled: a page, a file lock, a lease, a row, a channel.
// It takes 8 bytes. The zero value is not tracked; [ResourceClass.Init] makes
// it so. It must not be copied while in use.
type Resource struct{ id uint64 }

// Acquire notes that the calling goroutine is about to acquire r and may block.
//
//go:noinline
func (r *Resource) Acquire(m Mode) {
	if r.id == 0 {
		return
	}
	core.AcquireID(r.id, uint8(m), core.Caller())
}

// Acquired notes that the calling goroutine acquired r without being able to
// block, by a try.
//
//go:noinline
func (r *Resource) Acquired(m Mode) {
	if r.id == 0 {
		return
	}
	core.TryAcquiredID(r.id, uint8(m), core.Caller())
}

// Release notes that r is released, by its owner or by another goroutine.
func (r *Resource) Release() {
	if r.id != 0 {
		core.ReleaseID(r.id)
	}
}

// Wait notes that the calling goroutine is about to wait for r to be signalled,
// without a bound on the time. Do not call it for waits that can time out.
//
//go:noinline
func (r *Resource) Wait() {
	if r.id != 0 {
		core.WaitID(r.id, core.Caller())
	}
}

// Signal notes that the calling goroutine makes happen what r's waiters wait
// for.
func (r *Resource) Signal() {
	if r.id != 0 {
		core.SignalID(r.id)
	}
}
