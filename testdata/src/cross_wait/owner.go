package cross_wait

import "sync"

// Two objects of one type, of which one has the other, as a client that closes
// the clients below it.

type Feed struct {
	drain sync.Mutex
	done  chan struct{}
	below []*Feed
}

func NewFeed(below []*Feed) *Feed {
	return &Feed{done: make(chan struct{}), below: below}
}

// Silent: the feed below is closed by its own lock.
func (f *Feed) Drain() {
	f.drain.Lock()
	defer f.drain.Unlock()
	for _, b := range f.below {
		<-b.done
	}
}

func (f *Feed) Close() {
	f.drain.Lock()
	defer f.drain.Unlock()
	close(f.done)
}

// The same of one object.
type Well struct {
	drain sync.Mutex
	done  chan struct{}
	below []*Well
}

func NewWell(below []*Well) *Well {
	return &Well{done: make(chan struct{}), below: below}
}

func (f *Well) Drain() {
	f.drain.Lock()
	defer f.drain.Unlock()
	<-f.done // want `wait under lock: waits for cross_wait\.Well\.done while cross_wait\.Well\.drain is held`
}

func (f *Well) Close() {
	f.drain.Lock()
	f.drain.Unlock()
	close(f.done)
}

// What has the lock is not what has the event: the lock is that of all wells.
type Field struct {
	mu    sync.Mutex
	pumps []*Pump
}

type Pump struct {
	field *Field
	done  chan struct{}
}

func (f *Field) Add() {
	f.mu.Lock()
	f.pumps = append(f.pumps, &Pump{field: f, done: make(chan struct{})})
	f.mu.Unlock()
}

func (f *Field) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.pumps {
		<-p.done // want `wait under lock: waits for cross_wait\.Pump\.done while cross_wait\.Field\.mu is held`
	}
}

func (p *Pump) Run() {
	p.field.mu.Lock()
	p.field.mu.Unlock()
	close(p.done)
}

// Base is a part of services, of which one has others below it.
type Base struct {
	mu      sync.Mutex
	running bool
	stopped chan struct{}
}

func (b *Base) init() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = true
}

// Silent: what Run needs on its way is the lock of the service below.
func (b *Base) Halt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	<-b.stopped
}

type Lower struct{ Base }

func (l *Lower) Run() { l.init() }

type Upper struct {
	base  Base
	lower *Lower
}

func NewUpper() *Upper {
	return &Upper{base: Base{stopped: make(chan struct{})}, lower: &Lower{}}
}

func (u *Upper) Run() {
	u.lower.Run()
	close(u.base.stopped)
}

func (u *Upper) Halt() { u.base.Halt() }

// Sole has nothing below it.
type Sole struct {
	mu      sync.Mutex
	running bool
	stopped chan struct{}
}

func (s *Sole) init() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = true
}

func (s *Sole) Halt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	<-s.stopped // want `wait under lock: waits for cross_wait\.Sole\.stopped while cross_wait\.Sole\.mu is held`
}

type Single struct{ base Sole }

func NewSingle() *Single { return &Single{base: Sole{stopped: make(chan struct{})}} }

func (s *Single) Run() {
	s.base.init()
	close(s.base.stopped)
}

func (s *Single) Halt() { s.base.Halt() }

// A part that two types embed, of which one has the other.

type common struct {
	sync.RWMutex
	closed bool
}

type genericMsgs struct{ common }

func (g *genericMsgs) Flush() {
	g.Lock()
	g.closed = false
	g.Unlock()
}

type MsgFile struct {
	genericMsgs
	done sync.WaitGroup
}

func NewMsgFile() *MsgFile {
	m := &MsgFile{}
	m.Lock()
	m.done.Add(1)
	go m.tasks()
	m.Unlock()
	return m
}

func (m *MsgFile) tasks() {
	defer m.done.Done()
	m.RLock()
	closed := m.closed
	m.RUnlock()
	println(closed)
}

func (m *MsgFile) Close() {
	m.Lock()
	m.closed = true
	m.Unlock()
	m.done.Wait()
}

type msgs interface {
	Close()
	Flush()
}

type genericStore struct {
	common
	files map[string]msgs
}

// Silent: the tasks need the lock of their own file.
func (s *genericStore) Delete(k string) {
	s.Lock()
	defer s.Unlock()
	s.files[k].Close()
}

type Files struct{ genericStore }

func NewFiles() *Files {
	f := &Files{}
	f.files = map[string]msgs{"a": NewMsgFile()}
	return f
}

// One of them that waits with its own.

type shared struct {
	sync.RWMutex
	closed bool
}

type genericLogs struct{ shared }

type LogFile struct {
	genericLogs
	done sync.WaitGroup
}

func NewLogFile() *LogFile {
	m := &LogFile{}
	m.Lock()
	m.done.Add(1)
	go m.tasks()
	m.Unlock()
	return m
}

func (m *LogFile) tasks() {
	defer m.done.Done()
	m.RLock()
	closed := m.closed
	m.RUnlock()
	println(closed)
}

func (m *LogFile) Close() {
	m.Lock()
	defer m.Unlock()
	m.closed = true
	m.done.Wait() // want `wait under lock: waits for cross_wait\.LogFile\.done while cross_wait\.shared\.RWMutex is held`
}
