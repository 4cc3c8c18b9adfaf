// Package order_once holds inversions with sync.Once as one of the locks.
package order_once

import "sync"

type Client struct {
	mu   sync.Mutex
	once sync.Once
	conn int
}

func (c *Client) init() {
	c.mu.Lock()
	c.conn = 1
	c.mu.Unlock()
}

// Client.mu is held while Do may wait for a first caller …
func (c *Client) Send() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.once.Do(func() { c.conn = 2 }) // want `lock order inversion: order_once\.Client\.once acquired while order_once\.Client\.mu is held`
}

// … and that first caller wants Client.mu.
func (c *Client) Dial() {
	c.once.Do(c.init)
}

var (
	loadOnce sync.Once
	tableMu  sync.Mutex
	table    []int
	ready    bool
)

func load() {
	tableMu.Lock()
	defer tableMu.Unlock()
	table = append(table, 1)
}

func Lookup(i int) int {
	loadOnce.Do(load) // want `lock order inversion: order_once\.tableMu acquired while order_once\.loadOnce is held`
	return table[i]
}

func Mark() {
	tableMu.Lock()
	defer tableMu.Unlock()
	loadOnce.Do(func() { ready = true })
}

type Quiet struct {
	mu   sync.Mutex
	once sync.Once
	n    int
}

// Silent: the function takes no lock.
func (q *Quiet) Get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.once.Do(func() { q.n = 1 })
	return q.n
}

type Late struct {
	mu   sync.Mutex
	once sync.Once
	n    int
}

// Silent: Do is never called with Late.mu held.
func (l *Late) Get() int {
	l.once.Do(func() {
		l.mu.Lock()
		l.n = 1
		l.mu.Unlock()
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}
