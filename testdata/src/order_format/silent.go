package order_format

import (
	"encoding/json"
	"fmt"
	"log"
	"sync"
)

type Node struct {
	mu sync.Mutex
	id int
}

func (n *Node) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return fmt.Sprint(n.id)
}

// Silent: %p and %T call no method.
func (n *Node) Address() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return fmt.Sprintf("%p %T", n, n)
}

// Silent: the field is printed, not the node.
func (n *Node) Print() {
	n.mu.Lock()
	defer n.mu.Unlock()
	log.Printf("node %d", n.id)
}

// Silent: the lock is given up before the node is printed.
func (n *Node) Stop() {
	n.mu.Lock()
	n.id = 0
	n.mu.Unlock()
	log.Print(n)
}

// Silent: %d does not call String.
func (n *Node) Number() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return fmt.Sprintf("%d", n)
}

type hidden struct {
	mu   sync.Mutex
	node *Node
}

func (h *hidden) MarshalJSON() ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return nil, nil
}

type Page struct {
	h    hidden
	Text string
}

// Silent: encoding/json does not look at unexported fields.
func (p *Page) Save() ([]byte, error) {
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	return json.Marshal(p)
}

type quiet struct {
	mu   sync.Mutex
	name string
}

func (q *quiet) String() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.name
}

type Card struct{ q *quiet }

// Silent: fmt cannot call the methods of what it reaches by unexported fields.
func (c *Card) Show() {
	c.q.mu.Lock()
	defer c.q.mu.Unlock()
	fmt.Println(*c)
}

// Silent: an inner pointer is printed as an address, not by String.
type Shelf struct{ Cards []*Card }

func (s *Shelf) Show() { fmt.Println(s.Cards) }

var _ fmt.Stringer = (*quiet)(nil)
