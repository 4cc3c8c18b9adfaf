package cross_wait

import "sync"

// What a goroutine's end signals is owed from its start on.

type Finder struct {
	mu      sync.Mutex
	log     interface{ Print(...any) }
	running sync.WaitGroup
}

func (f *Finder) Start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log.Print("starts")
	f.running.Go(func() {})
}

// Silent: Start does not owe anything before it has the lock.
func (f *Finder) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running.Wait()
}

type Seeker struct {
	mu      sync.Mutex
	running sync.WaitGroup
}

func (f *Seeker) Start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running.Go(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
	})
}

func (f *Seeker) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running.Wait() // want `wait under lock: waits for cross_wait\.Seeker\.running while cross_wait\.Seeker\.mu is held`
}

type Hunter struct {
	mu      sync.Mutex
	running sync.WaitGroup
}

func (f *Hunter) Start() {
	f.running.Add(1)
	defer f.running.Done()
	f.mu.Lock()
	defer f.mu.Unlock()
}

func (f *Hunter) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running.Wait() // want `wait under lock: waits for cross_wait\.Hunter\.running while cross_wait\.Hunter\.mu is held`
}
