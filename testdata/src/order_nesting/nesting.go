// Package order_nesting holds two instances of one class taken together with
// nothing that orders them.
package order_nesting

import (
	"sort"
	"sync"
)

type Wallet struct {
	mu  sync.Mutex
	sum int
}

func Transfer(from, to *Wallet, n int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock() // want `nested locks of one class: order_nesting\.Wallet\.mu acquired while another order_nesting\.Wallet\.mu is held, and nothing orders the two \[lockorder/nesting LV-[0-9a-f]{8}\]`
	defer to.mu.Unlock()
	from.sum -= n
	to.sum += n
}

type Purse struct {
	mu  sync.Mutex
	sum int
}

func (p *Purse) add(n int) {
	p.mu.Lock()
	p.sum += n
	p.mu.Unlock()
}

func (p *Purse) Give(to *Purse, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sum -= n
	to.add(n) // want `nested locks of one class: order_nesting\.Purse\.mu acquired while another order_nesting\.Purse\.mu is held`
}

type Shard struct {
	mu sync.Mutex
	n  int
}

// The caller chooses the order of the slice.
func Total(shards []*Shard) (n int) {
	for _, s := range shards {
		s.mu.Lock() // want `nested locks of one class: order_nesting\.Shard\.mu acquired while another order_nesting\.Shard\.mu is held`
	}
	for _, s := range shards {
		n += s.n
	}
	for _, s := range shards {
		s.mu.Unlock()
	}
	return n
}

type Host struct {
	mu   sync.Mutex
	load int
}

// A comparator is called with its two arguments in either order.
func Rank(hosts []*Host) {
	sort.Slice(hosts, func(i, j int) bool {
		hosts[i].mu.Lock()
		defer hosts[i].mu.Unlock()
		hosts[j].mu.Lock() // want `nested locks of one class: order_nesting\.Host\.mu acquired while another order_nesting\.Host\.mu is held`
		defer hosts[j].mu.Unlock()
		return hosts[i].load < hosts[j].load
	})
}

type Stripes struct {
	locks [16]sync.Mutex
	vals  [16]int
}

// Nothing says that i is below j, or that they differ.
func (s *Stripes) Move(i, j int) {
	s.locks[i].Lock()
	s.locks[j].Lock() // want `nested locks of one class: order_nesting\.Stripes\.locks\[\] acquired while another order_nesting\.Stripes\.locks\[\] is held`
	s.vals[j] = s.vals[i]
	s.locks[j].Unlock()
	s.locks[i].Unlock()
}
