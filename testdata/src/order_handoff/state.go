package order_handoff

import (
	"errors"
	"sync"
)

// A transaction that holds a lock of its store until it ends, unless it has
// ended before.

type Bank struct {
	rw sync.Mutex
	n  int
}

type Trans struct {
	bank *Bank
	done func()
}

var errEnded = errors.New("ended")

func (b *Bank) Begin() (*Trans, error) {
	b.rw.Lock()
	if b.n < 0 {
		b.rw.Unlock()
		return nil, errEnded
	}
	return &Trans{bank: b}, nil
}

func (t *Trans) Rollback() error {
	if t.bank == nil {
		return errEnded
	}
	t.end()
	return nil
}

func (t *Trans) end() {
	if t.bank == nil {
		return
	}
	t.bank.rw.Unlock()
	t.bank = nil
}

func (b *Bank) Close() {
	b.rw.Lock()
	b.n = -1
	b.rw.Unlock()
}

// Silent: it is given up, if it was not before.
func Once(b *Bank) error {
	t, err := b.Begin()
	if err != nil {
		return err
	}
	_ = t.Rollback()
	b.Close()
	return nil
}

// Silent: the same in a deferred function.
func Deferred(b *Bank) (int, error) {
	t, err := b.Begin()
	if err != nil {
		return 0, err
	}
	defer func() {
		t.Rollback()
		b.Close()
	}()
	return b.n, nil
}

// It is closed while the transaction is on.
func TooEarly(b *Bank) error {
	t, err := b.Begin()
	if err != nil {
		return err
	}
	b.Close() // want `recursive lock: order_handoff\.Bank\.rw is already held by this goroutine`
	return t.Rollback()
}

// Silent: what end leaves behind is no condition on how it was called.
func Checked(b *Bank) error {
	t, err := b.Begin()
	if err != nil {
		return err
	}
	if t.bank != nil {
		t.end()
		b.Close()
	}
	return nil
}

// It is closed before the end, if the transaction is on.
func CheckedTooEarly(b *Bank) error {
	t, err := b.Begin()
	if err != nil {
		return err
	}
	if t.bank != nil {
		b.Close() // want `recursive lock: order_handoff\.Bank\.rw is already held by this goroutine`
		t.end()
	}
	return nil
}
