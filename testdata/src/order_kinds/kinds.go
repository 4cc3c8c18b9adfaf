// Package order_kinds holds inversions between locks of every kind: embedded,
// promoted, wrapped, behind sync.Locker, behind helpers that lock or unlock for
// their caller.
package order_kinds

import "sync"

// Embedded lock against a field of the same struct.
type Driver struct {
	sync.Mutex
	config sync.Mutex
	nets   []int
}

func (d *Driver) Reload() {
	d.Lock()
	defer d.Unlock()
	d.config.Lock() // want `lock order inversion: order_kinds\.Driver\.config acquired while order_kinds\.Driver\.Mutex is held`
	defer d.config.Unlock()
}

func (d *Driver) Delete() {
	d.config.Lock()
	defer d.config.Unlock()
	d.remove()
}

func (d *Driver) remove() {
	d.Lock()
	defer d.Unlock()
	d.nets = nil
}

// A lock promoted through two embeddings has the name of the struct that
// declares it.
type Base struct {
	Mu sync.Mutex
}

type Mid struct{ Base }

type Top struct {
	Mid
	side *Side
}

type Side struct {
	mu  sync.Mutex
	top *Top
}

func (t *Top) Use() {
	t.Mu.Lock()
	defer t.Mu.Unlock()
	t.side.mu.Lock() // want `lock order inversion: order_kinds\.Side\.mu acquired while order_kinds\.Base\.Mu is held`
	defer t.side.mu.Unlock()
}

func (s *Side) Use() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.top.Mid.Base.Mu.Lock()
	defer s.top.Mid.Base.Mu.Unlock()
}

// A pure wrapper is transparent: each user of it has a class of its own.
type spin struct{ mu sync.Mutex }

func (s *spin) Lock() { s.mu.Lock() }

func (s *spin) Unlock() { s.mu.Unlock() }

type Left struct{ lk spin }

type Right struct{ lk spin }

func (l *Left) Meet(r *Right) {
	l.lk.Lock()
	defer l.lk.Unlock()
	r.lk.Lock() // want `lock order inversion: order_kinds\.Right\.lk acquired while order_kinds\.Left\.lk is held`
	defer r.lk.Unlock()
}

func (r *Right) Meet(l *Left) {
	r.lk.Lock()
	l.lk.Lock()
	l.lk.Unlock()
	r.lk.Unlock()
}

// A sync.Locker parameter is the lock of the caller.
type Mem struct {
	mu   sync.Mutex
	swap *Swap
}

type Swap struct {
	mu  sync.Mutex
	mem *Mem
}

func with(l sync.Locker, f func()) {
	l.Lock()
	defer l.Unlock()
	f()
}

func (m *Mem) Page() {
	m.mu.Lock()
	defer m.mu.Unlock()
	lockBriefly(&m.swap.mu) // want `lock order inversion: order_kinds\.Swap\.mu acquired while order_kinds\.Mem\.mu is held`
}

func lockBriefly(l sync.Locker) {
	l.Lock()
	l.Unlock()
}

func (s *Swap) Page() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mem.mu.Lock()
	defer s.mem.mu.Unlock()
}

// Helpers that return with the lock held, and release it for their caller.
type File struct {
	mu sync.Mutex
	fs *FileSys
}

type FileSys struct {
	mu sync.Mutex
	f  *File
}

func (f *File) lock() { f.mu.Lock() }

func (f *File) unlock() { f.mu.Unlock() }

func (f *File) Read() {
	f.lock()
	defer f.unlock()
	f.fs.lock() // want `lock order inversion: order_kinds\.FileSys\.mu acquired while order_kinds\.File\.mu is held`
	f.fs.unlock()
}

func (s *FileSys) lock() { s.mu.Lock() }

func (s *FileSys) unlock() { s.mu.Unlock() }

func (s *FileSys) Sync() {
	s.lock()
	s.f.lock()
	s.f.unlock()
	s.unlock()
}

// A helper that returns the unlock function.
type Doc struct {
	mu   sync.Mutex
	view *DocView
}

type DocView struct {
	mu  sync.Mutex
	doc *Doc
}

func (d *Doc) acquire() func() {
	d.mu.Lock()
	return d.mu.Unlock
}

func (v *DocView) acquire() (release func()) {
	v.mu.Lock()
	return func() { v.mu.Unlock() }
}

func (d *Doc) Render() {
	defer d.acquire()()
	defer d.view.acquire()() // want `lock order inversion: order_kinds\.DocView\.mu acquired while order_kinds\.Doc\.mu is held`
}

func (v *DocView) Render() {
	release := v.acquire()
	defer release()
	done := v.doc.acquire()
	done()
}

// RLocker is the read side of its RWMutex.
type Book struct {
	mu   sync.RWMutex
	page *BookPage
}

type BookPage struct {
	mu   sync.Mutex
	book *Book
}

func (b *Book) Turn() {
	l := b.mu.RLocker()
	l.Lock()
	defer l.Unlock()
	b.page.mu.Lock() // want `lock order inversion: order_kinds\.BookPage\.mu acquired while order_kinds\.Book\.mu is held`
	defer b.page.mu.Unlock()
}

func (p *BookPage) Tear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.book.mu.Lock()
	defer p.book.mu.Unlock()
}

// Locks behind pointers, and a lock given by its address.
type Gate struct {
	mu   *sync.Mutex
	hall *Hall
}

type Hall struct {
	mu   *sync.RWMutex
	gate *Gate
}

func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hall.mu.Lock() // want `lock order inversion: order_kinds\.Hall\.mu acquired while order_kinds\.Gate\.mu is held`
	defer g.hall.mu.Unlock()
}

func (h *Hall) Open() {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.gate.mu
	m.Lock()
	defer m.Unlock()
}
