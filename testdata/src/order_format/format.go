// Package order_format holds locks taken again by a method that the standard
// library calls: String, Error, Format, MarshalJSON, MarshalText.
package order_format

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"sync"
)

type Conn struct {
	mu sync.Mutex
	id int
}

func (c *Conn) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprint(c.id)
}

func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Println("closing", c) // want `recursive lock: order_format\.Conn\.mu is already held by this goroutine`
}

type Sess struct {
	mu sync.Mutex
	id int
}

func (s *Sess) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.id)
}

func (s *Sess) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	log.Printf("session %v closes", s) // want `recursive lock: order_format\.Sess\.mu is already held by this goroutine`
}

type Job struct {
	mu sync.Mutex
	id int
}

func (j *Job) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return fmt.Sprint(j.id)
}

func (j *Job) Run() {
	j.mu.Lock()
	defer j.mu.Unlock()
	slog.Info("run", "job", j) // want `recursive lock: order_format\.Job\.mu is already held by this goroutine`
}

type Fail struct {
	mu  sync.Mutex
	why string
}

func (f *Fail) Error() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.why
}

func (f *Fail) Wrap() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Errorf("wrapped: %w", f) // want `recursive lock: order_format\.Fail\.mu is already held by this goroutine`
}

type Many struct {
	mu  sync.Mutex
	why string
}

func (m *Many) Error() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.why
}

func (m *Many) Join(err error) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return errors.Join(err, m).Error() // want `recursive lock: order_format\.Many\.mu is already held by this goroutine`
}

type Vec struct {
	mu sync.Mutex
	x  int
}

func (v *Vec) Format(s fmt.State, verb rune) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fmt.Fprint(s, v.x)
}

func (v *Vec) Dump() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return fmt.Sprintf("%d", v) // want `recursive lock: order_format\.Vec\.mu is already held by this goroutine`
}

type Doc struct {
	mu   sync.Mutex
	Name string
}

func (d *Doc) MarshalJSON() ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return []byte(`"` + d.Name + `"`), nil
}

func (d *Doc) Save() ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return json.Marshal(d) // want `recursive lock: order_format\.Doc\.mu is already held by this goroutine`
}

type Key struct {
	mu   sync.Mutex
	Name string
}

func (k *Key) MarshalText() ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return []byte(k.Name), nil
}

func (k *Key) Save() ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return json.Marshal(k) // want `recursive lock: order_format\.Key\.mu is already held by this goroutine`
}

// A struct logged with %v prints its fields, and one of them has a String
// method that locks what the caller holds.
type Peer struct {
	mu   sync.Mutex
	Addr string
}

func (p *Peer) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Addr
}

type Event struct {
	Kind string
	Peer *Peer
}

func (p *Peer) Emit(kind string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	log.Printf("event %v", Event{kind, p}) // want `recursive lock: order_format\.Peer\.mu is already held by this goroutine`
}

// A direct call as an argument needs no table.
type Score struct {
	mu sync.Mutex
	n  int
}

func (s *Score) Int() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *Score) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d of %d", s.n, s.Int()) // want `recursive lock: order_format\.Score\.mu is already held by this goroutine`
}
