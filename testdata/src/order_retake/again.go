package order_retake

import "sync"

// A way on which a lock would be taken again: a transaction whose function
// begins another one, unless it is told of the first.

type Store struct{ mu sync.Mutex }

func (s *Store) Update(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

type Meta struct {
	lock  sync.RWMutex
	store *Store
}

func (m *Meta) Update(f func()) {
	m.lock.RLock()
	defer m.lock.RUnlock()
	m.store.Update(f)
}

type Box struct {
	meta *Meta
	in   bool
}

func (b *Box) put() {
	if !b.in {
		b.meta.Update(func() {})
	}
}

// Silent: it would wait for itself if put began a transaction.
func Create(s *Store, b *Box) {
	s.Update(func() { b.put() })
}

func (m *Meta) Collect() {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.store.Update(func() {})
}

// Without that, it is one.
type Stock struct{ mu sync.Mutex }

func (s *Stock) Update(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

type Index struct {
	lock  sync.RWMutex
	stock *Stock
}

func (m *Index) Touch() {
	m.lock.RLock()
	defer m.lock.RUnlock()
}

func (m *Index) Create() {
	m.stock.Update(func() { m.Touch() })
}

func (m *Index) Collect() {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.stock.Update(func() {}) // want `lock order inversion: order_retake\.Stock\.mu acquired while order_retake\.Index\.lock is held`
}

// The same where each hands on to another of its kind, behind an interface.
type Updater interface{ Update(f func()) }

type Disk struct{ mu sync.Mutex }

func (d *Disk) Update(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

type Guard struct {
	lock sync.RWMutex
	disk Updater
}

func NewGuard(d Updater) *Guard { return &Guard{disk: d} }

func (g *Guard) Update(f func()) {
	g.lock.RLock()
	defer g.lock.RUnlock()
	g.disk.Update(f)
}

func Open() *Guard { return NewGuard(new(Disk)) }

// Silent, too.
func (g *Guard) Collect() {
	g.lock.Lock()
	defer g.lock.Unlock()
	begin(g.disk)
}

func begin(u Updater) {
	if d, ok := u.(*Disk); ok {
		d.Update(func() {})
	}
}

type Shelf struct{ db Updater }

func NewShelf(g *Guard) *Shelf { return &Shelf{db: g} }

func (s *Shelf) put() { s.db.Update(func() {}) }

func Make(d *Disk, s *Shelf) {
	d.Update(func() { s.put() })
}

// A tower of one method: what has no main of its own may have one below.
type Releaser interface{ Release() }

type Main struct{ mu sync.Mutex }

type Ref struct {
	main *Main
	mu   sync.Mutex
	next Releaser
}

func NewRef(m *Main, next Releaser) *Ref { return &Ref{main: m, next: next} }

// Silent: the one below has a lock of its own, which is taken after main's.
func (r *Ref) Release() {
	if r.main != nil {
		r.main.mu.Lock()
		defer r.main.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next.Release()
}

func Tower(m *Main, r *Ref) *Ref { return NewRef(m, NewRef(nil, r)) }

// The one lock is given up before the other is taken, and all have one main.
type Count struct {
	mu sync.Mutex
	n  int
}

type Leaf struct {
	count *Count
	mu    sync.Mutex
	next  Dropper
}

type Dropper interface{ Drop() }

func NewLeaf(c *Count, next Dropper) *Leaf { return &Leaf{count: c, next: next} }

func (l *Leaf) Drop() {
	l.count.mu.Lock()
	l.count.n--
	l.count.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next.Drop()
}

func (l *Leaf) Purge() {
	l.count.mu.Lock()
	defer l.count.mu.Unlock()
	l.mu.Lock() // want `lock order inversion: order_retake\.Leaf\.mu acquired while order_retake\.Count\.mu is held`
	defer l.mu.Unlock()
}

func Pile(c *Count, l *Leaf) *Leaf { return NewLeaf(c, NewLeaf(c, l)) }
