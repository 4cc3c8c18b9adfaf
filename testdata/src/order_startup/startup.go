// Package order_startup holds edges that exist only before any goroutine can
// run, and edges that do not.
package order_startup

import "sync"

type Reg struct {
	mu sync.Mutex
	m  map[string]int
}

type Conf struct {
	mu  sync.Mutex
	reg *Reg
}

var (
	reg  = &Reg{m: map[string]int{}}
	conf = &Conf{reg: reg}
)

// Silent: package initialisation is over before any goroutine takes the two
// the other way round.
func init() {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	conf.mu.Lock()
	defer conf.mu.Unlock()
	reg.m["a"] = 1
}

// Silent: the only order after start-up.
func Lookup(k string) int {
	conf.mu.Lock()
	defer conf.mu.Unlock()
	reg.mu.Lock()
	defer reg.mu.Unlock()
	return reg.m[k]
}

type Node struct {
	mu   sync.Mutex
	link *Wire
}

type Wire struct {
	mu   sync.Mutex
	node *Node
}

// Silent: the constructor locks the two that it made, before it returns them.
func NewNode() *Node {
	n := &Node{}
	w := &Wire{node: n}
	w.mu.Lock()
	n.mu.Lock()
	n.link = w
	n.mu.Unlock()
	w.mu.Unlock()
	return n
}

// Silent: the only order once a node is published.
func (n *Node) Send() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.link.mu.Lock()
	defer n.link.mu.Unlock()
}

type Early struct{ mu sync.Mutex }

type Later struct{ mu sync.Mutex }

var (
	early Early
	later Later
)

// This runs at initialisation, but starts a goroutine first.
func init() {
	go spin()
	early.mu.Lock()
	later.mu.Lock() // want `lock order inversion: order_startup\.Later\.mu acquired while order_startup\.Early\.mu is held`
	later.mu.Unlock()
	early.mu.Unlock()
}

func spin() {
	later.mu.Lock()
	early.mu.Lock()
	early.mu.Unlock()
	later.mu.Unlock()
}
