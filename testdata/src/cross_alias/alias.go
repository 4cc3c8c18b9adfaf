// Package cross_alias holds events that are followed through parameters,
// results, fields and other channels.
package cross_alias

import "sync"

// The channel is a local, and is given to the goroutine as a parameter.
type A struct {
	mu sync.Mutex
	n  int
}

func (a *A) work(done chan<- struct{}) {
	a.mu.Lock()
	a.n++
	a.mu.Unlock()
	close(done)
}

func (a *A) Run() {
	done := make(chan struct{})
	go a.work(done)
	a.mu.Lock()
	defer a.mu.Unlock()
	<-done // want `wait under lock: waits for .*done while cross_alias\.A\.mu is held`
}

// The channel is the result of the function that starts the goroutine.
type B struct {
	mu sync.Mutex
	n  int
}

func (b *B) start() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.mu.Lock()
		b.n++
		b.mu.Unlock()
	}()
	return done
}

func (b *B) Run() {
	done := b.start()
	b.mu.Lock()
	<-done // want `wait under lock: waits for .*done while cross_alias\.B\.mu is held`
	b.mu.Unlock()
}

// A WaitGroup is given by its address.
type C struct {
	mu sync.Mutex
	n  int
}

func (c *C) work(wg *sync.WaitGroup) {
	defer wg.Done()
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
}

func (c *C) Run() {
	var wg sync.WaitGroup
	wg.Add(1)
	go c.work(&wg)
	c.mu.Lock()
	defer c.mu.Unlock()
	wg.Wait() // want `wait under lock: waits for .*wg while cross_alias\.C\.mu is held`
}

// The reply channel travels in a request.
type D struct {
	mu   sync.Mutex
	reqs chan request
	n    int
}

type request struct{ reply chan int }

func NewD() *D {
	d := &D{reqs: make(chan request, 16)}
	go d.serve()
	return d
}

func (d *D) serve() {
	for r := range d.reqs {
		d.mu.Lock()
		d.n++
		d.mu.Unlock()
		r.reply <- d.n
	}
}

func (d *D) Ask() int {
	r := request{reply: make(chan int)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reqs <- r
	return <-r.reply // want `wait under lock: waits for cross_alias\.request\.reply while cross_alias\.D\.mu is held`
}

// Silent: the local channel of another function of that name.
type E struct {
	mu sync.Mutex
	n  int
}

func (e *E) First() {
	done := make(chan struct{})
	go func() {
		e.mu.Lock()
		e.n++
		e.mu.Unlock()
		close(done)
	}()
	<-done
}

// Silent: see First.
func (e *E) Second() {
	done := make(chan struct{})
	go close(done)
	e.mu.Lock()
	<-done
	e.mu.Unlock()
}
