package cross_cond

import "sync"

// Log has its lock and condition in a struct without a name.
type Log struct {
	mu struct {
		sync.Mutex
		cond *sync.Cond
		done bool
	}
}

func NewLog() *Log {
	l := &Log{}
	l.mu.cond = sync.NewCond(&l.mu)
	return l
}

// Silent: Wait gives the embedded lock up.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	go l.flush()
	for !l.mu.done {
		l.mu.cond.Wait()
	}
}

func (l *Log) flush() {
	l.mu.Lock()
	l.mu.done = true
	l.mu.cond.Signal()
	l.mu.Unlock()
}

// Silent: the lock is reached through the condition.
func Await(c *sync.Cond, ready func() bool) {
	c.L.Lock()
	for !ready() {
		c.Wait()
	}
	c.L.Unlock()
}

func Announce(c *sync.Cond) {
	c.L.Lock()
	c.Broadcast()
	c.L.Unlock()
}
