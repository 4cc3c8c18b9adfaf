// Package lockobj is the object file of the analysis: what one package knows
// about its locks, and nothing else.
//
// internal/compile writes it from SSA, internal/link reads it. It holds plain
// data only (no go/types, no go/ssa), has one deterministic encoding
// ([Encode], [Decode]), and never looks at another package.
package lockobj

import "github.com/lockvet/lockvet/internal/directive"

// A Package is the object of one package.
type Package struct {
	Path string // import path, without a test variant's suffix
	Name string
	// Imports are the import paths of the packages it imports.
	Imports []string
	Test    bool // the package of _test.go files, or a variant that has them
	Whole   bool // everything is here; else what importers can connect to
	Funcs   []*Func
	// Types are the package's own named types with methods, and foreign
	// ones that it converts to interfaces.
	Types []Type
	// Convs says which concrete types become which interfaces here.
	Convs []Conv
	// Stores are function values put where a later call can find them.
	Stores []FuncStore
	// Events and Flows tell what the channels, groups, conditions and
	// semaphores are that functions wait for.
	Events []EventClass
	Flows  []EventFlow
	// BackPtrs are fields proven to lead back from an element of a
	// container field to the container's owner.
	BackPtrs []BackPtr
	// NoReturn names the functions that never return.
	NoReturn []string
	// Transparent names the types that only wrap a lock of their own.
	Transparent []string
	Directives  []directive.Directive
	// Limits names the bounds that were hit, each with where.
	Limits []string
	// FactSize is the size of the package's fact, in bytes, and FactLeft the
	// number of packages whose functions it leaves out for that, in objects
	// that are not part of one.
	FactSize, FactLeft int
}

// A Pos is a position in a source file.
type Pos struct {
	File      string
	Line, Col int
}

// IsValid reports whether the position is known.
func (p Pos) IsValid() bool { return p.Line > 0 }

// Mode says how a lock is held or taken.
type Mode uint8

const (
	Write Mode = iota
	Read
)

// String returns "write" or "read".
func (m Mode) String() string {
	if m == Read {
		return "read"
	}
	return "write"
}

// A Lock names one lock: its class, and the access path of its instance in
// terms of the function that speaks of it. A class of "" is that of whatever
// the path stands for in the caller (a Locker parameter).
type Lock struct {
	Class string
	Path  Path
	Mode  Mode
}

// A Held is a lock in a held set.
type Held struct {
	Lock
	Pos Pos    // where it was acquired
	In  string // the function called at Pos that acquired it; "" if it was acquired directly
	Try bool   // acquired by TryLock
	// Fresh is true if nobody else can reach the lock yet.
	Fresh bool
	// Maybe is true if a callee may have released it in a way that the
	// caller cannot tell: neither held nor free for sure.
	Maybe bool
}

// EventKind says what an [Event] does.
type EventKind uint8

const (
	Acquire EventKind = iota // Lock is acquired
	Call                     // Callee is called and waited for
	Go                       // Callee runs in a goroutine of its own
	Wait                     // waits for an event
	Signal                   // makes an event happen
)

// An Event is one thing that a function does, with what it surely holds at
// that point on some path.
type Event struct {
	Kind EventKind
	Pos  Pos
	Held []Held // innermost last
	// Dropped are locks of the caller which the function has released, and
	// not retaken, at this point.
	Dropped []Lock
	// When are the parameters and captured values that must be so for the
	// event to happen with that held set.
	When    []Cond
	Lock    Lock // of Acquire, Wait and Signal
	Try     bool // the acquisition cannot block
	Fresh   bool // nobody else can reach the lock yet
	Callee  Callee
	Args    []Arg // receiver first
	Ordered bool  // a comparison has put same-class locks in order here, or a directive says so
	// Maybe marks a call of an optional callback (nil-checked function value).
	Maybe bool
	// Op is that of a Wait or Signal, whose object is Lock; of a Go, the
	// signal that the goroutine's end is, if Lock has a name.
	Op    Op
	Group int // cases of one select share a group; 0 is none
	// Count is the number of sends on that channel which the function does,
	// 0 if a loop without a constant bound does them, or EachTurn.
	Count int
	// Last is true of a Signal that is made by whoever brings a counter to
	// zero.
	Last bool
	// After are events that were surely awaited before, of a Wait.
	After []Lock
	// Block and Seq place the event in its function, see [Func.Reach].
	Block, Seq int
}

// Op is the operation of a Wait or Signal event.
type Op uint8

const (
	OpNone Op = iota
	OpSend
	OpRecv
	OpClose
	OpRange
	OpGroupAdd  // of a WaitGroup or errgroup.Group, as the next two
	OpGroupDone // also the end of what its Go started
	OpGroupWait
	OpCondWait
	OpCondSignal
	OpSemAcquire
	OpSemRelease
	OpMake // a field gets a new channel, whatever happens afterwards
)

// CalleeKind says how the callee of a call is found.
type CalleeKind uint8

const (
	Static      CalleeKind = iota // Sym
	Interface                     // method Method of interface Iface
	ParamFunc                     // the Index'th parameter
	FreeFunc                      // the Index'th free variable
	StoredFunc                    // whatever was stored under the name Sym, of the owner Base
	UnknownFunc                   // not known
)

// A Callee names what is called.
type Callee struct {
	Kind   CalleeKind
	Sym    string
	Iface  string
	Method string // name and signature
	Index  int
	Base   Path
	Types  []string // all concrete types that an Interface callee can have, if known
	Bind   []Arg    // bindings of a closure called where it is made
}

// An Arg is what a caller knows of one argument.
type Arg struct {
	Path  Path
	Class string // class, if the argument is a lock or points to one
	Read  bool   // the argument is a lock's read side (RLocker)
	Func  *FuncRef
	Type  string // concrete type, if the argument is an interface made from it
	Const string // "true", "false", "nil" or a small integer
	Fresh bool   // allocated here and not yet published
	Owned bool   // read from a field of such an object
	// Known are fields of a fresh object whose values are known.
	Known []Known
}

// Known says that the field of an object at path At, from the object on, leads
// to the instance Is.
type Known struct{ At, Is Path }

// A FuncRef is a function value that is known: a function, closure or bound
// method, with what it captured.
type FuncRef struct {
	Sym  string
	Bind []Arg
	// Param is the parameter of the surrounding function that the value is,
	// plus one; Free likewise. Then Sym is "".
	Param, Free int
}

// A Cond is a condition on something both sides of a call can see: a parameter
// ("p1", "p0.debug", "p2==3"), captured value ("f0") or result ("r0",
// "r1==nil"). "p2==1|3" says that it is one of two constants.
type Cond struct {
	Key string
	Val bool
}

// A NetCase is one way in which a function changes its caller's held set.
type NetCase struct {
	When     []Cond
	Acquires []Held
	Releases []Lock
	// Drops are released at some exits and not at others, and nothing that
	// the caller sees tells which.
	Drops []Lock
}

// A Result says where a result of a function comes from.
type Result struct {
	Path  Path // in terms of the function's parameters; "" unknown
	Class string
	Read  bool
	Fresh bool    // allocated by the function and not published
	Known []Known // fields of a fresh result, in terms of parameters
	Func  *FuncRef
	Type  string // concrete type of an interface result, if there is only one
}

// A Func is a function.
type Func struct {
	Sym      string // unique in the program
	Name     string // for people
	Pos      Pos
	Params   int
	Exported bool // an entry point of the library
	Init     bool // runs before main
	Test     bool // in a _test.go file
	Silent   bool // generated, or told to be
	Wrapper  bool // synthetic
	Escapes  bool // its value is kept where callers cannot be known
	Used     bool // it is used as a value
	// ParamTypes name the types of the parameters.
	ParamTypes []string
	Events     []Event
	Net        []NetCase
	Results    []Result
	// Publishes has bit i set if parameter i becomes reachable by others.
	Publishes uint64
	// Sets are the pointer fields which the function assigns, by name.
	Sets []string
	// Entry are locks that callers must hold: it releases what it never took.
	Entry []Lock
	// Problems are findings that need nothing but this function.
	Problems []Problem
	Handoffs []Handoff
	// Signals is true if the function, or one that it calls, may make an
	// event happen. Then Reach says in what order its own events can come: a
	// matrix of bits over the blocks that have events, its rows at whole
	// bytes. Bit (a,b) is set if b can run after a. Open is the same where no branch is taken
	// that a closed channel leads to; "" if that is no different.
	Signals     bool
	Reach, Open string
	// Kept says into which fields the function puts objects that it made and
	// that are, or have, events.
	Kept []Kept
}

// A Kept is an object made in a function, by the root of its path, and a field
// that it is stored in; "*" if others get it in another way.
type Kept struct{ Root, Field string }

// A Problem is a finding within one function.
type Problem struct {
	Category string
	Lock     Lock
	Pos      Pos // where it is reported
	At       Pos // where the lock was acquired
	Fix      []Edit
}

// An Edit replaces the bytes from Start to End of File by New.
type Edit struct {
	File       string
	Start, End int
	New        string
}

// A Handoff is a lock acquired in one goroutine or call and released in another.
type Handoff struct {
	Lock Lock
	Pos  Pos
	To   string
}

// A Type is a concrete type with its methods.
type Type struct {
	Name    string // with a leading * where only the pointer has the methods
	Methods []Method
}

// A Method is one entry of a method set.
type Method struct {
	Name string // name and signature
	Sym  string
	Via  Path // steps from the receiver to the embedded field that has the method
}

// A Conv is a conversion of a concrete type, or of another interface, to an
// interface.
type Conv struct {
	From, To string
	Iface    bool // From is an interface
	// Private is true if the values all go into fields that only the package
	// itself can use.
	Private bool
}

// A FuncStore is a function value stored under a name: a field (pkg.T.f), a
// variable, an element of either.
type FuncStore struct {
	Name string
	Func FuncRef
	// Owner is true if the paths of Func.Bind that begin with "o" are
	// relative to the object whose field is set.
	Owner bool
	// InFresh is true if the object was fresh: every object made there has it.
	In string // function that stores
}

// A BackPtr says: for an element of field Container of any object X, field
// Back of that element is X.
type BackPtr struct {
	Container, Back string // field names
}
