package cross_wait

import "sync"

// Book waits for workers that it starts itself.
type Book struct {
	mu   sync.Mutex
	n    int
	next *Book
}

func (b *Book) add() {
	b.mu.Lock()
	b.n++
	b.mu.Unlock()
}

// The workers need the very lock that is held.
func (b *Book) Refresh() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refreshLocked() // want `wait under lock: waits for cross_wait\.Book\.refreshLocked\.wg while cross_wait\.Book\.mu is held`
}

func (b *Book) refreshLocked() {
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			b.add()
		}()
	}
	wg.Wait()
}

// Silent: the workers need the lock of the next book.
func (b *Book) RefreshNext() {
	b.mu.Lock()
	defer b.mu.Unlock()
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			b.next.add()
		}()
	}
	wg.Wait()
}

// Check makes the channel and starts who closes it.
func (b *Book) Check() <-chan int {
	ch := make(chan int)
	go func() {
		defer close(ch)
		b.add()
	}()
	return ch
}

func (b *Book) commit() {
	for range b.Check() {
	}
}

// Silent: the book that is checked is not the one that is locked.
func Copy(from, to *Book) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.commit()
}

func (b *Book) Commit() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.commit() // want `wait under lock: waits for cross_wait\.Book\.Check\.ch while cross_wait\.Book\.mu is held`
}
