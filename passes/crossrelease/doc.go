// Package crossrelease defines an analyzer that finds waits under a lock which
// the awaited side needs, and locks that are not released.
//
// # Analyzer crossrelease
//
// crossrelease: find waits under locks that the signaller needs, and leaked locks
//
// A goroutine that waits for an event (a channel, a WaitGroup, a Cond, a Once)
// while it holds a lock deadlocks if whoever makes the event happen has to
// acquire that lock first. The analyzer also reports locks that a return leaves
// held, and unlocks of locks that cannot be held.
package crossrelease
