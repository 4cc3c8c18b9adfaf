//go:build lockdep

package lockdep

import (
	"unsafe"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// A MutexOf is a [Mutex] whose class is named after C.
type MutexOf[C any] struct{ m Mutex }

// Lock is sync.Mutex.Lock.
//
//go:noinline
func (m *MutexOf[C]) Lock() {
	pc := core.Caller()
	if !m.m.l.Used() {
		firstUseOf[C](&m.m.l, 0)
	}
	m.m.lock(pc, 0)
}

// TryLock is sync.Mutex.TryLock.
//
//go:noinline
func (m *MutexOf[C]) TryLock() bool {
	pc := core.Caller()
	if !m.m.l.Used() {
		firstUseOf[C](&m.m.l, 0)
	}
	return m.m.tryLock(pc)
}

// Unlock is sync.Mutex.Unlock.
func (m *MutexOf[C]) Unlock() { m.m.Unlock() }

func (m *MutexOf[C]) state() *core.Lock { return &m.m.l }
func (m *MutexOf[C]) props() uint32     { return 0 }
func (m *MutexOf[C]) first()            { firstUseOf[C](&m.m.l, 0) }
func (m *MutexOf[C]) plain() *Mutex     { return &m.m }

// A RWMutexOf is a [RWMutex] whose class is named after C.
type RWMutexOf[C any] struct{ m RWMutex }

// Lock is sync.RWMutex.Lock.
//
//go:noinline
func (m *RWMutexOf[C]) Lock() {
	pc := core.Caller()
	if !m.m.l.Used() {
		firstUseOf[C](&m.m.l, core.RW)
	}
	m.m.lock(pc, 0)
}

// TryLock is sync.RWMutex.TryLock.
//
//go:noinline
func (m *RWMutexOf[C]) TryLock() bool {
	pc := core.Caller()
	if !m.m.l.Used() {
		firstUseOf[C](&m.m.l, core.RW)
	}
	return m.m.tryLock(pc)
}

// Unlock is sync.RWMutex.Unlock.
func (m *RWMutexOf[C]) Unlock() { m.m.Unlock() }

// RLock is sync.RWMutex.RLock.
//
//go:noinline
func (m *RWMutexOf[C]) RLock() {
	pc := core.Caller()
	if !m.m.l.Used() {
		firstUseOf[C](&m.m.l, core.RW)
	}
	m.m.rlock(pc, 0)
}

// TryRLock is sync.RWMutex.TryRLock.
//
//go:noinline
func (m *RWMutexOf[C]) TryRLock() bool {
	pc := core.Caller()
	if !m.m.l.Used() {
		firstUseOf[C](&m.m.l, core.RW)
	}
	return m.m.tryRLock(pc)
}

// RUnlock is sync.RWMutex.RUnlock.
func (m *RWMutexOf[C]) RUnlock() { m.m.RUnlock() }

// RLocker is sync.RWMutex.RLocker.
func (m *RWMutexOf[C]) RLocker() Locker {
	if !m.m.l.Used() {
		firstUseOf[C](&m.m.l, core.RW)
	}
	return m.m.RLocker()
}

func (m *RWMutexOf[C]) state() *core.Lock { return &m.m.l }
func (m *RWMutexOf[C]) props() uint32     { return core.RW }
func (m *RWMutexOf[C]) first()            { firstUseOf[C](&m.m.l, core.RW) }
func (m *RWMutexOf[C]) plain() *RWMutex   { return &m.m }

// firstUseOf gives l the class of C.
func firstUseOf[C any](l *core.Lock, props uint32) {
	var c any = (*C)(nil)
	l.Init(core.ClassByType(*(*uintptr)(unsafe.Pointer(&c)), props))
	if watchCollected {
		watch(l)
	}
}
