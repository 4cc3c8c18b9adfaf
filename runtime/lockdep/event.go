//go:build lockdep

package lockdep

import (
	"sync"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// A WaitGroup is a sync.WaitGroup that is tracked: Wait is a wait, and each
// Done a signal that it needs.
type WaitGroup struct {
	wg sync.WaitGroup
	l  core.Lock
}

// Add is sync.WaitGroup.Add.
//
//go:noinline
func (wg *WaitGroup) Add(delta int) {
	pc := core.Caller()
	if !wg.l.Used() {
		firstUse(&wg.l, pc, core.Event)
	}
	wg.add(delta)
}

func (wg *WaitGroup) add(delta int) {
	wg.l.AddCount(delta)
	if delta < 0 {
		core.Signal(&wg.l)
	}
	wg.wg.Add(delta)
}

// Done is sync.WaitGroup.Done.
func (wg *WaitGroup) Done() { wg.add(-1) }

// Wait is sync.WaitGroup.Wait.
//
//go:noinline
func (wg *WaitGroup) Wait() {
	pc := core.Caller()
	if !wg.l.Used() {
		firstUse(&wg.l, pc, core.Event)
	}
	core.Wait(&wg.l, pc)
	wg.wg.Wait()
}

// Go is sync.WaitGroup.Go.
//
//go:noinline
func (wg *WaitGroup) Go(f func()) {
	pc := core.Caller()
	if !wg.l.Used() {
		firstUse(&wg.l, pc, core.Event)
	}
	wg.add(1)
	go func() {
		defer func() {
			if x := recover(); x != nil {
				panic(x) // fatal, and nobody who waits may go on before it is
			}
			wg.add(-1)
		}()
		f()
	}()
}

func (wg *WaitGroup) state() *core.Lock { return &wg.l }
func (wg *WaitGroup) props() uint32     { return core.Event }

// A Cond is a sync.Cond that is tracked. Wait is a wait with the locks held
// besides L.
type Cond struct {
	// L is held while observing or changing the condition.
	L Locker

	cond sync.Cond
	once sync.Once
	l    core.Lock
}

// NewCond is sync.NewCond.
func NewCond(l Locker) *Cond { return &Cond{L: l} }

// Wait is sync.Cond.Wait.
//
//go:noinline
func (c *Cond) Wait() {
	pc := core.Caller()
	c.ready(pc)
	core.Relock(pc)
	c.cond.Wait()
	core.Relock(0)
}

// Signal is sync.Cond.Signal.
//
//go:noinline
func (c *Cond) Signal() {
	c.ready(core.Caller())
	core.Signal(&c.l)
	c.cond.Signal()
}

// Broadcast is sync.Cond.Broadcast.
//
//go:noinline
func (c *Cond) Broadcast() {
	c.ready(core.Caller())
	core.Signal(&c.l)
	c.cond.Broadcast()
}

func (c *Cond) ready(pc uintptr) {
	if !c.l.Used() {
		firstUse(&c.l, pc, core.Event)
	}
	c.once.Do(func() { c.cond.L = (*condLocker)(c) })
}

func (c *Cond) state() *core.Lock { return &c.l }
func (c *Cond) props() uint32     { return core.Event }

// condLocker stands between sync.Cond and L: the wait begins when L is given
// up, with what is held then.
type condLocker Cond

func (c *condLocker) Lock() { c.L.Lock() }

func (c *condLocker) Unlock() {
	c.L.Unlock()
	core.Wait(&c.l, 0)
}

// A Once is a sync.Once that is tracked, as a lock that is held while the
// function runs.
type Once struct {
	once sync.Once
	l    core.Lock
}

// Do is sync.Once.Do.
//
//go:noinline
func (o *Once) Do(f func()) {
	pc := core.Caller()
	if !o.l.Used() {
		firstUse(&o.l, pc, 0)
	}
	o.do(pc, f)
}

func (o *Once) do(pc uintptr, f func()) {
	slot := core.Acquire(&o.l, core.Write, pc, 0)
	defer core.Release(&o.l, core.Write, slot)
	if o.l.Held() {
		core.Block(&o.l, core.Write, pc)
		defer core.Unblock()
	}
	o.once.Do(func() {
		core.Unblock()
		o.l.Acquired(slot)
		defer o.l.Acquired(0)
		f()
	})
}

func (o *Once) state() *core.Lock { return &o.l }
func (o *Once) props() uint32     { return 0 }
