//go:build lockdep

package lockdep

import (
	"sync"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// A Locker represents an object that can be locked and unlocked.
type Locker = sync.Locker

// A Mutex is a sync.Mutex that is tracked.
type Mutex struct {
	mu sync.Mutex
	l  core.Lock
}

// Lock is sync.Mutex.Lock.
//
//go:noinline
func (m *Mutex) Lock() {
	pc := core.Caller()
	if !m.l.Used() {
		firstUse(&m.l, pc, 0)
	}
	m.lock(pc, 0)
}

func (m *Mutex) lock(pc uintptr, how uint8) {
	slot := core.Acquire(&m.l, core.Write, pc, how)
	if !m.mu.TryLock() {
		core.Block(&m.l, core.Write, pc)
		m.mu.Lock()
		core.Unblock()
	}
	m.l.Acquired(slot)
}

// TryLock is sync.Mutex.TryLock.
//
//go:noinline
func (m *Mutex) TryLock() bool {
	pc := core.Caller()
	if !m.l.Used() {
		firstUse(&m.l, pc, 0)
	}
	return m.tryLock(pc)
}

func (m *Mutex) tryLock(pc uintptr) bool {
	if !m.mu.TryLock() {
		return false
	}
	m.l.Acquired(core.TryAcquired(&m.l, core.Write, pc))
	return true
}

// Unlock is sync.Mutex.Unlock.
//
//go:noinline
func (m *Mutex) Unlock() {
	holder := m.l.Releasing(core.Caller())
	m.mu.Unlock()
	core.Release(&m.l, core.Write, holder)
}

func (m *Mutex) state() *core.Lock { return &m.l }
func (m *Mutex) props() uint32     { return 0 }

// firstUse gives l the class of the line that first acquires it.
func firstUse(l *core.Lock, pc uintptr, props uint32) {
	l.Init(core.ClassBySite(pc, props))
	if props&core.Event != 0 {
		l.Born()
		return
	}
	if watchCollected {
		watch(l)
	}
}
