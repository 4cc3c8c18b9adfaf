// Package metrics is a dependency that calls its users back through an
// interface, with its own lock held.
package metrics

import "sync"

type Collector interface{ Collect(emit func(int)) }

type Namespace struct {
	mu    sync.Mutex
	parts []Collector
	label string
}

func (n *Namespace) Add(c Collector) {
	n.mu.Lock()
	n.parts = append(n.parts, c)
	n.mu.Unlock()
}

func (n *Namespace) Collect(emit func(int)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.parts {
		c.Collect(emit)
	}
}

func (n *Namespace) WithLabel(s string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.label + s
}
