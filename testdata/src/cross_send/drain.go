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

// A queue of tasks, each with a channel of its own that has room for the one
// result that it gets.
type Tasks struct {
	mu    sync.Mutex
	queue []*task
	retry int
}

type task struct{ done chan error }

func (t *Tasks) Run(n int) error {
	var own []*task
	for range n {
		own = append(own, &task{done: make(chan error, 1)})
	}
	t.mu.Lock()
	t.queue = append(t.queue, own...)
	t.schedule()
	t.mu.Unlock()
	for _, k := range own {
		if err := <-k.done; err != nil {
			t.drop()
			return err
		}
	}
	return nil
}

func (t *Tasks) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = nil
}

// Silent: each turn of the loop sends on the channel of another task.
func (t *Tasks) schedule() {
	for len(t.queue) > 0 {
		k := t.queue[0]
		k.done <- nil
		t.queue = t.queue[1:]
	}
}

// Silent: as before, through a call.
func (t *Tasks) Finish(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range t.queue {
		k.finish(err)
	}
}

func (k *task) finish(err error) { k.done <- err }

// One channel for all tasks is full after the first.
type Shared struct {
	mu    sync.Mutex
	queue []int
	done  chan error
}

func NewShared() *Shared { return &Shared{done: make(chan error, 1)} }

func (s *Shared) Await() error {
	s.mu.Lock()
	s.queue = nil
	s.mu.Unlock()
	return <-s.done
}

func (s *Shared) Schedule() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > 0 {
		s.done <- nil // want `wait under lock: waits for cross_send\.Shared\.done while cross_send\.Shared\.mu is held`
		s.queue = s.queue[1:]
	}
}

func (s *Shared) Finish(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range s.queue {
		s.finish(err) // want `wait under lock: waits for cross_send\.Shared\.done while cross_send\.Shared\.mu is held`
	}
}

func (s *Shared) finish(err error) { s.done <- err }
