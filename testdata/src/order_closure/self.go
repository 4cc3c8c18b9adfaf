package order_closure

import "sync"

type tree struct {
	mu    sync.Mutex
	kids  []*tree
	count int
}

// walk calls closures that capture themselves and each other.
func (t *tree) walk() {
	t.mu.Lock()
	defer t.mu.Unlock()
	var visit, other func(*tree)
	visit = func(n *tree) {
		t.count++
		for _, k := range n.kids {
			visit(k)
			other(k)
		}
	}
	other = func(n *tree) {
		for _, k := range n.kids {
			visit(k)
		}
	}
	visit(t)
}
