//go:build lockdep

package lockdep

// SetFindLeaked does what the overlay does in test binaries.
func SetFindLeaked(f func()) { findLeaked = f }
