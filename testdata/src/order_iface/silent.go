package order_iface

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

type Out struct {
	mu sync.Mutex
	w  io.Writer
}

// Silent: io.Writer is universal, and which writer this is is not known.
func (o *Out) Flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.w.Write(nil)
}

type Tap struct {
	mu  sync.Mutex
	out *Out
}

// Silent: see Flush.
func (t *Tap) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(p), nil
}

// Silent: see Flush.
func (t *Tap) Rotate() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.Flush2()
}

func (o *Out) Flush2() {
	o.mu.Lock()
	defer o.mu.Unlock()
}

var _ io.Writer = (*Tap)(nil)

type Task struct {
	mu  sync.Mutex
	err error
}

type Oops struct {
	mu   sync.Mutex
	task *Task
}

// Silent: error is universal; nothing says that this error is an Oops.
func (t *Task) Why() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err.Error()
}

func (o *Oops) Error() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return "oops"
}

// Silent: see Why.
func (o *Oops) Retry() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.task.mu.Lock()
	o.task.mu.Unlock()
}

var _ error = (*Oops)(nil)

// Silent: a decorator. Each of the two wraps the other by the same interface,
// and no chain of wrappers is a ring.
type store interface{ get(k string) string }

type logged struct {
	mu   sync.Mutex
	next store
}

func (l *logged) get(k string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next.get(k)
}

type timed struct {
	mu   sync.Mutex
	next store
}

func (t *timed) get(k string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next.get(k)
}

type base map[string]string

func (b base) get(k string) string { return b[k] }

func Stack(b map[string]string) func(string) string {
	var s store = base(b)
	s = &logged{next: s}
	s = &timed{next: s}
	return s.get
}

func Stack2(b map[string]string) func(string) string {
	var s store = &logged{next: &timed{next: base(b)}}
	return s.get
}

// Silent: no type with a locking method is ever converted to the interface.
type sink interface{ accept(n int) }

type Feed struct {
	mu sync.Mutex
	s  sink
}

func (f *Feed) Push(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.s.accept(n)
}

type Drain struct {
	mu   sync.Mutex
	feed *Feed
}

func (d *Drain) accept(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
}

// Silent: see sink.
func (d *Drain) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.feed.mu.Lock()
	d.feed.mu.Unlock()
	d.accept2()
}

func (d *Drain) accept2() {}

type plain struct{}

func (plain) accept(n int) {}

func NewFeed() *Feed { return &Feed{s: plain{}} }

var errNone = errors.New("none")

func Describe() string { return fmt.Sprint(errNone) }
