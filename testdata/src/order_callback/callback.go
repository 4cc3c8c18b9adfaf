// Package order_callback holds inversions between a method and what the
// standard library or a go statement runs later.
package order_callback

import (
	"context"
	"slices"
	"sort"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

type Lease struct {
	mu    sync.Mutex
	table *LeaseTable
	timer *time.Timer
}

type LeaseTable struct {
	mu sync.Mutex
	m  map[*Lease]bool
}

func (l *Lease) Start() {
	l.timer = time.AfterFunc(time.Second, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.table.remove(l) // want `lock order inversion: order_callback\.LeaseTable\.mu acquired while order_callback\.Lease\.mu is held`
	})
}

func (t *LeaseTable) remove(l *Lease) {
	t.mu.Lock()
	delete(t.m, l)
	t.mu.Unlock()
}

func (t *LeaseTable) RevokeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for l := range t.m {
		l.revoke()
	}
}

func (l *Lease) revoke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer.Stop()
}

type Req struct {
	mu   sync.Mutex
	pool *ReqPool
}

type ReqPool struct {
	mu sync.Mutex
	n  int
}

func (r *Req) Begin(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, r.cancel)
}

func (r *Req) cancel() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pool.put() // want `lock order inversion: order_callback\.ReqPool\.mu acquired while order_callback\.Req\.mu is held`
}

func (p *ReqPool) put() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
}

func (p *ReqPool) Take(r *Req) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
}

type Mon struct {
	mu    sync.Mutex
	state *MonState
}

type MonState struct {
	mu sync.Mutex
	n  int
}

func (m *Mon) Run() {
	go m.loop()
}

func (m *Mon) loop() {
	for {
		m.mu.Lock()
		m.state.inc() // want `lock order inversion: order_callback\.MonState\.mu acquired while order_callback\.Mon\.mu is held`
		m.mu.Unlock()
	}
}

func (s *MonState) inc() {
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func (s *MonState) Reset(m *Mon) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
}

// sync.Map.Range, slices.SortFunc and sort.Slice call their argument at once,
// under the locks of their caller.
type Area struct {
	mu    sync.Mutex
	cells sync.Map
	world *World
}

type World struct {
	mu sync.Mutex
	n  int
}

func (a *Area) Sweep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cells.Range(func(k, v any) bool { // want `lock order inversion: order_callback\.World\.mu acquired while order_callback\.Area\.mu is held`
		a.world.grow()
		return true
	})
}

func (w *World) grow() {
	w.mu.Lock()
	w.n++
	w.mu.Unlock()
}

func (w *World) Visit(a *Area) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
}

type Team struct {
	mu    sync.Mutex
	names []string
	table *TeamTable
}

type TeamTable struct {
	mu   sync.Mutex
	rank map[string]int
}

func (t *Team) Order() {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortFunc(t.names, func(a, b string) int { // want `lock order inversion: order_callback\.TeamTable\.mu acquired while order_callback\.Team\.mu is held`
		return t.table.of(a) - t.table.of(b)
	})
}

func (t *TeamTable) of(s string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rank[s]
}

func (t *TeamTable) Count(team *Team) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	team.mu.Lock()
	defer team.mu.Unlock()
	return len(team.names)
}

type Unit struct {
	mu sync.Mutex
	u  *Upper
}

type Upper struct {
	mu sync.Mutex
	n  int
}

// Functions given to WaitGroup.Go and errgroup.Group.Go run in goroutines of
// their own.
func (u *Unit) All() {
	var wg sync.WaitGroup
	wg.Go(func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.u.mu.Lock() // want `lock order inversion: order_callback\.Upper\.mu acquired while order_callback\.Unit\.mu is held`
		defer u.u.mu.Unlock()
	})
	wg.Wait()
}

func (u *Upper) All(unit *Unit) error {
	var g errgroup.Group
	g.Go(func() error {
		u.mu.Lock()
		defer u.mu.Unlock()
		unit.mu.Lock()
		defer unit.mu.Unlock()
		return nil
	})
	return g.Wait()
}

type Late struct {
	mu  sync.Mutex
	log *LateLog
	xs  []int
}

type LateLog struct{ mu sync.Mutex }

// Silent: goroutines, timers and groups start with nothing held.
func (l *Late) Start(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	go l.log.add()
	go func() { l.log.add() }()
	time.AfterFunc(time.Second, l.log.add)
	context.AfterFunc(ctx, l.log.add)
	var wg sync.WaitGroup
	wg.Go(l.log.add)
	var g errgroup.Group
	g.Go(func() error { l.log.add(); return nil })
}

func (l *LateLog) add() {
	l.mu.Lock()
	l.mu.Unlock()
}

// Silent: nothing is taken under Late.mu but in new goroutines.
func (l *LateLog) Show(late *Late) {
	l.mu.Lock()
	defer l.mu.Unlock()
	late.mu.Lock()
	defer late.mu.Unlock()
	sort.Slice(late.xs, func(i, j int) bool { return late.xs[i] < late.xs[j] })
}
