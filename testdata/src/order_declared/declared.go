// Package order_declared holds orders that the program declares.
package order_declared

import "sync"

//lockvet:order Table.mu < Index.mu
//lockvet:order order_declared.poolMu < order_declared.Conn.mu

type Table struct{ mu sync.Mutex }

type Index struct{ mu sync.Mutex }

// The only place that takes the two together: no opposite order is needed.
func (x *Index) Rebuild(t *Table) {
	x.mu.Lock()
	defer x.mu.Unlock()
	t.mu.Lock() // want `declared lock order violated: order_declared\.Table\.mu acquired while order_declared\.Index\.mu is held, but .*declared\.go:6 declares order_declared\.Table\.mu < order_declared\.Index\.mu`
	defer t.mu.Unlock()
}

var poolMu sync.Mutex

type Conn struct{ mu sync.Mutex }

func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	forget(c) // want `declared lock order violated: order_declared\.poolMu acquired while order_declared\.Conn\.mu is held`
}

func forget(c *Conn) {
	poolMu.Lock()
	defer poolMu.Unlock()
}
