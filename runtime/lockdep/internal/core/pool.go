package core

import "sync/atomic"

// Goroutine records come from caches of the processors, which trade batches
// with one shared list, as the kernel's debug objects do. The shared list is
// never waited for: who finds it busy makes a new record, or keeps one more.

// poolBatch is the number of records moved at once, the kernel's choice.
const poolBatch = 4

// poolSpare is how many records the shared list keeps beyond Config.Records:
// the debug objects' pool starts with as many.
const poolSpare = 1024

type poolCache struct {
	free *record
	n    int32
	_    [48]byte
}

var (
	poolCaches  []poolCache // by processor
	poolHigh    int32       // a cache with more gives a batch back
	sharedLock  spin
	sharedFree  *record
	sharedCount int64

	recordsMade atomic.Int64
)

// setupPool sizes the caches: on a machine with more processors more records
// are in flight between them, and the shared list is busier.
//
//go:norace
func setupPool(procs int) {
	poolCaches = make([]poolCache, procs)
	poolHigh = 2 * poolBatch
	for n := procs; n > 1; n /= 2 {
		poolHigh += poolBatch
	}
}

//go:norace
func getRecord() *record {
	if !cfg.Pool {
		return newRecord()
	}
	p := pin()
	if p < len(poolCaches) {
		c := &poolCaches[p]
		if c.free == nil && sharedCount > 0 {
			if sharedLock.tryLock() {
				for i := 0; i < poolBatch && sharedFree != nil; i++ {
					r := sharedFree
					sharedFree = r.nextFree
					sharedCount--
					r.nextFree = c.free
					c.free = r
					c.n++
				}
				sharedLock.unlock()
				countAt(p, PoolRefill)
			} else {
				countAt(p, PoolBusy)
			}
		}
		if r := c.free; r != nil {
			c.free = r.nextFree
			c.n--
			r.nextFree = nil
			unpin()
			count(PoolGet)
			return r
		}
	}
	unpin()
	return newRecord()
}

//go:norace
func newRecord() *record {
	recordsMade.Add(1)
	count(PoolNew)
	r := new(record)
	r.init()
	return r
}

//go:norace
func putRecord(r *record) {
	if !cfg.Pool {
		recordsMade.Add(-1)
		return
	}
	p := pin()
	if p >= len(poolCaches) {
		unpin()
		recordsMade.Add(-1)
		return
	}
	c := &poolCaches[p]
	r.nextFree = c.free
	c.free = r
	c.n++
	countAt(p, PoolPut)
	if c.n > poolHigh {
		if sharedLock.tryLock() {
			for i := 0; i < poolBatch; i++ {
				r := c.free
				c.free = r.nextFree
				c.n--
				if sharedCount >= int64(cfg.Records)+poolSpare {
					recordsMade.Add(-1) // left to the garbage collector
					continue
				}
				r.nextFree = sharedFree
				sharedFree = r
				sharedCount++
			}
			sharedLock.unlock()
			countAt(p, PoolDrain)
		} else {
			countAt(p, PoolSkip)
		}
	}
	unpin()
}
