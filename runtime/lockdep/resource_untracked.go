//go:build !lockdep

package lockdep

// A ResourceClass is the class of some resources. Without the tag lockdep
// nothing of it is tracked.
type ResourceClass struct{}

// NewResourceClass makes a class.
func NewResourceClass(name string, kind Kind) *ResourceClass { return &ResourceClass{} }

// Track does nothing without the tag lockdep.
func (c *ResourceClass) Track(on bool) {}

// Init does nothing without the tag lockdep.
func (c *ResourceClass) Init(r *Resource) {}

// A Resource is the tracking state of anything that is acquired and released,
// or waited for and signalled. Without the tag lockdep it is empty.
type Resource struct{}

// Acquire does nothing without the tag lockdep.
func (r *Resource) Acquire(m Mode) {}

// Acquired does nothing without the tag lockdep.
func (r *Resource) Acquired(m Mode) {}

// Release does nothing without the tag lockdep.
func (r *Resource) Release() {}

// Wait does nothing without the tag lockdep.
func (r *Resource) Wait() {}

// Signal does nothing without the tag lockdep.
func (r *Resource) Signal() {}
