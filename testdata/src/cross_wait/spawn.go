package cross_wait

import (
	"sync"

	"golang.org/x/sync/errgroup"
)

// Goroutines that are started in the critical section that waits for them.

type Muster struct {
	mu sync.Mutex
	n  int
}

func (c *Muster) Literal() {
	done := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	go func() {
		c.mu.Lock()
		c.n++
		c.mu.Unlock()
		close(done)
	}()
	<-done // want `wait under lock: waits for cross_wait\.Muster\.Literal\.done while cross_wait\.Muster\.mu is held`
}

func (c *Muster) work(done chan struct{}) {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
	close(done)
}

func (c *Muster) Method() {
	c.mu.Lock()
	done := make(chan struct{})
	go c.work(done)
	<-done // want `wait under lock: waits for cross_wait\.Muster\.Method\.done while cross_wait\.Muster\.mu is held`
	c.mu.Unlock()
}

func (c *Muster) Group() {
	var wg sync.WaitGroup
	c.mu.Lock()
	defer c.mu.Unlock()
	for range 3 {
		wg.Go(func() {
			c.mu.Lock()
			c.n++
			c.mu.Unlock()
		})
	}
	wg.Wait() // want `wait under lock: waits for cross_wait\.Muster\.Group\.wg while cross_wait\.Muster\.mu is held`
}

func (c *Muster) Counted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.mu.Lock()
			c.n++
			c.mu.Unlock()
		}()
	}
	wg.Wait() // want `wait under lock: waits for cross_wait\.Muster\.Counted\.wg while cross_wait\.Muster\.mu is held`
}

func (c *Muster) Errors() error {
	var g errgroup.Group
	c.mu.Lock()
	defer c.mu.Unlock()
	g.Go(func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.n++
		return nil
	})
	return g.Wait() // want `wait under lock: waits for cross_wait\.Muster\.Errors\.g while cross_wait\.Muster\.mu is held`
}

// Silent: the goroutines need another lock.
func (c *Muster) Sum(parts []int) int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			sum += n
			mu.Unlock()
		}()
	}
	wg.Wait()
	return sum + c.n
}

func (c *Muster) Result() int {
	out := make(chan int, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	go func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		out <- c.n
	}()
	return <-out // want `wait under lock: waits for cross_wait\.Muster\.Result\.out while cross_wait\.Muster\.mu is held`
}

// Silent: the goroutine needs the lock only when it has signalled.
func (c *Muster) After() {
	done := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	go func() {
		close(done)
		c.mu.Lock()
		c.n++
		c.mu.Unlock()
	}()
	<-done
}

// Silent: the lock is given up before the wait.
func (c *Muster) Before() {
	done := make(chan struct{})
	c.mu.Lock()
	c.n = 0
	c.mu.Unlock()
	go c.work(done)
	<-done
}

// Silent: each muster's goroutine needs the lock of another muster.
func (c *Muster) Other(o *Muster) {
	done := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	go func() {
		o.mu.Lock()
		o.n++
		o.mu.Unlock()
		close(done)
	}()
	<-done
}

// Silent: it signals itself, in the section in which it waits.
func (c *Muster) Own() {
	done := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	done <- struct{}{}
	<-done
}
