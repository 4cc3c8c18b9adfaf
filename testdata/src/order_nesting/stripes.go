package order_nesting

import "sync"

// Sharded keeps series in shards, each with a lock.
type Sharded struct {
	locks [8]sync.Mutex
	maps  [8]map[int]*series
}

type series struct {
	mu sync.Mutex
	id int
}

func (s *Sharded) each(check func(i int, x *series)) {
	for i := range s.maps {
		s.locks[i].Lock()
		for _, x := range s.maps[i] {
			check(i, x)
		}
		s.locks[i].Unlock()
	}
}

// Silent: the lock of a second shard is taken under that of a series, which is
// in the first: who holds the second asks for series of that one only. Whether
// the shards are in order is no question of the series' lock.
func (s *Sharded) Drop() {
	s.each(func(i int, x *series) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if j := x.id % 8; i != j {
			s.locks[j].Lock()
			delete(s.maps[j], x.id)
			s.locks[j].Unlock()
		}
	})
}

// Striped is the same, but for a function that gets a series of a shard by way
// of another one's lock.
type Striped struct {
	locks [8]sync.Mutex
	maps  [8]map[int]*serie
	byRef [8]map[int]*serie
}

type serie struct {
	mu sync.Mutex
	id int
}

func (s *Striped) each(check func(i int, x *serie)) {
	for i := range s.maps {
		s.locks[i].Lock()
		for _, x := range s.maps[i] {
			check(i, x)
		}
		s.locks[i].Unlock()
	}
}

func (s *Striped) Drop() {
	s.each(func(i int, x *serie) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if j := x.id % 8; i != j {
			s.locks[j].Lock()
			delete(s.byRef[j], x.id)
			s.locks[j].Unlock()
		}
	})
}

func (s *Striped) Snapshot() (n int) {
	for i := range s.byRef {
		s.locks[i].Lock()
		for _, x := range s.byRef[i] {
			x.mu.Lock() // want `lock order inversion: order_nesting\.serie\.mu acquired while order_nesting\.Striped\.locks\[\] is held`
			n += x.id
			x.mu.Unlock()
		}
		s.locks[i].Unlock()
	}
	return n
}
