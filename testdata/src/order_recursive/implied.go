package order_recursive

import "sync"

// Tree read-locks clone again below walk, under mu. That mu and clone come in
// two orders there is the same bug, and no second finding.
type Tree struct {
	clone sync.RWMutex
	mu    sync.Mutex
	n     int
}

func (t *Tree) walk(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

func (t *Tree) Link() {
	t.clone.RLock()
	defer t.clone.RUnlock()
	t.walk(func() { // want `recursive read lock: order_recursive\.Tree\.clone is already read-held by this goroutine`
		t.clone.RLock()
		t.n++
		t.clone.RUnlock()
	})
}

// Silent: see Tree.
func (t *Tree) Reuse() {
	t.clone.RLock()
	defer t.clone.RUnlock()
	t.mu.Lock()
	t.n++
	t.mu.Unlock()
}

func (t *Tree) Clone() Tree {
	t.clone.Lock()
	defer t.clone.Unlock()
	return Tree{n: t.n}
}

// Forest has another function that walks and read-locks, without clone held.
type Forest struct {
	clone sync.RWMutex
	mu    sync.Mutex
	n     int
}

func (t *Forest) walk(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

func (t *Forest) Link() {
	t.clone.RLock()
	defer t.clone.RUnlock()
	t.walk(func() { // want `recursive read lock: order_recursive\.Forest\.clone is already read-held by this goroutine`
		t.clone.RLock()
		t.n++
		t.clone.RUnlock()
	})
}

func (t *Forest) Stat() {
	t.walk(func() {
		t.clone.RLock()
		t.n--
		t.clone.RUnlock()
	})
}

func (t *Forest) Reuse() {
	t.clone.RLock()
	defer t.clone.RUnlock()
	t.mu.Lock() // want `lock order inversion: order_recursive\.Forest\.mu acquired while order_recursive\.Forest\.clone is held`
	t.n++
	t.mu.Unlock()
}

func (t *Forest) Clone() Forest {
	t.clone.Lock()
	defer t.clone.Unlock()
	return Forest{n: t.n}
}
