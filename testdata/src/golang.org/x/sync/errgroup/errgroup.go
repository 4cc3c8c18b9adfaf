// Package errgroup stands in for golang.org/x/sync/errgroup: the same
// import path and API, so that test packages need no download.
package errgroup

import (
	"context"
	"sync"
)

type Group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
}

func WithContext(ctx context.Context) (*Group, context.Context) {
	return &Group{}, ctx
}

func (g *Group) Go(f func() error) {
	g.wg.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	})
}

func (g *Group) TryGo(f func() error) bool {
	g.Go(f)
	return true
}

func (g *Group) SetLimit(n int) {}

func (g *Group) Wait() error {
	g.wg.Wait()
	return g.err
}
