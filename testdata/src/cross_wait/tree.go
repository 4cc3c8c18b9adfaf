package cross_wait

import "sync"

// Branch walks what is below it with a group for each level.
type Branch struct {
	once  sync.Once
	below []*Branch
	slow  bool
}

// Silent: each call of grow has a group of its own. What one calls itself comes
// before its wait, what another calls is of another group.
func grow(all []*Branch) {
	var wg sync.WaitGroup
	for _, b := range all {
		wg.Add(1)
		work := func(b *Branch) {
			b.grow()
			wg.Done()
		}
		if b.slow {
			work(b)
		} else {
			go work(b)
		}
	}
	wg.Wait()
}

func (b *Branch) grow() { b.once.Do(b.growOnce) }

func (b *Branch) growOnce() { grow(b.below) }

func Grow(all []*Branch) { grow(all) }

// Batch has one lock for all, and jobs that are started need it.
type Batch struct {
	mu   sync.Mutex
	jobs []int
	sum  int
}

func (b *Batch) Flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.each() // want `wait under lock: waits for cross_wait\.Batch\.each\.wg while cross_wait\.Batch\.mu is held`
}

func (b *Batch) each() {
	var wg sync.WaitGroup
	for _, j := range b.jobs {
		wg.Add(1)
		work := func(j int) {
			b.add(j)
			wg.Done()
		}
		go work(j)
	}
	wg.Wait()
}

func (b *Batch) add(j int) {
	b.mu.Lock()
	b.sum += j
	b.mu.Unlock()
}

func (b *Batch) Run() { b.each() }
