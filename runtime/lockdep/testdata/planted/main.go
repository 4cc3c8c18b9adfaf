// Planted has a data race that two different locks seem to guard. The race
// detector must see it although lockdep watches the locks.
package main

import "github.com/lockvet/lockvet/runtime/lockdep"

var (
	a, b, c lockdep.Mutex
	rw      lockdep.RWMutex
	wg      lockdep.WaitGroup
	shared  int
)

func main() {
	wg.Add(2)
	// One after the other in time, with nothing that orders them: a channel or
	// the WaitGroup would.
	go func() {
		c.Lock()
		a.Lock()
		shared++
		a.Unlock()
		c.Unlock()
		wg.Done()
	}()
	go func() {
		rw.RLock()
		b.Lock()
		shared++
		b.Unlock()
		rw.RUnlock()
		wg.Done()
	}()
	wg.Wait()
}
