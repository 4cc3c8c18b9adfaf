package core

import "sync/atomic"

// Goroutine-local storage without a field in the runtime's g: a table from
// the address of the g to the goroutine's record. The runtime keeps every g it
// ever made and uses it again for later goroutines, so an entry is made
// once for each g and never removed; the goroutine id in the record tells
// whose it is now. Segments double in size and are made when needed.

const (
	firstSegment = 10 // log2 of the slots in the first segment
	maxSegments  = 12 // 4 million goroutines that ever held a lock at once
	probe        = 8  // slots looked at in one segment
	tombstone    = 1  // key of a slot that was given up
)

// A slot is padded to a cache line: neighbours belong to goroutines on other
// processors.
type slot struct {
	key atomic.Uintptr
	rec atomic.Pointer[record]
	_   [48]byte
}

var (
	segments   [maxSegments]atomic.Pointer[[]slot]
	firstSlots [1 << firstSegment]slot // the first of them
)

//go:norace
func hashKey(key uintptr) uint64 { return uint64(key>>5) * 0x9e3779b97f4a7c15 }

// slotOf returns the slot of the goroutine with key, and its number, from 1.
// It returns nil when all are taken.
//
//go:norace
func slotOf(key uintptr) (*slot, uint32) {
	h := hashKey(key)
	for {
		free, number, base := (*slot)(nil), uint32(0), uint32(1)
	search:
		for i := 0; i < maxSegments; i++ {
			p := segments[i].Load()
			if p == nil {
				p = newSegment(i)
			}
			seg := *p
			mask := uint32(len(seg) - 1)
			at := uint32(h >> (64 - firstSegment - i))
			for j := uint32(0); j < probe; j++ {
				k := (at + j) & mask
				s := &seg[k]
				switch s.key.Load() {
				case key:
					return s, base + k
				case 0:
					if free == nil {
						free, number = s, base+k
					}
					break search // it would have been put here
				case tombstone:
					if free == nil {
						free, number = s, base+k
					}
				}
			}
			base += mask + 1
		}
		if free == nil {
			return nil, 0
		}
		old := free.key.Load()
		if (old == 0 || old == tombstone) && free.key.CompareAndSwap(old, key) {
			return free, number
		}
	}
}

//go:norace
func newSegment(i int) *[]slot {
	seg := firstSlots[:]
	if i > 0 {
		seg = make([]slot, 1<<(firstSegment+i))
	}
	if segments[i].CompareAndSwap(nil, &seg) {
		return &seg
	}
	return segments[i].Load()
}

// slotAt returns the slot with the number n.
//
//go:norace
func slotAt(n uint32) *slot {
	if n == 0 {
		return nil
	}
	n--
	for i := 0; i < maxSegments; i++ {
		size := uint32(1) << (firstSegment + i)
		if n < size {
			p := segments[i].Load()
			if p == nil {
				return nil
			}
			return &(*p)[n]
		}
		n -= size
	}
	return nil
}

// everyRecord goes through the records of all goroutines that have one. Records
// change while they are looked at. (An iterator rather than a function that
// takes one: function literals do not inherit go:norace.)
type everyRecord struct{ segment, at int }

// next returns the next record, nil at the end.
//
//go:norace
func (e *everyRecord) next() *record {
	for e.segment < maxSegments {
		p := segments[e.segment].Load()
		if p == nil {
			return nil
		}
		seg := *p
		for e.at < len(seg) {
			r := seg[e.at].rec.Load()
			e.at++
			if r != nil {
				return r
			}
		}
		e.segment, e.at = e.segment+1, 0
	}
	return nil
}

// current returns the calling goroutine's record. It makes one if there is
// none and create is set; nil means that there is none.
//
//go:norace
func current(create bool) *record {
	key, goid := whoami()
	s := &firstSlots[hashKey(key)>>(64-firstSegment)]
	if s.key.Load() == key {
		if r := s.rec.Load(); r != nil && r.goid == goid && r.inbox.Load() == 0 {
			return r
		}
	}
	return currentSlow(key, goid, create)
}

//go:norace
func currentSlow(key uintptr, goid uint64, create bool) *record {
	s, n := slotOf(key)
	if s == nil {
		full(TableGoroutines)
		return nil
	}
	r := s.rec.Load()
	if r != nil && r.goid == goid {
		if r.inbox.Load() != 0 {
			r.drain()
		}
		return r
	}
	if r != nil {
		r.takeOver(goid)
		return r
	}
	if !create {
		return nil
	}
	r = getRecord()
	r.goid = goid
	r.slot = n
	r.home = s
	s.rec.Store(r)
	return r
}
