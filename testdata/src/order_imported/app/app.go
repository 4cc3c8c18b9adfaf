// Package app holds one side of each inversion; the other is in the package it
// imports.
package app

import (
	"order_imported/lib"
	"sync"
)

type App struct {
	mu    sync.Mutex
	index *lib.Index
	cache *lib.Cache
}

func (a *App) Query() int {
	a.index.Mu.Lock()
	defer a.index.Mu.Unlock()
	return a.index.List().Len() // want `lock order inversion: lib\.List\.mu acquired while lib\.Index\.Mu is held, but .*lib\.go:\d+:\d+ acquires them in the opposite order`
}

type Box struct {
	mu sync.Mutex
	r  *lib.Registry
}

// The importer's lock comes first here …
func (b *Box) Put() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.r.Forget() // want `lock order inversion: lib\.Registry\.mu acquired while app\.Box\.mu is held, but .* acquires them in the opposite order`
}

// … and is taken by a closure that the imported package runs under its own.
func (b *Box) Sync() {
	b.r.Freeze(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
	})
}

// Silent: App.mu before the imported locks, and never the other way round.
func (a *App) Trim() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cache.Evict()
}
