// Package semaphore stands in for golang.org/x/sync/semaphore: the same
// import path and API, so that test packages need no download.
package semaphore

import "context"

type Weighted struct{ slots chan struct{} }

func NewWeighted(n int64) *Weighted {
	return &Weighted{slots: make(chan struct{}, n)}
}

func (s *Weighted) Acquire(ctx context.Context, n int64) error {
	for range n {
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *Weighted) TryAcquire(n int64) bool {
	select {
	case s.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s *Weighted) Release(n int64) {
	for range n {
		<-s.slots
	}
}
