package cross_sema

import "sync"

// Token is a device that one goroutine uses at a time: who has taken the value
// out of the channel.
type Token struct {
	state sync.RWMutex
	comms chan struct{}
	n     int
}

func NewToken() *Token {
	t := &Token{comms: make(chan struct{}, 1)}
	t.comms <- struct{}{}
	return t
}

// Silent: who puts the token back has it, and needs no lock any more.
func (t *Token) Derive() int {
	t.state.RLock()
	defer t.state.RUnlock()
	<-t.comms
	t.n++
	t.comms <- struct{}{}
	return t.n
}

// Silent: see Derive.
func (t *Token) Open() {
	t.state.Lock()
	defer t.state.Unlock()
	<-t.comms
	t.n = 0
	t.comms <- struct{}{}
}

// Wrong takes the lock while it has the token.
type Wrong struct {
	state sync.Mutex
	comms chan struct{}
	n     int
}

func NewWrong() *Wrong { return &Wrong{comms: make(chan struct{}, 1)} }

func (w *Wrong) Start() {
	w.state.Lock()
	defer w.state.Unlock()
	w.comms <- struct{}{}
}

// Close keeps the token.
func (w *Wrong) Close() int {
	w.state.Lock()
	defer w.state.Unlock()
	<-w.comms // want `wait under lock: waits for cross_sema\.Wrong\.comms while cross_sema\.Wrong\.state is held`
	return w.n
}

func (w *Wrong) Open() {
	<-w.comms
	w.state.Lock()
	w.n = 0
	w.state.Unlock()
	w.comms <- struct{}{}
}
