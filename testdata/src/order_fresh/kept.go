package order_fresh

import "sync"

// A new object that is kept under the lock of who keeps it.

type Board struct {
	mu    sync.Mutex
	conns map[string]*Conn
	last  *Conn
}

type Conn struct {
	mu    sync.Mutex
	board *Board
	up    bool
}

// Silent: who wants the connection needs the board's lock first.
func (h *Board) Dial(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := &Conn{board: h}
	h.conns[name] = c
	c.mu.Lock()
	c.up = true
	c.mu.Unlock()
}

// Silent, too: a method locks it, and a field keeps it.
func (h *Board) Replace() {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := &Conn{board: h}
	h.last = c
	c.start()
}

func (c *Conn) start() {
	c.mu.Lock()
	c.up = true
	c.mu.Unlock()
}

func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.board.mu.Lock()
	c.board.last = nil
	c.board.mu.Unlock()
}

// A goroutine has it already.
type Tap struct {
	mu    sync.Mutex
	pipes map[string]*Pipe
}

type Pipe struct {
	mu  sync.Mutex
	tap *Tap
}

func (t *Tap) Open(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &Pipe{tap: t}
	t.pipes[name] = p
	go p.Close()
	p.mu.Lock()
	p.mu.Unlock()
}

func (p *Pipe) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tap.mu.Lock() // want `lock order inversion: order_fresh\.Tap\.mu acquired while order_fresh\.Pipe\.mu is held`
	p.tap.mu.Unlock()
}

// Others could come by it while the lock was given up.
type Yard struct {
	mu   sync.Mutex
	cars map[string]*Car
}

type Car struct {
	mu   sync.Mutex
	yard *Yard
}

func (y *Yard) Park(name string) {
	c := &Car{yard: y}
	y.mu.Lock()
	y.cars[name] = c
	y.mu.Unlock()
	y.mu.Lock()
	defer y.mu.Unlock()
	c.mu.Lock()
	c.mu.Unlock()
}

func (c *Car) Leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.yard.mu.Lock() // want `lock order inversion: order_fresh\.Yard\.mu acquired while order_fresh\.Car\.mu is held`
	c.yard.mu.Unlock()
}

// The lock is another one's than the map's.
type Dock struct {
	mu    sync.Mutex
	ports *Ports
}

type Ports struct{ ships map[string]*Ship }

type Ship struct {
	mu   sync.Mutex
	dock *Dock
}

func (d *Dock) Land(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &Ship{dock: d}
	d.ports.ships[name] = s
	s.mu.Lock() // want `lock order inversion: order_fresh\.Ship\.mu acquired while order_fresh\.Dock\.mu is held`
	s.mu.Unlock()
}

func (s *Ship) Sail() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dock.mu.Lock()
	s.dock.mu.Unlock()
}

// Locked while nobody else could, held when others can.
type Ward struct {
	mu   sync.Mutex
	log  sync.Mutex
	beds map[string]*Bed
}

type Bed struct {
	mu   sync.Mutex
	ward *Ward
}

func (w *Ward) Admit(name string) {
	b := &Bed{ward: w}
	w.mu.Lock()
	w.beds[name] = b
	b.mu.Lock()
	w.mu.Unlock()
	w.log.Lock() // want `lock order inversion: order_fresh\.Ward\.log acquired while order_fresh\.Bed\.mu is held`
	w.log.Unlock()
	b.mu.Unlock()
}

func (b *Bed) Tell() {
	b.ward.log.Lock()
	defer b.ward.log.Unlock()
	b.mu.Lock()
	b.mu.Unlock()
}
