package lockdep_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// TestSynctest runs the types in a bubble: the engine has no goroutine and no
// timer that would keep one from being idle.
func TestSynctest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu lockdep.Mutex
		var wg lockdep.WaitGroup
		c := lockdep.NewCond(&mu)
		ready := false
		wg.Go(func() {
			mu.Lock()
			for !ready {
				c.Wait()
			}
			mu.Unlock()
		})
		synctest.Wait()
		start := time.Now()
		time.Sleep(time.Hour)
		mu.Lock()
		ready = true
		c.Signal()
		mu.Unlock()
		wg.Wait()
		if d := time.Since(start); d != time.Hour {
			t.Errorf("slept for %v", d)
		}
	})
}
