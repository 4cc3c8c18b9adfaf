package core

import (
	"runtime"
	"sync/atomic"
)

// Properties of a class.
const (
	Named        uint32 = 1 << iota // the user named it: the class counts as an instance does
	classWriter                     // a write lock of it was taken
	RW                              // readers exist
	Handoff                         // one of its locks was released by another goroutine
	Event                           // waited for and signalled, not held
	classWaited                     // was waited for with a lock held
	Instances                       // instances count, although the user named the class
	classLearned                    // Learn has looked
	Room                            // an event that senders wait for: room in a channel
)

const (
	classNamed   = Named
	classRW      = RW
	classHandoff = Handoff
)

type classInfo struct {
	flags atomic.Uint32
	order int32  // of its component, see order.go
	comp  uint16 // union-find parent
	next  uint16 // ring of the members of its component
	node  int32  // see provokedNode; 0: not asked yet, -1: none
	src   Source
	alias atomic.Pointer[siteEntry] // name found by Learn
}

// A Source says where a class has its name from: one of the fields.
type Source struct {
	Name string  // given by the user or the site table
	Type uintptr // type word of an interface that holds a *C, for MutexOf[C]
	PC   uintptr // site of a first acquisition
}

var (
	classes   []classInfo
	lastClass atomic.Uint32
)

// NumClasses returns how many classes exist; they are numbered from 1.
//
//go:norace
func NumClasses() int {
	enter()
	n := int(lastClass.Load())
	leave()
	return n
}

// ClassSource returns where the class has its name from, and its properties.
//
//go:norace
func ClassSource(class uint16) (Source, uint32) {
	enter()
	s, p := classes[class].src, classes[class].flags.Load()
	if a := classes[class].alias.Load(); a != nil {
		s = Source{Name: a.name}
	}
	leave()
	return s, p
}

// classKeys finds classes by what they come from. Entries are made once, under
// classLock, and never change.
var (
	classKeys []classKey
	keysUsed  int
	classLock spin
)

type classKey struct {
	key   atomic.Uint64 // never 0
	class atomic.Uint32
}

//go:norace
func lookup(key uint64) (class uint16, ok bool) {
	mask := uint64(len(classKeys) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		switch classKeys[i].key.Load() {
		case key:
			return uint16(classKeys[i].class.Load()), true
		case 0:
			return 0, false
		}
	}
}

// remember makes key stand for class. It is called with classLock held.
//
//go:norace
func remember(key uint64, class uint16) {
	if keysUsed >= len(classKeys)/2 {
		return // found again the slow way
	}
	keysUsed++
	mask := uint64(len(classKeys) - 1)
	i := key & mask
	for classKeys[i].key.Load() != 0 {
		i = (i + 1) & mask
	}
	classKeys[i].class.Store(uint32(class))
	classKeys[i].key.Store(key)
}

// classFor returns the class of key, made from src if there is none. It returns
// 0, the class whose locks are not checked, when there are too many.
//
//go:norace
func classFor(key uint64, src Source, props uint32) uint16 {
	key |= 1
	if c, ok := lookup(key); ok {
		return c
	}
	classLock.lock()
	c, ok := lookup(key)
	if !ok {
		c = newClass(key, src, props)
	}
	classLock.unlock()
	return c
}

//go:norace
func newClass(key uint64, src Source, props uint32) uint16 {
	if int(lastClass.Load()) >= len(classes)-1 {
		full(TableClasses)
		return 0
	}
	n := lastClass.Load() + 1
	if props&(RW|Event) == 0 {
		props |= classWriter
	}
	classes[n].src = src
	classes[n].flags.Store(props)
	lastClass.Store(n)
	remember(key, uint16(n))
	return uint16(n)
}

// ClassByName returns the class that the user calls name.
//
//go:norace
func ClassByName(name string, props uint32) uint16 {
	if !on {
		return 0
	}
	enter()
	if props&Instances == 0 {
		props |= Named
	}
	c := classFor(mix(hashString(name), uint64(props&(RW|Event|Named))), Source{Name: name}, props)
	leave()
	return c
}

// ClassByType returns the class named after a type.
//
//go:norace
func ClassByType(word uintptr, props uint32) uint16 {
	if !on {
		return 0
	}
	enter()
	c := classFor(mix(uint64(word), uint64(props&(RW|Event)|Named)), Source{Type: word}, props|Named)
	leave()
	return c
}

// subclass returns the n-th subclass of class: the same locks, one level
// further in.
//
//go:norace
func subclass(class uint16, n int) uint16 {
	if class == 0 {
		return 0
	}
	props := classes[class].flags.Load() &^ classWaited
	return classFor(mix(uint64(class)<<32|uint64(n), 77), Source{Name: subclassMark, PC: uintptr(class), Type: uintptr(n)}, props)
}

// subclassMark is the name in the source of a subclass, whose PC and Type are
// the number of the class and of the level.
const subclassMark = "\x00"

// Parent returns the class of which src is the n-th subclass.
func (src Source) Parent() (class uint16, n int, ok bool) {
	return uint16(src.PC), int(src.Type), src.Name == subclassMark
}

// ClassBySite returns the class of a lock that is first acquired at pc: that of
// the site table for this line, or else the line itself.
//
//go:norace
func ClassBySite(pc uintptr, props uint32) uint16 {
	if !on {
		return 0
	}
	enter()
	pc = site(pc)
	kind := uint64(props & (RW | Event | Room))
	key := mix(uint64(pc), 5+kind) | 1
	c, ok := lookup(key)
	if !ok {
		find := callerAt
		if props&(Event|Room) != 0 {
			find = outerSite
		}
		at := find(pc)
		line := siteLine(at)
		if tracksItself(at) || props&(Event|Room) != 0 && tracksItself(pc) {
			c = 0
		} else if name, ok := siteName(line); ok {
			c = classFor(mix(hashString(name), kind), Source{Name: name}, props)
		} else {
			c = classFor(mix(line, 9+kind), Source{PC: at}, props)
		}
		classLock.lock()
		if _, ok := lookup(key); !ok && (c != 0 || tracksItself(at)) && at == pc {
			remember(key, c)
		}
		classLock.unlock()
	}
	leave()
	return c
}

// callerAt is outerSite for who acquires a lock. It remembers where callers are
// hidden.
//
//go:norace
func callerAt(pc uintptr) uintptr {
	at := outerSite(pc)
	if at != pc {
		rememberHiding(pc)
	}
	return at
}

// outerSite returns pc, or the one of the next caller if pc lies in a method
// that the compiler made to reach a promoted one, or in a tracked package.
//
//go:norace
func outerSite(pc uintptr) uintptr {
	f := runtime.FuncForPC(pc - 1)
	if f == nil {
		return pc
	}
	if file, _ := f.FileLine(pc - 1); file != "<autogenerated>" && !Ours(f.Name()) {
		return pc
	}
	if outer := site(0); outer != 0 { // the runtime leaves such methods out
		return outer
	}
	return pc
}

// siteLine returns a hash of the file and line of pc.
//
//go:norace
func siteLine(pc uintptr) uint64 {
	f := runtime.FuncForPC(pc - 1)
	if f == nil {
		return uint64(pc)
	}
	file, line := f.FileLine(pc - 1)
	return HashLine(file, line)
}

// HashLine returns the hash under which [SetSites] expects a line.
//
//go:norace
func HashLine(file string, line int) uint64 { return mix(hashString(file), uint64(line)) | 1 }

//go:norace
func hashString(s string) uint64 {
	h := uint64(14695981039346656037) // FNV-1a
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// siteNames is the site table, sorted into an open hash table.
type siteEntry struct {
	line uint64
	name string
}

var siteNames atomic.Pointer[[]siteEntry]

// SetSites gives the engine the classes of lines. Locks that are in use
// already keep the class they have.
func SetSites(names map[uint64]string) {
	size := 16
	for size < 2*len(names) {
		size *= 2
	}
	table := make([]siteEntry, size)
	for line, name := range names {
		i := line % uint64(size)
		for table[i].line != 0 {
			i = (i + 1) % uint64(size)
		}
		table[i] = siteEntry{line, name}
	}
	siteNames.Store(&table)
}

//go:norace
func siteName(line uint64) (string, bool) {
	p := siteNames.Load()
	if p == nil {
		return "", false
	}
	table, n := *p, uint64(len(*p))
	for i := line % n; table[i].line != 0; i = (i + 1) % n {
		if table[i].line == line {
			return table[i].name, true
		}
	}
	return "", false
}

// Learn gives the class of l, if it has no name, the one that the site table
// has for pc: a WaitGroup is first used by Add, which is no line of the table.
//
//go:norace
func Learn(l *Lock, pc uintptr) {
	if !on {
		return
	}
	enter()
	c := &classes[uint16(l.id.Load()>>classShift)]
	if c.flags.Load()&classLearned == 0 && siteNames.Load() != nil {
		c.flags.Or(classLearned)
		if name, ok := siteName(siteLine(outerSite(site(pc)))); ok && c.src.Name == "" && c.src.Type == 0 {
			c.alias.Store(&siteEntry{name: name})
		}
	}
	leave()
}

// ident is what a held lock counts as in a verdict: itself, or its class where
// the user named that.
//
//go:norace
func ident(class uint16, inst uint64) uint64 {
	if classes[class].flags.Load()&classNamed != 0 {
		return uint64(class) << classShift
	}
	return inst
}
