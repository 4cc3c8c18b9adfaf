package order_basic

import "sync"

var (
	confMu sync.Mutex
	conf   map[string]string

	statMu sync.RWMutex
	stat   map[string]int
)

func SetConf(k, v string) {
	confMu.Lock()
	defer confMu.Unlock()
	conf[k] = v
	count(k) // want `lock order inversion: order_basic\.statMu acquired while order_basic\.confMu is held, but .*vars\.go:\d+:\d+ acquires them in the opposite order`
}

func count(k string) {
	statMu.Lock()
	defer statMu.Unlock()
	stat[k]++
}

func Report() (n int) {
	statMu.Lock()
	for k := range stat {
		if Conf(k) != "" {
			n++
		}
	}
	statMu.Unlock()
	return n
}

func Conf(k string) string {
	confMu.Lock()
	defer confMu.Unlock()
	return conf[k]
}

// One type, two locks in opposite orders.
type Pair struct {
	head sync.Mutex
	tail sync.Mutex
}

func (p *Pair) Pop() {
	p.head.Lock()
	defer p.head.Unlock()
	p.tail.Lock() // want `lock order inversion: order_basic\.Pair\.tail acquired while order_basic\.Pair\.head is held, but .*vars\.go:\d+:\d+ acquires them in the opposite order`
	defer p.tail.Unlock()
}

func (p *Pair) Push() {
	p.tail.Lock()
	defer p.tail.Unlock()
	p.head.Lock()
	defer p.head.Unlock()
}

// Silent: two fields of one object in one order.
type Queue struct {
	head sync.Mutex
	tail sync.Mutex
}

// Silent: head, then tail, as everywhere.
func (q *Queue) Both() {
	q.head.Lock()
	defer q.head.Unlock()
	q.tail.Lock()
	defer q.tail.Unlock()
}

// Silent: head, then tail, as everywhere.
func (q *Queue) Swap(o *Queue) {
	q.head.Lock()
	o.tail.Lock()
	o.tail.Unlock()
	q.head.Unlock()
}

func LocalLocks(work []func()) {
	var in, out sync.Mutex
	var wg sync.WaitGroup
	for _, w := range work {
		wg.Add(1)
		go func() {
			defer wg.Done()
			in.Lock()
			out.Lock() // want `lock order inversion: order_basic\.LocalLocks\.out acquired while order_basic\.LocalLocks\.in is held, but .*vars\.go:\d+:\d+ acquires them in the opposite order`
			out.Unlock()
			in.Unlock()
			w()
		}()
	}
	out.Lock()
	in.Lock()
	in.Unlock()
	out.Unlock()
	wg.Wait()
}
