package cross_readers

import "sync"

// Far reads on both sides, with five calls down to the wait and five down to the
// lock.
type Far struct {
	mu   sync.RWMutex
	done chan struct{}
	n    int
}

func NewFar() *Far {
	f := &Far{done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.read1()
	}()
	return f
}

func (f *Far) read1() { f.read2() }
func (f *Far) read2() { f.read3() }
func (f *Far) read3() { f.read4() }
func (f *Far) read4() {
	f.mu.RLock()
	println(f.n)
	f.mu.RUnlock()
}

func (f *Far) wait1() { f.wait2() }
func (f *Far) wait2() { f.wait3() }
func (f *Far) wait3() { f.wait4() }
func (f *Far) wait4() { f.wait5() }
func (f *Far) wait5() { <-f.done }

// Silent: a writer would have to come between two readers that are far apart.
func (f *Far) Wait() int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	f.wait1()
	return f.n
}

func (f *Far) Set(n int) {
	f.mu.Lock()
	f.n = n
	f.mu.Unlock()
}

// Shut is the same with a waiter that excludes readers by itself.
type Shut struct {
	mu   sync.RWMutex
	done chan struct{}
	n    int
}

func NewShut() *Shut {
	f := &Shut{done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.read1()
	}()
	return f
}

func (f *Shut) read1() { f.read2() }
func (f *Shut) read2() { f.read3() }
func (f *Shut) read3() { f.read4() }
func (f *Shut) read4() {
	f.mu.RLock()
	println(f.n)
	f.mu.RUnlock()
}

func (f *Shut) wait1() { f.wait2() }
func (f *Shut) wait2() { f.wait3() }
func (f *Shut) wait3() { f.wait4() }
func (f *Shut) wait4() { f.wait5() }
func (f *Shut) wait5() { <-f.done }

func (f *Shut) Wait() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wait1() // want `wait under lock: waits for cross_readers\.Shut\.done while cross_readers\.Shut\.mu is held`
	return f.n
}
