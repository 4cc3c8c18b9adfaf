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
// A goroutine waits with a lock held, and what it waits for needs that lock:
//
//	func (p *Poller) Stop() {
//		p.mu.Lock()
//		defer p.mu.Unlock()
//		close(p.stop)
//		<-p.done // waits for loop with p.mu held
//	}
//
//	func (p *Poller) loop() {
//		defer close(p.done)
//		for {
//			select {
//			case <-p.tick.C:
//				p.poll() // acquires p.mu
//			case <-p.stop:
//				return
//			}
//		}
//	}
//
// If the tick comes first, loop waits for the lock, and Stop for loop, for ever.
// The finding shows both sides: how the waiter comes to hold the lock and to
// wait, and where the signaller starts, acquires the lock and signals.
//
// Waits are those for channels (send, receive, range, select), WaitGroup.Wait,
// errgroup's Wait, Cond.Wait, which gives up its own lock and no other, and
// semaphore.Weighted's Acquire. A send is reported if no receiver can come; a
// receive if no sender can; a WaitGroup if one of those that it waits for may
// block on the lock, and so a channel that is only ever closed. A receiver that
// leaves its loop by way of the lock counts: nobody receives while it waits.
//
// The analyzer stays silent where a select has a default, a timer or a context
// to end it, where the buffer has room for the sends of one critical section (a
// buffer of one, made for each object, has room for that object's result),
// where another signaller needs no lock, where the signaller is surely past the
// lock, and where it cannot see who signals. A sync.Once is a lock to it: waits
// for one are findings of lockorder.
//
// Release the lock before the wait. Where the wait must be under it, let the
// signaller do what needs the lock after its signal, or under another lock, or
// give the wait a way out.
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
// acquisition. Where one of the two is safe, go vet -fix does it: the release
// before a return that reads nothing the lock guards, or a defer in place of the
// only release, if nothing but a return comes after that. A function that hands its lock on (it always returns with the
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
