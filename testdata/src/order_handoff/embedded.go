package order_handoff

import "sync"

// Batch is begun by a promoted method and ended by one that overrides.
type Batch interface {
	Open()
	Done()
}

type batch struct {
	lock sync.Mutex
	n    int
}

func (b *batch) Open() { b.lock.Lock() }

func (b *batch) Done() {
	b.n++
	b.lock.Unlock()
}

type buffered struct {
	batch
	buf int
}

func (b *buffered) Done() {
	b.buf = 0
	b.batch.Done()
}

func NewBatch() Batch { return &buffered{} }

func create(t Batch) {
	t.Open()
	defer t.Done()
}

type Meta struct {
	mu sync.Mutex
	n  int
}

// Silent: create gives up what it takes, whatever its two ends are.
func (m *Meta) Setup(t Batch) {
	create(t)
	m.mu.Lock()
	m.n++
	m.mu.Unlock()
}

// Silent: the only order of the two.
func (m *Meta) Under(b *batch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b.lock.Lock()
	b.n++
	b.lock.Unlock()
}

type draft struct {
	lock sync.Mutex
	n    int
}

func (b *draft) Start() { b.lock.Lock() }

func (b *draft) Stop() { b.lock.Unlock() }

type marked struct {
	draft
	mark int
}

func (b *marked) Stop() {
	b.mark = 0
	b.draft.Stop()
}

type Draft interface {
	Start()
	Stop()
}

func NewDraft() Draft { return &marked{} }

type Notes struct {
	mu sync.Mutex
	n  int
}

// Both kinds of draft are locked by the same field.
func (m *Notes) Setup(t Draft) {
	t.Start()
	m.mu.Lock()
	m.n++
	m.mu.Unlock()
	t.Stop()
}

func (m *Notes) Under(b *draft) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b.lock.Lock() // want `lock order inversion: order_handoff\.draft\.lock acquired while order_handoff\.Notes\.mu is held`
	b.n++
	b.lock.Unlock()
}
