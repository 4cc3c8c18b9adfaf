// Package order_decorator holds function and interface wrappers that run what
// they wrap under a lock of their own.
package order_decorator

import "sync"

type handler func(n int) int

type Limit struct {
	mu sync.Mutex
	n  int
}

// Silent: what it wraps is whatever was wrapped before, never what wraps it.
func (l *Limit) wrap(h handler) handler {
	return func(n int) int {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.n++
		return h(n)
	}
}

type Trace struct {
	mu sync.Mutex
	n  int
}

// Silent: see Limit.wrap.
func (t *Trace) wrap(h handler) handler {
	return func(n int) int {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.n++
		return h(n)
	}
}

func plain(n int) int { return n }

// Silent: every object is in the chain once, in the order of the list.
func Chain(l *Limit, t *Trace) handler {
	h := handler(plain)
	for _, w := range []func(handler) handler{l.wrap, t.wrap} {
		h = w(h)
	}
	return h
}

// Silent: Trace around Limit, as in Chain.
func Direct(l *Limit, t *Trace) int {
	return t.wrap(l.wrap(plain))(1)
}

type node interface{ size() int }

type leaf int

func (l leaf) size() int { return int(l) }

type pairOf struct {
	mu   sync.Mutex
	l, r node
}

// Silent: a tree of nodes; a node is never its own descendant.
func (p *pairOf) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.l.size() + p.r.size()
}

type listOf struct {
	mu  sync.Mutex
	all []node
}

// Silent: see pairOf.size.
func (l *listOf) size() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.all {
		n += x.size()
	}
	return n
}

func Size() int {
	var n node = &pairOf{l: leaf(1), r: leaf(2)}
	n = &listOf{all: []node{n, leaf(3)}}
	n = &pairOf{l: n, r: leaf(4)}
	return n.size()
}
