package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	linkdata "github.com/linkdata/deadlock"
	sasha "github.com/sasha-s/go-deadlock"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

type mutex = sync.Locker

type rwmutex interface {
	mutex
	RLock()
	RUnlock()
}

type waitGroup interface {
	Add(int)
	Done()
	Wait()
}

type condition interface {
	Wait()
	Signal()
}

type once interface{ Do(func()) }

type event interface {
	Wait()
	Signal()
}

// A tool is a deadlock detector's drop-in types. What it does not have is
// nil. Locks are made with a class, which only lockdep knows what to do with.
type tool struct {
	mutex     func(class string) mutex
	rw        func(class string) rwmutex
	waitGroup func() waitGroup
	cond      func(l mutex) condition
	once      func() once
	try       func(m mutex) bool
	event     func() event
	nested    func(m mutex)
	settle    func() // look for what is only looked for on request
}

const notAvailable = "not available"

var tools = map[string]func(say func(string)) *tool{
	"lockdep": func(say func(string)) *tool {
		events := lockdep.NewResourceClass("event", lockdep.Handoff)
		first := true
		lockdep.OnReport(func(r *lockdep.Report) {
			say("reported: " + r.Category)
			if first && (r.Category == lockdep.CategoryUnlock || r.Category == lockdep.CategoryDeadlock) {
				// What comes next is fatal.
				fmt.Println("reported: " + r.Category)
				os.Stdout.Sync()
			}
			first = false
		})
		return &tool{
			mutex: func(class string) mutex {
				m := new(lockdep.Mutex)
				if class != "" {
					lockdep.SetClass(m, class)
				}
				return m
			},
			rw: func(class string) rwmutex {
				m := new(lockdep.RWMutex)
				if class != "" {
					lockdep.SetClass(m, class)
				}
				return m
			},
			waitGroup: func() waitGroup { return new(lockdep.WaitGroup) },
			cond:      func(l mutex) condition { return lockdep.NewCond(l) },
			once:      func() once { return new(lockdep.Once) },
			try:       func(m mutex) bool { return m.(*lockdep.Mutex).TryLock() },
			event: func() event {
				e := new(lockdep.Resource)
				events.Init(e)
				return e
			},
			nested: func(m mutex) { lockdep.Lock(m, lockdep.Nested(1)) },
			settle: func() {
				lockdep.CheckGoroutines()
				for _, r := range lockdep.Reports(lockdep.Medium, lockdep.Weak) {
					say("on request: " + r.Category + ", " + r.Level.String())
				}
			},
		}
	},
	"go-deadlock": func(say func(string)) *tool {
		sasha.Opts.DeadlockTimeout = patience / 4
		sasha.Opts.LogBuf = io.Discard
		sasha.Opts.OnPotentialDeadlock = func() { say("reported") }
		return &tool{
			mutex:     func(string) mutex { return new(sasha.Mutex) },
			rw:        func(string) rwmutex { return new(sasha.RWMutex) },
			waitGroup: func() waitGroup { return new(sasha.WaitGroup) },
			cond:      func(l mutex) condition { return sync.NewCond(l) },
			once:      func() once { return new(sasha.Once) },
			settle:    func() {},
		}
	},
	"linkdata": func(say func(string)) *tool {
		linkdata.Opts.WriteLocked(func() {
			linkdata.Opts.DeadlockTimeout = patience / 4
			linkdata.Opts.LogBuf = io.Discard
			linkdata.Opts.OnPotentialDeadlock = func() { say("reported") }
		})
		return &tool{
			mutex:     func(string) mutex { return new(linkdata.DeadlockMutex) },
			rw:        func(string) rwmutex { return new(linkdata.DeadlockRWMutex) },
			waitGroup: func() waitGroup { return new(sync.WaitGroup) },
			cond:      func(l mutex) condition { return sync.NewCond(l) },
			once:      func() once { return new(sync.Once) },
			try:       func(m mutex) bool { return m.(*linkdata.DeadlockMutex).TryLock() },
			settle:    func() {},
		}
	},
}

// need stops the pattern if the tool does not have a part of it.
func need(have bool) {
	if !have {
		panic(notAvailable)
	}
}
