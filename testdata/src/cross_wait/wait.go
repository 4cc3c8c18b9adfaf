// Package cross_wait holds waits under a lock that the signaller takes before
// it signals.
package cross_wait

import (
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Close waits for a goroutine that locks on its way to Done.
type Worker struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	n    int
	work chan int
}

func (w *Worker) Start() {
	w.wg.Add(1)
	go w.run()
}

func (w *Worker) run() {
	defer w.wg.Done()
	for range w.work {
		w.mu.Lock()
		w.n++
		w.mu.Unlock()
	}
}

func (w *Worker) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wg.Wait() // want `wait under lock: waits for cross_wait\.Worker\.wg while cross_wait\.Worker\.mu is held, which its signaller needs at .*wait\.go:28:\d+ before it signals \[crossrelease/waitheld LV-[0-9a-f]{8}\]`
}

// The same with a channel that the goroutine closes.
type Closer struct {
	mu   sync.Mutex
	done chan struct{}
	n    int
}

func NewCloser() *Closer {
	c := &Closer{done: make(chan struct{})}
	go c.run()
	return c
}

func (c *Closer) run() {
	defer close(c.done)
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
}

func (c *Closer) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	<-c.done // want `wait under lock: waits for cross_wait\.Closer\.done while cross_wait\.Closer\.mu is held, which its signaller needs at .*wait\.go:\d+:\d+ before it signals`
}

// The same with an errgroup.
type Crew struct {
	mu sync.Mutex
	g  errgroup.Group
	n  int
}

func (c *Crew) Start() {
	c.g.Go(func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.n++
		return nil
	})
}

func (c *Crew) Shutdown() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.g.Wait() // want `wait under lock: waits for cross_wait\.Crew\.g while cross_wait\.Crew\.mu is held`
}

// The same with WaitGroup.Go.
type Gang struct {
	mu sync.Mutex
	wg sync.WaitGroup
	n  int
}

func (g *Gang) Start() {
	g.wg.Go(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.n++
	})
}

func (g *Gang) Stop() {
	g.mu.Lock()
	g.wg.Wait() // want `wait under lock: waits for cross_wait\.Gang\.wg while cross_wait\.Gang\.mu is held`
	g.mu.Unlock()
}

// A loop whose ticker case locks and whose stop case ends it.
type Poller struct {
	mu   sync.Mutex
	stop chan struct{}
	done chan struct{}
	n    int
}

func (p *Poller) Start() {
	p.stop = make(chan struct{})
	p.done = make(chan struct{})
	go p.loop()
}

func (p *Poller) loop() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	defer close(p.done)
	for {
		select {
		case <-t.C:
			p.tick()
		case <-p.stop:
			return
		}
	}
}

func (p *Poller) tick() {
	p.mu.Lock()
	p.n++
	p.mu.Unlock()
}

func (p *Poller) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.stop)
	<-p.done // want `wait under lock: waits for cross_wait\.Poller\.done while cross_wait\.Poller\.mu is held`
}

// The lock is that of another object.
type Pool struct {
	mu   sync.Mutex
	free int
}

type Job struct {
	pool *Pool
	done chan bool
}

func (j *Job) Start() {
	j.done = make(chan bool)
	go func() {
		j.pool.put()
		close(j.done)
	}()
}

func (p *Pool) put() {
	p.mu.Lock()
	p.free++
	p.mu.Unlock()
}

func (j *Job) Finish() {
	j.pool.mu.Lock()
	<-j.done // want `wait under lock: waits for cross_wait\.Job\.done while cross_wait\.Pool\.mu is held`
	j.pool.mu.Unlock()
}

// A local event and a local lock.
func Gather(xs []int) (sum int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, x := range xs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			sum += x
			mu.Unlock()
		}()
	}
	mu.Lock()
	defer mu.Unlock()
	wg.Wait() // want `wait under lock: waits for cross_wait\.Gather\.wg while cross_wait\.Gather\.mu is held`
	return sum
}

// range over a channel waits for its close.
type Stream struct {
	mu  sync.Mutex
	out chan int
	n   int
}

func (s *Stream) Start() {
	s.out = make(chan int)
	go func() {
		defer close(s.out)
		for i := range 10 {
			s.mu.Lock()
			s.n = i
			s.mu.Unlock()
			s.out <- i
		}
	}()
}

func (s *Stream) Drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range s.out { // want `wait under lock: waits for cross_wait\.Stream\.out while cross_wait\.Stream\.mu is held`
	}
}
