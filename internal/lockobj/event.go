package lockobj

// Escape says what code that is not seen may do with an event.
type Escape uint8

const (
	EscapeRecv Escape = 1 << iota // receive from the channel
	EscapeSend                    // send on it, close it, or signal it
)

// EachTurn is the Count of a send in a loop of which each turn sends on another
// channel.
const EachTurn = -1

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

// Precedes reports whether b can run after a in one run of the function.
func (f *Func) Precedes(a, b *Event) bool { return precedes(f.Reach, a, b) }

// PrecedesOpen is Precedes by way of no branch that a closed channel leads to.
func (f *Func) PrecedesOpen(a, b *Event) bool {
	if f.Open == "" {
		return precedes(f.Reach, a, b)
	}
	return precedes(f.Open, a, b)
}

// precedes reads a matrix of [Func.Reach]. Its rows start at whole bytes, so
// that its length tells the length of a row.
func precedes(m string, a, b *Event) bool {
	if m == "" {
		return false
	}
	if a.Block == b.Block && a.Seq < b.Seq {
		return true
	}
	row := 1
	for 8*row*row < len(m) {
		row++
	}
	at := a.Block*row + b.Block>>3
	return at < len(m) && m[at]&(1<<(b.Block&7)) != 0
}
