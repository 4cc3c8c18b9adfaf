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
//
// # Category waitheld
//
// A goroutine waits under a lock for something that only another goroutine can
// bring about, and that one needs the lock first:
//
//	func (w *Worker) loop() {
//		defer close(w.done)
//		for {
//			select {
//			case <-w.ticker.C:
//				w.mu.Lock() // waits for Stop
//				w.flush()
//				w.mu.Unlock()
//			case <-w.stop:
//				return
//			}
//		}
//	}
//
//	func (w *Worker) Stop() {
//		w.mu.Lock()
//		defer w.mu.Unlock()
//		close(w.stop)
//		<-w.done // waits for loop
//	}
//
// Release the lock before the wait. A wait that has another way out (a select
// with a default, a timer or a cancellation case), a send that fits the
// channel's buffer, and an event that some signaller brings about without the
// lock are not reported.
//
// # Category leak
//
// A return, a continue or a goto leaves a lock held which the function's other
// paths release:
//
//	func (c *Cache) Get(k string) (int, error) {
//		c.mu.Lock()
//		v, ok := c.m[k]
//		if !ok {
//			return 0, errMissing // c.mu is held for ever
//		}
//		c.mu.Unlock()
//		return v, nil
//	}
//
// Release the lock on that path, or defer the release right after the
// acquisition. Where inserting the release before the return is safe, go vet
// -fix does it. A function that hands its lock on (it always returns with the
// lock held, says by its result that it does, or returns, stores or starts
// something that releases it) is not reported.
//
// # Category unlock
//
// A lock is released where no path can hold it, or in the wrong mode:
//
//	c.mu.RLock()
//	defer c.mu.Unlock() // want RUnlock
//
// Both end the program with a fatal error when they run.
package crossrelease
