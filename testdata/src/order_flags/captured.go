package order_flags

import "sync"

// A deferred closure that takes a lock if a captured flag says that it is not
// held, and sets the flag itself.

type Reader struct {
	mu     sync.Mutex
	closed bool
}

// Silent: where it is held, the flag says so.
func (r *Reader) Begin(try func() error) (err error) {
	locked := false
	defer func() {
		if !locked {
			r.mu.Lock()
			locked = true
		}
		r.closed = err != nil
		r.mu.Unlock()
	}()
	if err = try(); err != nil {
		return err
	}
	r.mu.Lock()
	locked = true
	return nil
}

type Writer struct {
	mu     sync.Mutex
	closed bool
}

// The flag is set only where it was not held.
func (w *Writer) Begin(try func() error) (err error) {
	locked := false
	defer func() { // want `recursive lock: order_flags\.Writer\.mu is already held by this goroutine`
		if !locked {
			w.mu.Lock()
			locked = true
		}
		w.closed = err != nil
		w.mu.Unlock()
	}()
	if err = try(); err != nil {
		locked = true
		w.mu.Lock()
		return err
	}
	w.mu.Lock()
	return nil
}
