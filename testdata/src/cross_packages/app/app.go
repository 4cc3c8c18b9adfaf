// Package app holds a lock over a wait that lies two packages away.
package app

import (
	"cross_packages/core"
	"cross_packages/mid"
	"sync"
)

type App struct {
	mu   sync.Mutex
	gate *mid.Gate
	n    int
}

func New() *App {
	a := &App{gate: mid.New()}
	go a.load()
	return a
}

func (a *App) load() {
	a.mu.Lock()
	a.n = 1
	a.mu.Unlock()
	a.gate.Lift()
}

func (a *App) Ready() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gate.Pass() // want `wait under lock: waits for core\.Latch\.C while app\.App\.mu is held`
	return a.n
}

type Calm struct {
	mu   sync.Mutex
	gate *mid.Gate
	n    int
}

// Silent: nothing is held while it waits.
func (c *Calm) Ready() int {
	c.gate.Pass()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

type Client struct {
	mu     sync.Mutex
	engine *core.Engine
	n      int
}

// Silent: the engine receives with its own lock only, and never needs the
// client's.
func (c *Client) Send(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
	c.engine.Submit(n)
}

// Pool has latches of a package that knows nothing of it.
type Pool struct {
	mu      sync.Mutex
	latches map[string]*core.Latch
	n       int
}

// Silent: it opens what it is given, which may be any latch, and most of them
// nobody waits for.
func (p *Pool) Release(l *core.Latch) {
	p.mu.Lock()
	p.n--
	p.mu.Unlock()
	l.Open()
}

func (p *Pool) Replace(k string, old *core.Latch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latches[k] = core.NewLatch()
	old.Wait()
}

// Desk has one latch, and both sides come upon it by way of the desk.
type Desk struct {
	mu    sync.Mutex
	latch *core.Latch
	n     int
}

func (d *Desk) Release() {
	d.mu.Lock()
	d.n--
	d.mu.Unlock()
	d.latch.Open()
}

func (d *Desk) Replace() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.latch.Wait() // want `wait under lock: waits for core\.Latch\.C while app\.Desk\.mu is held`
}

// Door makes its latch and hands it to the goroutine that opens it.
type Door struct {
	mu sync.Mutex
	n  int
}

func (d *Door) open(l *core.Latch) {
	d.mu.Lock()
	d.n++
	d.mu.Unlock()
	l.Open()
}

func (d *Door) Pass() {
	l := core.NewLatch()
	d.mu.Lock()
	defer d.mu.Unlock()
	go d.open(l)
	l.Wait() // want `wait under lock: waits for core\.Latch\.C while app\.Door\.mu is held`
}
