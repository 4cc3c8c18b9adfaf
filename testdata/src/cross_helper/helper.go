// Package cross_helper holds waits that sit in helpers, closures and interface
// methods, under the lock of an outer function.
package cross_helper

import "sync"

// A helper two calls away.
type A struct {
	mu sync.Mutex
	wg sync.WaitGroup
	n  int
}

func (a *A) Start() {
	a.wg.Add(1)
	go func() {
		defer a.wg.Done()
		a.step()
	}()
}

func (a *A) step() { a.inc() }

func (a *A) inc() {
	a.mu.Lock()
	a.n++
	a.mu.Unlock()
}

func (a *A) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.join() // want `wait under lock: waits for cross_helper\.A\.wg while cross_helper\.A\.mu is held`
}

func (a *A) join() { a.join2() }

func (a *A) join2() { a.wg.Wait() }

// A closure called at once, which also takes the lock.
type B struct {
	mu   sync.Mutex
	done chan struct{}
	n    int
}

func NewB() *B {
	b := &B{done: make(chan struct{})}
	go b.loop()
	return b
}

func (b *B) loop() {
	defer close(b.done)
	for range 3 {
		b.mu.Lock()
		b.n++
		b.mu.Unlock()
	}
}

func (b *B) Stop() error {
	return func() error {
		b.mu.Lock()
		defer b.mu.Unlock()
		<-b.done // want `wait under lock: waits for cross_helper\.B\.done while cross_helper\.B\.mu is held`
		return nil
	}()
}

// A closure given to Once.Do, under the lock of the outer function.
type C struct {
	mu   sync.Mutex
	once sync.Once
	wg   sync.WaitGroup
	n    int
}

func (c *C) Start() {
	c.wg.Add(1)
	go c.run()
}

func (c *C) run() {
	defer c.wg.Done()
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
}

func (c *C) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.once.Do(func() { // want `wait under lock: waits for cross_helper\.C\.wg while cross_helper\.C\.mu is held`
		c.wg.Wait()
	})
}

// An interface with one implementation.
type joiner interface{ join() }

type D struct {
	mu sync.Mutex
	j  joiner
	n  int
}

type crew struct {
	wg sync.WaitGroup
}

func (c *crew) join() { c.wg.Wait() }

func NewD() *D {
	c := &crew{}
	d := &D{j: c}
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		d.mu.Lock()
		d.n++
		d.mu.Unlock()
	}()
	return d
}

func (d *D) Close() {
	d.mu.Lock()
	d.j.join() // want `wait under lock: waits for cross_helper\.crew\.wg while cross_helper\.D\.mu is held`
	d.mu.Unlock()
}

// Silent: the helper gives up the lock of its caller around the wait.
type E struct {
	mu sync.Mutex
	wg sync.WaitGroup
	n  int
}

func (e *E) Start() {
	e.wg.Add(1)
	go func() {
		defer e.wg.Done()
		e.mu.Lock()
		e.n++
		e.mu.Unlock()
	}()
}

func (e *E) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.joinLocked()
}

func (e *E) joinLocked() {
	e.mu.Unlock()
	e.wg.Wait()
	e.mu.Lock()
}

// Silent: the closure is returned, not called under the lock.
type F struct {
	mu sync.Mutex
	wg sync.WaitGroup
	n  int
}

func (f *F) Start() (wait func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wg.Add(1)
	go func() {
		defer f.wg.Done()
		f.mu.Lock()
		f.n++
		f.mu.Unlock()
	}()
	return func() { f.wg.Wait() }
}
