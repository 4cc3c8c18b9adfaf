package cross_send

import "sync"

// Board keeps the newest value for each watcher in a channel of one.
type Board struct {
	mu       sync.Mutex
	watchers map[int]chan int
	last     int
}

// Silent: each branch sends once, and the buffer holds one.
func (b *Board) Watch(id int, known bool) <-chan int {
	c := make(chan int, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if known {
		c <- b.last
	} else {
		c <- -1
	}
	b.watchers[id] = c
	return c
}

// Silent: all sends are under the lock, and what is in the buffer is taken out
// before.
func (b *Board) Post(v int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = v
	for _, c := range b.watchers {
		select {
		case <-c:
		default:
		}
		c <- v
	}
}

// Follow takes the lock between two receives.
func (b *Board) Follow(id int) {
	b.mu.Lock()
	c := b.watchers[id]
	b.mu.Unlock()
	for range c {
		b.mu.Lock()
		b.last++
		b.mu.Unlock()
	}
}
