package order_gate

import "sync"

// table is a part of Index, which overrides its Restore to take a lock of its
// own first.
type table struct {
	mu   sync.Mutex
	rev  sync.Mutex
	data sync.Mutex
	n    int
}

// NewTable restores a table that nobody else knows yet: no gate is needed.
func NewTable() *table {
	t := &table{}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.restore()
	return t
}

func (t *table) Restore() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.restore()
}

// Silent: on a table that others know, Index holds its own lock.
func (t *table) restore() {
	t.data.Lock()
	defer t.data.Unlock()
	t.rev.Lock()
	t.n = 0
	t.rev.Unlock()
}

type Index struct {
	mu sync.Mutex
	*table
}

func NewIndex() *Index { return &Index{table: NewTable()} }

func (x *Index) Restore() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.table.Restore()
}

// Silent: see restore.
func (x *Index) Sync() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.table.rev.Lock()
	defer x.table.rev.Unlock()
	x.table.data.Lock()
	x.table.n++
	x.table.data.Unlock()
}

// open is as table, but its Restore is not overridden, so that an interface
// leads to it without the gate.
type open struct {
	rev  sync.Mutex
	data sync.Mutex
	n    int
}

func (o *open) Restore() {
	o.data.Lock()
	defer o.data.Unlock()
	o.rev.Lock() // want `lock order inversion: order_gate\.open\.rev acquired while order_gate\.open\.data is held`
	o.n = 0
	o.rev.Unlock()
}

type Restorer interface{ Restore() }

type Frame struct {
	mu sync.Mutex
	*open
}

func NewFrame() Restorer { return &Frame{open: &open{}} }

func (f *Frame) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open.Restore()
}

func (f *Frame) Sync() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open.rev.Lock()
	defer f.open.rev.Unlock()
	f.open.data.Lock()
	f.open.n++
	f.open.data.Unlock()
}

// Guarded runs functions under its lock.
type Guarded struct {
	mu   sync.Mutex
	a, b sync.Mutex
	n    int
}

func (g *Guarded) under(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.twice(f)
}

func (g *Guarded) twice(f func()) {
	f()
	f()
}

// Silent: the function that gets the closure holds the gate when it calls it.
func (g *Guarded) AB() {
	g.under(func() {
		g.a.Lock()
		g.b.Lock()
		g.n++
		g.b.Unlock()
		g.a.Unlock()
	})
}

// Silent: see AB.
func (g *Guarded) BA() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.b.Lock()
	g.a.Lock()
	g.n--
	g.a.Unlock()
	g.b.Unlock()
}

// Unguarded calls them before it takes its lock, too.
type Unguarded struct {
	mu   sync.Mutex
	a, b sync.Mutex
	n    int
}

func (g *Unguarded) under(f func()) {
	f()
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
}

func (g *Unguarded) AB() {
	g.under(func() {
		g.a.Lock()
		g.b.Lock() // want `lock order inversion: order_gate\.Unguarded\.b acquired while order_gate\.Unguarded\.a is held`
		g.n++
		g.b.Unlock()
		g.a.Unlock()
	})
}

func (g *Unguarded) BA() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.b.Lock()
	g.a.Lock()
	g.n--
	g.a.Unlock()
	g.b.Unlock()
}
