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
