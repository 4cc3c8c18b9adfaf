// Package mid passes waits and signals on.
package mid

import "cross_packages/core"

type Gate struct{ latch *core.Latch }

func New() *Gate { return &Gate{latch: core.NewLatch()} }

func (g *Gate) Pass() { g.pass() }

func (g *Gate) pass() { g.latch.Wait() }

func (g *Gate) Lift() { g.latch.Open() }
