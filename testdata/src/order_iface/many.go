package order_iface

import "sync"

// Sink has more implementations than a dispatch can tell apart.
type Sink interface{ Put(int) }

type sinkA struct{ n int }
type sinkB struct{ n int }
type sinkC struct{ n int }
type sinkD struct{ n int }

func (s *sinkA) Put(n int) { lockTotal(n) }
func (s *sinkB) Put(n int) { lockTotal(n + 1) }
func (s *sinkC) Put(n int) { lockTotal(n + 2) }
func (s *sinkD) Put(n int) { lockTotal(n + 3) }

var total struct {
	mu sync.Mutex
	n  int
}

func lockTotal(n int) {
	total.mu.Lock()
	total.n += n
	total.mu.Unlock()
}

// sinkE is the fifth, and the only one that takes the pump's lock.
type sinkE struct{ p *Pump }

func (s *sinkE) Put(n int) {
	s.p.mu.Lock()
	s.p.n += n
	s.p.mu.Unlock()
}

func Sinks(p *Pump) []Sink {
	return []Sink{&sinkA{}, &sinkB{}, &sinkC{}, &sinkD{}, &sinkE{p}}
}

type Pump struct {
	mu sync.Mutex
	n  int
}

type Valve struct {
	mu sync.Mutex
	to Sink
}

// Silent: that this one of five is the sinkE is too much of a guess.
func (v *Valve) Flow(n int, to Sink) {
	v.mu.Lock()
	defer v.mu.Unlock()
	to.Put(n)
}

// Silent: see Flow.
func (p *Pump) Flow(v *Valve) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v.mu.Lock()
	v.mu.Unlock()
}

// Gully has two implementations.
type Gully interface{ Take(int) }

type drainA struct{ n int }

func (s *drainA) Take(n int) { lockTotal(n) }

type drainB struct{ w *Well }

func (s *drainB) Take(n int) {
	s.w.mu.Lock()
	s.w.n += n
	s.w.mu.Unlock()
}

func Gullies(w *Well) []Gully { return []Gully{&drainA{}, &drainB{w}} }

type Well struct {
	mu sync.Mutex
	n  int
}

type Pipe struct{ mu sync.Mutex }

// One guess of two is taken.
func (p *Pipe) Flow(n int, to Gully) {
	p.mu.Lock()
	defer p.mu.Unlock()
	to.Take(n) // want `lock order inversion: order_iface\.Well\.mu acquired while order_iface\.Pipe\.mu is held`
}

func (w *Well) Flow(p *Pipe) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p.mu.Lock()
	p.mu.Unlock()
}
