//go:build lockdep

package lockdep

import (
	"fmt"

	"github.com/lockvet/lockvet/runtime/lockdep/internal/core"
)

// tracked is what all tracked types have.
type tracked interface {
	state() *core.Lock
	props() uint32
}

// stateOf returns the engine's part of l, which has a class by then.
func stateOf(what string, l any, pc uintptr) *core.Lock {
	t, ok := l.(tracked)
	if !ok {
		panic(fmt.Sprintf("lockdep: %s: %T is not a tracked type", what, l))
	}
	s := t.state()
	if !s.Used() {
		if o, ok := l.(interface{ first() }); ok {
			o.first()
		} else {
			firstUse(s, pc, t.props())
		}
	}
	return s
}

// SetClass gives l, a pointer to one of the package's types, the class name.
// Locks of a class that is named so are taken for one another: an order
// inversion is reported for any of them. SetClass is called before l is used,
// or at least while nobody holds it. A name can be used for one kind of lock:
// a mutex and an RWMutex of the same name are two classes.
func SetClass(l any, name string) {
	t, ok := l.(tracked)
	if !ok {
		panic(fmt.Sprintf("lockdep: SetClass: %T is not a tracked type", l))
	}
	t.state().SetClass(core.ClassByName(name, t.props()))
}

// Lock locks l, a pointer to a Mutex or RWMutex of any kind, in the way that
// how says. Without how it is l.Lock().
//
//go:noinline
func Lock(l Locker, how ...How) {
	pc := core.Caller()
	if len(how) == 0 {
		l.Lock()
		return
	}
	at := prepare("Lock", l, how, pc)
	switch m := l.(type) {
	case *Mutex:
		m.lock(pc, at)
	case *RWMutex:
		m.lock(pc, at)
	case interface{ plain() *Mutex }:
		m.plain().lock(pc, at)
	case interface{ plain() *RWMutex }:
		m.plain().lock(pc, at)
	case *rlocker:
		(*RWMutex)(m).rlock(pc, at)
	default:
		l.Lock()
	}
}

// RLock locks l, a pointer to an RWMutex of any kind, for reading, in the way
// that how says.
//
//go:noinline
func RLock(l interface{ RLock() }, how ...How) {
	pc := core.Caller()
	if len(how) == 0 {
		l.RLock()
		return
	}
	at := prepare("RLock", l, how, pc)
	switch m := l.(type) {
	case *RWMutex:
		m.rlock(pc, at)
	case interface{ plain() *RWMutex }:
		m.plain().rlock(pc, at)
	default:
		l.RLock()
	}
}

// prepare returns how in the engine's terms, and checks what can be checked.
func prepare(what string, l any, how []How, pc uintptr) (at uint8) {
	s := stateOf(what, l, pc)
	for _, h := range how {
		if h.level > 0 {
			at |= core.AtLevel(h.level)
		}
		if h.parent != nil {
			p := stateOf("Under", h.parent, pc)
			if _, ok := core.Holds(p); !ok {
				core.Fail(p.Class(), pc, fmt.Sprintf("%s is not held, under which %s is acquired", className(p.Class()), className(s.Class())))
			}
			at |= core.Under
		}
	}
	return at
}

// AssertHeld reports it if the calling goroutine does not hold l for writing.
//
//go:noinline
func AssertHeld(l any) {
	pc := core.Caller()
	s := stateOf("AssertHeld", l, pc)
	if h, ok := core.Holds(s); core.On() && (!ok || h.Mode != core.Write) {
		core.Fail(s.Class(), pc, className(s.Class())+" is not held for writing by this goroutine")
	}
}

// AssertRHeld reports it if the calling goroutine does not hold l, for writing
// or reading.
//
//go:noinline
func AssertRHeld(l any) {
	pc := core.Caller()
	s := stateOf("AssertRHeld", l, pc)
	if _, ok := core.Holds(s); core.On() && !ok {
		core.Fail(s.Class(), pc, className(s.Class())+" is not held by this goroutine")
	}
}

// AssertNotHeld reports it if the calling goroutine holds l.
//
//go:noinline
func AssertNotHeld(l any) {
	pc := core.Caller()
	s := stateOf("AssertNotHeld", l, pc)
	if h, ok := core.Holds(s); ok {
		core.Fail(s.Class(), pc, fmt.Sprintf("%s is held by this goroutine, acquired at %v", className(s.Class()), siteOf(h.PC)))
	}
}

// Pin notes that the calling goroutine relies on holding l until [Unpin] with
// the same cookie: a callee that unlocks it in between, even if it locks it
// again, is reported. Not holding l is reported too.
//
//go:noinline
func Pin(l any) Cookie {
	pc := core.Caller()
	s := stateOf("Pin", l, pc)
	h, ok := core.Holds(s)
	if core.On() && !ok {
		core.Fail(s.Class(), pc, className(s.Class())+" is pinned but not held by this goroutine")
	}
	return Cookie{h.Seq}
}

// Unpin ends what [Pin] began.
//
//go:noinline
func Unpin(l any, c Cookie) {
	pc := core.Caller()
	s := stateOf("Unpin", l, pc)
	if h, ok := core.Holds(s); core.On() && c.seq != 0 && (!ok || h.Seq != c.seq) {
		core.Fail(s.Class(), pc, className(s.Class())+" was released while it was pinned")
	}
}
