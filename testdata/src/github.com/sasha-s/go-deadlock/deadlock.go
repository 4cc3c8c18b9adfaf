// Package deadlock stands in for github.com/sasha-s/go-deadlock: the same
// import path and API, so that test packages need no download.
package deadlock

import "sync"

type Mutex struct{ mu sync.Mutex }

func (m *Mutex) Lock() { m.mu.Lock() }

func (m *Mutex) TryLock() bool { return m.mu.TryLock() }

func (m *Mutex) Unlock() { m.mu.Unlock() }

type RWMutex struct{ mu sync.RWMutex }

func (m *RWMutex) Lock() { m.mu.Lock() }

func (m *RWMutex) TryLock() bool { return m.mu.TryLock() }

func (m *RWMutex) Unlock() { m.mu.Unlock() }

func (m *RWMutex) RLock() { m.mu.RLock() }

func (m *RWMutex) TryRLock() bool { return m.mu.TryRLock() }

func (m *RWMutex) RUnlock() { m.mu.RUnlock() }

func (m *RWMutex) RLocker() sync.Locker { return m.mu.RLocker() }

type Once struct{ sync.Once }

type WaitGroup struct{ sync.WaitGroup }

type Cond struct{ sync.Cond }

func NewCond(l sync.Locker) *sync.Cond { return sync.NewCond(l) }
