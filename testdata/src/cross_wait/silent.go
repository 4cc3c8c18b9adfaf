package cross_wait

import (
	"sync"
	"time"
)

type Calm struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	stop chan struct{}
	n    int
}

// Silent: a goroutine is started with the lock held and takes it, but nobody
// waits for it with the lock held.
func (c *Calm) Start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wg.Add(1)
	go c.run()
}

func (c *Calm) run() {
	defer c.wg.Done()
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
}

// Silent: the lock is given up before the wait.
func (c *Calm) Stop() {
	c.mu.Lock()
	close(c.stop)
	c.mu.Unlock()
	c.wg.Wait()
}

// Silent: given up around the wait, though a deferred unlock stands above it.
func (c *Calm) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = 0
	c.mu.Unlock()
	c.wg.Wait()
	c.mu.Lock()
}

type After struct {
	mu   sync.Mutex
	done chan struct{}
	n    int
}

// Silent: the signaller takes the lock only after the signal.
func (a *After) Start() {
	a.done = make(chan struct{})
	go func() {
		close(a.done)
		a.mu.Lock()
		a.n++
		a.mu.Unlock()
	}()
}

// Silent: see Start.
func (a *After) Wait() {
	a.mu.Lock()
	defer a.mu.Unlock()
	<-a.done
}

type Fork struct {
	mu   sync.Mutex
	done chan struct{}
	n    int
}

// Silent: the branch that locks does not reach the signal.
func (f *Fork) Start(dry bool) {
	f.done = make(chan struct{})
	go func() {
		if dry {
			f.mu.Lock()
			f.n++
			f.mu.Unlock()
			select {}
		}
		close(f.done)
	}()
}

// Silent: see Start.
func (f *Fork) Wait() {
	f.mu.Lock()
	defer f.mu.Unlock()
	<-f.done
}

type Free struct {
	mu   sync.Mutex
	done chan struct{}
}

// Silent: the signaller needs no lock.
func (f *Free) Start() {
	f.done = make(chan struct{})
	go func() {
		time.Sleep(time.Second)
		close(f.done)
	}()
}

// Silent: see Start.
func (f *Free) Wait() {
	f.mu.Lock()
	defer f.mu.Unlock()
	<-f.done
}

type Past struct {
	mu sync.Mutex
	n  int
}

// Silent: the goroutine takes the lock before it says so on ready, and the wait
// under the lock begins after that.
func (p *Past) Run() {
	ready := make(chan struct{})
	done := make(chan struct{})
	go func() {
		p.mu.Lock()
		p.n++
		p.mu.Unlock()
		close(ready)
		close(done)
	}()
	<-ready
	p.mu.Lock()
	<-done
	p.mu.Unlock()
}

type Other struct {
	mu   sync.Mutex
	out  sync.Mutex
	done chan struct{}
	n    int
}

// Silent: the signaller takes another lock than the waiter holds.
func (o *Other) Start() {
	o.done = make(chan struct{})
	go func() {
		o.out.Lock()
		o.n++
		o.out.Unlock()
		close(o.done)
	}()
}

// Silent: see Start.
func (o *Other) Wait() {
	o.mu.Lock()
	defer o.mu.Unlock()
	<-o.done
}

// Watch is told of the state as soon as it has registered.
type Watch struct {
	mu     sync.Mutex
	in     chan bool
	active bool
	hub    *hub
}

type hub struct{ all []chan bool }

func (h *hub) register(c chan bool, active bool) {
	h.all = append(h.all, c)
	tell(c, active)
}

func tell(c chan bool, active bool) {
	select {
	case c <- active:
	default:
	}
}

// Silent: what it waits for it has been sent already.
func (w *Watch) Lead() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.in = make(chan bool, 8)
	w.hub.register(w.in, true)
	w.active = <-w.in
}

func (w *Watch) Update() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hub.register(w.in, w.active)
}

// Listen has another one tell it.
type Listen struct {
	mu     sync.Mutex
	in     chan bool
	active bool
	board  *board
}

type board struct{ all []chan bool }

func (b *board) register(c chan bool, active bool) {
	b.all = append(b.all, c)
	inform(c, active)
}

func inform(c chan bool, active bool) { c <- active }

func NewListen() *Listen { return &Listen{in: make(chan bool), board: &board{}} }

func (l *Listen) Lead() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active = <-l.in // want `wait under lock: waits for cross_wait\.Listen\.in while cross_wait\.Listen\.mu is held`
}

func (l *Listen) Update() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.board.register(l.in, l.active) // want `wait under lock: waits for cross_wait\.Listen\.in while cross_wait\.Listen\.mu is held`
}
