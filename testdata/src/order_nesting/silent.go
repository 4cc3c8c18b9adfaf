package order_nesting

import (
	"sort"
	"sync"
	"unsafe"
)

type Acct struct {
	mu  sync.Mutex
	id  int
	sum int
}

// Silent: the smaller id is locked first.
func Swap(a, b *Acct) {
	if a.id > b.id {
		a, b = b, a
	}
	a.mu.Lock()
	b.mu.Lock()
	a.sum, b.sum = b.sum, a.sum
	b.mu.Unlock()
	a.mu.Unlock()
}

// Silent: one order in each branch of a comparison of keys.
func Pay(from, to *Acct, n int) {
	if from.id < to.id {
		from.mu.Lock()
		to.mu.Lock()
	} else {
		to.mu.Lock()
		from.mu.Lock()
	}
	from.sum -= n
	to.sum += n
	to.mu.Unlock()
	from.mu.Unlock()
}

type Addr struct {
	mu sync.Mutex
	n  int
}

// Silent: the lower address is locked first.
func Exchange(a, b *Addr) {
	if uintptr(unsafe.Pointer(a)) > uintptr(unsafe.Pointer(b)) {
		a, b = b, a
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	a.n, b.n = b.n, a.n
}

type Dir struct {
	mu   sync.Mutex
	kids map[string]*Dir
	next *Dir
}

// Silent: parent, then child, down an ownership chain.
func (d *Dir) Count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 1
	for _, k := range d.kids {
		n += k.Count()
	}
	return n
}

type Cellar struct {
	mu   sync.Mutex
	next *Cellar
	val  int
}

// Silent: hand over hand along a list.
func (c *Cellar) Find(v int) bool {
	c.mu.Lock()
	for c.next != nil {
		if c.val == v {
			c.mu.Unlock()
			return true
		}
		n := c.next
		n.mu.Lock()
		c.mu.Unlock()
		c = n
	}
	c.mu.Unlock()
	return false
}

type Lane struct {
	mu sync.Mutex
	id int
}

// Silent: the slice is sorted by a key first, so every caller locks in the same
// order.
func LockAll(lanes []*Lane) {
	sort.Slice(lanes, func(i, j int) bool { return lanes[i].id < lanes[j].id })
	for _, l := range lanes {
		l.mu.Lock()
	}
	for _, l := range lanes {
		l.mu.Unlock()
	}
}

type Table struct {
	rows []*Row
}

type Row struct {
	mu sync.Mutex
	n  int
}

// Silent: each row is released before the next is locked.
func (t *Table) Sum() (n int) {
	for _, r := range t.rows {
		r.mu.Lock()
		n += r.n
		r.mu.Unlock()
	}
	return n
}

type Bank struct {
	locks [8]sync.Mutex
	vals  [8]int
}

// Silent: the smaller index is locked first.
func (b *Bank) Move(i, j int) {
	if i > j {
		i, j = j, i
	}
	b.locks[i].Lock()
	if i != j {
		b.locks[j].Lock()
	}
	b.vals[i], b.vals[j] = b.vals[j], b.vals[i]
	if i != j {
		b.locks[j].Unlock()
	}
	b.locks[i].Unlock()
}

// Silent: all stripes in index order, by the one owner of the array.
func (b *Bank) Clear() {
	for i := range b.locks {
		b.locks[i].Lock()
	}
	for i := range b.vals {
		b.vals[i] = 0
	}
	for i := range b.locks {
		b.locks[i].Unlock()
	}
}

// Silent: constants 0, then 1, here and nowhere the other way round.
func (b *Bank) Pair() {
	b.locks[0].Lock()
	b.locks[1].Lock()
	b.locks[1].Unlock()
	b.locks[0].Unlock()
}

type Clone struct {
	mu sync.Mutex
	n  int
}

// Silent: the second instance is new and nobody else can hold it.
func (c *Clone) Copy() *Clone {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := new(Clone)
	d.mu.Lock()
	d.n = c.n
	d.mu.Unlock()
	return d
}

type Book struct {
	mu sync.Mutex
	n  int
}

// Silent: the author says how the two are ordered.
func Lend(from, to *Book) {
	from.mu.Lock()
	//lockvet:nested
	to.mu.Lock()
	to.n, from.n = from.n, to.n
	to.mu.Unlock()
	from.mu.Unlock()
}
