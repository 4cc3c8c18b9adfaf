package lockobj

// Escape says what code that is not seen may do with an event.
type Escape uint8

const (
	EscapeRecv Escape = 1 << iota // receive from the channel
	EscapeSend                    // send on it, close it, or signal it
)

// An EventClass is what one package tells of the events of one class: of a
// channel, group, condition or semaphore.
type EventClass struct {
	Class string
	// Made is true if one is made here. Cap is the least capacity of the
	// channels made here, plus one; 0 if one of them is not constant.
	Made bool
	Cap  int
	// Escapes says who else may have it.
	Escapes Escape
	// Lock is the class of a condition's lock.
	Lock string
}

// An EventFlow says that events of class From are kept where those of class To
// are: a channel made in a function and stored in a field. With Param, what
// callers of In give as that parameter, less one, is kept there.
type EventFlow struct {
	From, To string
	In       string
	Param    int
}

// bit reads a bit of a square matrix kept row by row.
func bit(m string, n, i, j int) bool {
	k := i*n + j
	return k>>3 < len(m) && m[k>>3]&(1<<(k&7)) != 0
}

// Precedes reports whether b can run after a in one run of the function.
func (f *Func) Precedes(a, b *Event, blocks int) bool {
	return precedes(f.Reach, a, b, blocks)
}

// PrecedesOpen is Precedes by way of no branch that a closed channel leads to.
func (f *Func) PrecedesOpen(a, b *Event, blocks int) bool {
	if f.Open == "" {
		return precedes(f.Reach, a, b, blocks)
	}
	return precedes(f.Open, a, b, blocks)
}

func precedes(m string, a, b *Event, n int) bool {
	if m == "" {
		return false
	}
	if a.Block == b.Block && a.Seq < b.Seq {
		return true
	}
	return bit(m, n, a.Block, b.Block)
}

// Blocks is the number of blocks that have events.
func (f *Func) Blocks() int {
	n := 0
	for i := range f.Events {
		n = max(n, f.Events[i].Block+1)
	}
	return n
}
