package order_handoff

import "sync"

// disk hands out transactions that own its lock until they end.
type disk struct {
	lock sync.Mutex
	n    int
}

type diskTx struct{ d *disk }

func (d *disk) begin() *diskTx {
	d.lock.Lock()
	return &diskTx{d: d}
}

func (t *diskTx) end() { t.d.lock.Unlock() }

// Cache keeps a transaction in a field: the lock is the transaction's then, and
// another goroutine may end it.
type Cache struct {
	mu sync.Mutex
	tx *diskTx
	n  int
}

// Silent: when Cache.mu is taken, this goroutine holds nothing any more.
func (c *Cache) Open(d *disk) {
	tx := d.begin()
	c.tx = tx
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
}

func (c *Cache) Close() { c.tx.end() }

// Silent: the only order of the two.
func (c *Cache) Flush(d *disk) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d.lock.Lock()
	d.n++
	d.lock.Unlock()
}

type tape struct {
	lock sync.Mutex
	n    int
}

type tapeTx struct{ t *tape }

func (t *tape) begin() *tapeTx {
	t.lock.Lock()
	return &tapeTx{t: t}
}

func (x *tapeTx) end() { x.t.lock.Unlock() }

type Catalog struct {
	mu sync.Mutex
	n  int
}

// A transaction in a local variable is this goroutine's.
func (i *Catalog) Read(t *tape) {
	tx := t.begin()
	i.mu.Lock()
	i.n++
	i.mu.Unlock()
	tx.end()
}

func (i *Catalog) Flush(t *tape) {
	i.mu.Lock()
	defer i.mu.Unlock()
	t.lock.Lock() // want `lock order inversion: order_handoff\.tape\.lock acquired while order_handoff\.Catalog\.mu is held`
	t.n++
	t.lock.Unlock()
}
