// Package agent is called back by its dependency, which it calls with its own
// lock held.
package agent

import (
	"order_callsback/metrics"
	"sync"
)

type Agent struct {
	mu sync.RWMutex
	ns *metrics.Namespace
	xs map[string]int
}

func New(ns *metrics.Namespace) *Agent {
	a := &Agent{ns: ns, xs: map[string]int{}}
	ns.Add(a)
	return a
}

func (a *Agent) Collect(emit func(int)) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for _, x := range a.xs {
		emit(x)
	}
}

func (a *Agent) Add(s string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.xs[a.ns.WithLabel(s)]++ // want `lock order inversion: metrics\.Namespace\.mu acquired while agent\.Agent\.mu is held, but .*metrics\.go:\d+:\d+`
}
