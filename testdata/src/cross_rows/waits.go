// Package cross_rows holds the shapes of known waits and leaks, reduced to what
// each asks of the analysis. The numbers are those of the corpus table.
package cross_rows

import (
	"context"
	"sync"
	"time"
)

// Row 15: the least case.
type Client15 struct {
	mu   sync.Mutex
	stop chan struct{}
	wg   sync.WaitGroup
	buf  []byte
}

func New15() *Client15 {
	c := &Client15{stop: make(chan struct{})}
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		c.watch()
	}()
	return c
}

func (c *Client15) watch() {
	t := time.NewTicker(time.Second)
	for {
		select {
		case <-t.C:
			c.mu.Lock()
			c.buf = nil
			c.mu.Unlock()
		case <-c.stop:
			t.Stop()
			return
		}
	}
}

func (c *Client15) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.stop)
	c.wg.Wait() // want `wait under lock: waits for cross_rows\.Client15\.wg while cross_rows\.Client15\.mu is held`
}

// Row 50: lock and wait inside a function literal called at once; the flush
// loop closes done by a defer, and its ticker case syncs under the lock.
type Writer50 struct {
	mu   sync.Mutex
	stop chan struct{}
	done chan struct{}
	tick *time.Ticker
	n    int
	on   bool
}

func (w *Writer50) init() {
	w.tick = time.NewTicker(time.Second)
	w.stop = make(chan struct{})
	w.done = make(chan struct{})
	w.on = true
	go w.loop()
}

func (w *Writer50) Write(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.on {
		w.init()
	}
	w.n += n
}

func (w *Writer50) Sync() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n = 0
}

func (w *Writer50) loop() {
	defer close(w.done)
	for {
		select {
		case <-w.tick.C:
			w.Sync()
		case <-w.stop:
			return
		}
	}
}

func (w *Writer50) Stop() {
	func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !w.on {
			return
		}
		w.tick.Stop()
		close(w.stop)
		<-w.done // want `wait under lock: waits for cross_rows\.Writer50\.done while cross_rows\.Writer50\.mu is held`
	}()
	w.Sync()
}

// Row 51: unlock and relock inside a loop before the wait; the goroutine
// captures the local that the constructor returns.
type Item51 struct{ n int }

func (i *Item51) close() { i.n = 0 }

type Group51 struct {
	mu    sync.Mutex
	wg    sync.WaitGroup
	quit  chan struct{}
	items []*Item51
}

func New51() *Group51 {
	g := &Group51{quit: make(chan struct{})}
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		t := time.NewTicker(time.Second)
		for {
			select {
			case <-t.C:
				g.kick()
			case <-g.quit:
				return
			}
		}
	}()
	return g
}

func (g *Group51) kick() {
	g.mu.Lock()
	g.items = nil
	g.mu.Unlock()
}

func (g *Group51) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, i := range g.items {
		g.mu.Unlock()
		i.close()
		g.mu.Lock()
	}
	close(g.quit)
	g.wg.Wait() // want `wait under lock: waits for cross_rows\.Group51\.wg while cross_rows\.Group51\.mu is held`
}

// Silent: the fix: explicit unlock around the wait, the deferred one stays.
type Fixed51 struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	quit chan struct{}
	n    int
}

func (f *Fixed51) Start() {
	f.wg.Go(func() {
		for range f.quit {
			f.mu.Lock()
			f.n++
			f.mu.Unlock()
		}
	})
}

func (f *Fixed51) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.quit)
	f.mu.Unlock()
	f.wg.Wait()
	f.mu.Lock()
	f.n = 0
}

// Row 52: a send to the only receiver, whose other cases lock.
type Sender52 struct {
	mu    sync.Mutex
	reset chan struct{}
	stop  chan struct{}
	n     int
}

func New52() *Sender52 {
	return &Sender52{reset: make(chan struct{}), stop: make(chan struct{})}
}

func (s *Sender52) Start() {
	t := time.NewTimer(time.Second)
	go func() {
		for {
			select {
			case <-s.stop:
				s.mu.Lock()
				s.n = 0
				s.mu.Unlock()
				return
			case <-t.C:
				s.mu.Lock()
				s.n = 0
				s.mu.Unlock()
				t.Reset(time.Second)
			case <-s.reset:
				t.Reset(time.Second)
			}
		}
	}()
}

func (s *Sender52) Send(n int) {
	s.mu.Lock()
	s.n += n
	if s.n > 10 {
		s.n = 0
		s.resetTimer() // want `wait under lock: waits for cross_rows\.Sender52\.reset while cross_rows\.Sender52\.mu is held`
	}
	s.mu.Unlock()
}

func (s *Sender52) resetTimer() { s.reset <- struct{}{} }

// Row 53: the goroutine is started by a closure given to Once.Do.
type Logger53 struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	once sync.Once
	quit chan struct{}
	n    int
}

func (l *Logger53) Start() {
	l.once.Do(func() {
		l.quit = make(chan struct{})
		l.wg.Add(1)
		go l.rotate()
	})
}

func (l *Logger53) rotate() {
	defer l.wg.Done()
	t := time.NewTimer(time.Hour)
	for {
		select {
		case <-l.quit:
			return
		case <-t.C:
			l.mu.Lock()
			l.n++
			l.mu.Unlock()
		}
	}
}

func (l *Logger53) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.quit)
	l.wg.Wait() // want `wait under lock: waits for cross_rows\.Logger53\.wg while cross_rows\.Logger53\.mu is held`
}

// Row 54: an event bus with its channels in a map of structs; the receiver is
// the subscriber's own goroutine, which locks when it is told to end.
type sub54 struct{ out chan int }

type Bus54 struct {
	sync.Mutex
	subs map[int]sub54
}

func (b *Bus54) Publish(n int) {
	b.Lock()
	defer func() { b.Unlock() }()
	for id := range b.subs {
		b.subs[id].out <- n // want `wait under lock: waits for cross_rows\.sub54\.out while cross_rows\.Bus54\.Mutex is held`
	}
}

func (b *Bus54) add(id int) <-chan int {
	c := make(chan int, 100)
	b.Lock()
	defer b.Unlock()
	b.subs[id] = sub54{out: c}
	return c
}

func (b *Bus54) remove(id int) {
	b.Lock()
	delete(b.subs, id)
	b.Unlock()
}

func (b *Bus54) Subscribe(ctx context.Context, id int, f func(int) error) error {
	in := b.add(id)
	for {
		select {
		case <-ctx.Done():
			b.remove(id)
			return ctx.Err()
		case n := <-in:
			if err := f(n); err != nil {
				b.remove(id)
				return err
			}
		}
	}
}

// Row 55: the signaller runs a handshake that calls back, through an interface,
// into a method that locks.
type layer55 interface{ write(n int) }

type engine55 struct{ layer layer55 }

func (e *engine55) handshake() { e.layer.write(1) }

type Setup55 struct {
	mu     sync.Mutex
	done   chan struct{}
	engine *engine55
	n      int
}

func New55() *Setup55 {
	s := &Setup55{done: make(chan struct{})}
	s.engine = &engine55{layer: s}
	return s
}

func (s *Setup55) write(n int) {
	s.mu.Lock()
	s.n += n
	s.mu.Unlock()
}

func (s *Setup55) Run() {
	go func() {
		defer close(s.done)
		s.engine.handshake()
	}()
	<-s.done
}

func (s *Setup55) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	<-s.done // want `wait under lock: waits for cross_rows\.Setup55\.done while cross_rows\.Setup55\.mu is held`
}
