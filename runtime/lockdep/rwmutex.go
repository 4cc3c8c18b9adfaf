//go:build lockdep

package lockdep

import (
	"sync"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// A RWMutex is a sync.RWMutex that is tracked.
type RWMutex struct {
	mu sync.RWMutex
	l  core.Lock
}

// Lock is sync.RWMutex.Lock.
//
//go:noinline
func (m *RWMutex) Lock() {
	pc := core.Caller()
	if !m.l.Used() {
		firstUse(&m.l, pc, core.RW)
	}
	m.lock(pc, 0)
}

func (m *RWMutex) lock(pc uintptr, how uint8) {
	slot := core.Acquire(&m.l, core.Write, pc, how)
	if !m.mu.TryLock() {
		core.Block(&m.l, core.Write, pc)
		m.mu.Lock()
		core.Unblock()
	}
	m.l.Acquired(slot)
}

// TryLock is sync.RWMutex.TryLock.
//
//go:noinline
func (m *RWMutex) TryLock() bool {
	pc := core.Caller()
	if !m.l.Used() {
		firstUse(&m.l, pc, core.RW)
	}
	return m.tryLock(pc)
}

func (m *RWMutex) tryLock(pc uintptr) bool {
	if !m.mu.TryLock() {
		return false
	}
	m.l.Acquired(core.TryAcquired(&m.l, core.Write, pc))
	return true
}

// Unlock is sync.RWMutex.Unlock.
//
//go:noinline
func (m *RWMutex) Unlock() {
	holder := m.l.Releasing(core.Caller())
	m.mu.Unlock()
	core.Release(&m.l, core.Write, holder)
}

// RLock is sync.RWMutex.RLock.
//
//go:noinline
func (m *RWMutex) RLock() {
	pc := core.Caller()
	if !m.l.Used() {
		firstUse(&m.l, pc, core.RW)
	}
	m.rlock(pc, 0)
}

func (m *RWMutex) rlock(pc uintptr, how uint8) {
	core.Acquire(&m.l, core.Read, pc, how)
	if !m.mu.TryRLock() {
		core.Block(&m.l, core.Read, pc)
		m.mu.RLock()
		core.Unblock()
	}
}

// TryRLock is sync.RWMutex.TryRLock.
//
//go:noinline
func (m *RWMutex) TryRLock() bool {
	pc := core.Caller()
	if !m.l.Used() {
		firstUse(&m.l, pc, core.RW)
	}
	return m.tryRLock(pc)
}

func (m *RWMutex) tryRLock(pc uintptr) bool {
	if !m.mu.TryRLock() {
		return false
	}
	core.TryAcquired(&m.l, core.Read, pc)
	return true
}

// RUnlock is sync.RWMutex.RUnlock.
//
//go:noinline
func (m *RWMutex) RUnlock() {
	m.l.RReleasing(core.Caller())
	m.mu.RUnlock()
	core.Release(&m.l, core.Read, 0)
}

// RLocker is sync.RWMutex.RLocker.
func (m *RWMutex) RLocker() Locker { return (*rlocker)(m) }

func (m *RWMutex) state() *core.Lock { return &m.l }
func (m *RWMutex) props() uint32     { return core.RW }

type rlocker RWMutex

//go:noinline
func (r *rlocker) Lock() {
	pc := core.Caller()
	if !r.l.Used() {
		firstUse(&r.l, pc, core.RW)
	}
	(*RWMutex)(r).rlock(pc, 0)
}

//go:noinline
func (r *rlocker) Unlock() {
	r.l.RReleasing(core.Caller())
	r.mu.RUnlock()
	core.Release(&r.l, core.Read, 0)
}

func (r *rlocker) state() *core.Lock { return &r.l }
func (r *rlocker) props() uint32     { return core.RW }
