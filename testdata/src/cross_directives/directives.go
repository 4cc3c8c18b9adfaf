// Package cross_directives holds findings that the author has answered.
package cross_directives

import "sync"

type A struct {
	mu sync.Mutex
	wg sync.WaitGroup
	n  int
}

func (a *A) Start() {
	a.wg.Go(func() {
		a.mu.Lock()
		a.n++
		a.mu.Unlock()
	})
}

// Silent: ignored on the line above, for this category.
func (a *A) Stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	//lockvet:ignore [waitheld] Stop is called when the worker has ended
	a.wg.Wait()
}

type B struct {
	mu sync.Mutex
	n  int
}

// Silent: golangci-lint's directive, by the tool's name.
func (b *B) Set(n int) {
	b.mu.Lock()
	if b.n == n {
		return //nolint:lockvet // the process ends here
	}
	b.n = n
	b.mu.Unlock()
}
