package order_flags

import "sync"

// A switch on a parameter that callers give as a constant.

const (
	opCreate = iota
	opLoad
	opToken
	opClose
)

type Kernel struct {
	once sync.Once
	tok  int
}

func (k *Kernel) call(op int) int {
	switch op {
	case opCreate, opLoad:
	default:
		return 0
	}
	return k.token()
}

// Silent: for a token, none is needed.
func (k *Kernel) token() int {
	k.once.Do(func() {
		k.tok = k.call(opToken)
	})
	return k.tok
}

func (k *Kernel) Create() { k.call(opCreate) }

type Device struct {
	once sync.Once
	tok  int
}

func (k *Device) call(op int) int {
	switch op {
	case opCreate, opLoad, opToken:
	default:
		return 0
	}
	return k.token()
}

func (k *Device) token() int {
	k.once.Do(func() { // want `recursive lock: order_flags\.Device\.once is already held by this goroutine`
		k.tok = k.call(opToken)
	})
	return k.tok
}

func (k *Device) Close() { k.call(opClose) }

// Silent: what is taken for two of the cases is released for the same two.
type Wire struct {
	a sync.Mutex
	b sync.Mutex
}

func (w *Wire) enter(op int) {
	switch op {
	case opCreate, opLoad:
		w.a.Lock()
	}
}

func (w *Wire) leave(op int) {
	switch op {
	case opCreate, opLoad:
		w.a.Unlock()
	}
}

func (w *Wire) Do() {
	w.enter(opClose)
	w.b.Lock()
	w.b.Unlock()
	w.leave(opClose)
}

func (w *Wire) Undo() {
	w.b.Lock()
	defer w.b.Unlock()
	w.a.Lock()
	w.a.Unlock()
}
