package order_basic

import "sync"

type Inner struct {
	mu    sync.Mutex
	outer *Outer
	n     int
}

type Outer struct {
	mu    sync.Mutex
	inner *Inner
	n     int
}

func (i *Inner) Flush() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.flush1() // want `lock order inversion: order_basic\.Outer\.mu acquired while order_basic\.Inner\.mu is held, but .*deep\.go:\d+:\d+ acquires them in the opposite order`
}

func (i *Inner) flush1() { i.flush2(1) }

func (i *Inner) flush2(n int) { flush3(i.outer, n) }

func flush3(o *Outer, n int) { o.add(n) }

func (o *Outer) add(n int) {
	o.mu.Lock()
	o.n += n
	o.mu.Unlock()
}

func (o *Outer) Drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n += drain1(o)
}

func drain1(o *Outer) int { return drain2(o.inner) + 1 }

func drain2(i *Inner) int { return i.take() }

func (i *Inner) take() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.n
}
