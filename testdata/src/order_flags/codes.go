package order_flags

import "sync"

// A text that is compared with one constant after the other.

type Fault struct{ Code string }

type Pool struct {
	mu      sync.Mutex
	servers map[string]bool
}

func (p *Pool) drop(name string) {
	p.mu.Lock()
	delete(p.servers, name)
	p.mu.Unlock()
}

// Silent: a code is one of the two.
func (p *Pool) OnFault(name string, f *Fault) {
	if f.Code == "Client.Security.Expired" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.servers[name] = false
	}
	if f.Code == "Transient.General.Unavailable" {
		p.drop(name)
	}
}

type Ring struct {
	mu      sync.Mutex
	servers map[string]bool
}

func (r *Ring) drop(name string) {
	r.mu.Lock()
	delete(r.servers, name)
	r.mu.Unlock()
}

// The same code twice.
func (r *Ring) OnFault(name string, f *Fault) {
	if f.Code == "Client.Security.Expired" {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.servers[name] = false
	}
	if f.Code == "Client.Security.Expired" {
		r.drop(name) // want `recursive lock: order_flags\.Ring\.mu is already held by this goroutine, acquired at .*codes\.go:\d+`
	}
}

// Two that may be one and the same.
func (r *Ring) OnOther(name string, f, g *Fault) {
	if f.Code == "Client.Security.Expired" {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.servers[name] = false
	}
	if g.Code == "Transient.General.Unavailable" {
		r.drop(name) // want `recursive lock: order_flags\.Ring\.mu is already held by this goroutine, acquired at .*codes\.go:\d+`
	}
}
