package order_decorator

import "sync"

// Source is wrapped by caches, and caches wrap one another.
type Source interface {
	Load() int
	Invalidate()
}

type Disk struct {
	mu   sync.Mutex
	next Source
	n    int
}

type Memory struct {
	mu   sync.Mutex
	next Source
	n    int
}

type origin struct{}

func (origin) Load() int { return 1 }

func (origin) Invalidate() {}

// NewDisk keeps what it loads in memory, too.
func NewDisk() *Disk { return &Disk{next: NewMemory(origin{})} }

func NewMemory(next Source) *Memory { return &Memory{next: next} }

// Silent: Load locks Disk and then the Memory below it, Invalidate a Memory
// above it and then Disk: a tower of three, in one order.
func (d *Disk) Load() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n = d.next.Load()
	return d.n
}

func (m *Memory) Load() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

// Silent: see Load.
func (m *Memory) Invalidate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n = 0
	m.next.Invalidate()
}

func (d *Disk) Invalidate() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n = 0
}

func NewTower() Source { return NewMemory(NewDisk()) }

// Player and Meter know each other by two interfaces, and none is like the other.
type Player struct {
	mu sync.Mutex
	to Watcher
	n  int
}

type Meter struct {
	mu   sync.Mutex
	from Control
	n    int
}

type Watcher interface{ Watch(int) }

type Control interface{ Halt() }

func NewPair() (*Player, *Meter) {
	p, m := &Player{}, &Meter{}
	p.to, m.from = m, p
	return p, m
}

func (p *Player) Play() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to.Watch(p.n)
}

func (m *Meter) Watch(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n = n
}

func (m *Meter) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.from.Halt() // want `lock order inversion: order_decorator\.Player\.mu acquired while order_decorator\.Meter\.mu is held`
}

func (p *Player) Halt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n = 0
}
