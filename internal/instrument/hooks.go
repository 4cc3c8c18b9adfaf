package instrument

// What is changed in GOROOT, file by file. The methods that take the place of
// the renamed ones are in _goroot/sync.

var edits = []struct {
	file string
	edit func(s *source)
}{
	{"sync/mutex.go", func(s *source) {
		s.imports(`"internal/lockdep/core"`)
		s.field("Mutex", "lockdep core.Lock", "mu isync.Mutex")
		s.rename("*Mutex", "Lock", "func()", "plainLock")
		s.rename("*Mutex", "TryLock", "func() bool", "plainTryLock")
		s.rename("*Mutex", "Unlock", "func()", "plainUnlock")
	}},
	{"sync/rwmutex.go", func(s *source) {
		// The state of an RWMutex is that of the Mutex inside, which is not
		// tracked itself.
		s.field("RWMutex", "", "w Mutex")
		for _, m := range []string{"Lock", "Unlock", "RLock", "RUnlock"} {
			s.rename("*RWMutex", m, "func()", "plain"+m)
		}
		s.rename("*RWMutex", "TryLock", "func() bool", "plainTryLock")
		s.rename("*RWMutex", "TryRLock", "func() bool", "plainTryRLock")
		s.retarget("*RWMutex", "Lock", "rw.w.Lock", "rw.w.plainLock", 1)
		s.retarget("*RWMutex", "TryLock", "rw.w.TryLock", "rw.w.plainTryLock", 1)
		s.retarget("*RWMutex", "TryLock", "rw.w.Unlock", "rw.w.plainUnlock", 1)
		s.retarget("*RWMutex", "Unlock", "rw.w.Unlock", "rw.w.plainUnlock", 1)
		s.rename("*rlocker", "Lock", "func()", "plainLock")
		s.rename("*rlocker", "Unlock", "func()", "plainUnlock")
	}},
	{"sync/once.go", func(s *source) {
		s.field("Once", "", "done atomic.Bool", "m Mutex")
		s.rename("*Once", "Do", "func(f func())", "plainDo")
		s.retarget("*Once", "doSlow", "o.m.Lock", "o.m.plainLock", 1)
		s.retarget("*Once", "doSlow", "o.m.Unlock", "o.m.plainUnlock", 1)
	}},
	{"sync/waitgroup.go", func(s *source) {
		s.imports(`"internal/lockdep/core"`)
		s.field("WaitGroup", "lockdep core.Lock")
		s.rename("*WaitGroup", "Add", "func(delta int)", "plainAdd")
		s.rename("*WaitGroup", "Wait", "func()", "plainWait")
		s.rename("*WaitGroup", "Go", "func(f func())", "plainGo")
	}},
	{"sync/cond.go", func(s *source) {
		s.imports(`"internal/lockdep/core"`)
		s.field("Cond", "lockdep core.Lock", "L Locker")
		s.after("*Cond", "Wait", "c.L.Unlock()", "c.lockdepWaits()")
		s.rename("*Cond", "Wait", "func()", "plainWait")
		s.rename("*Cond", "Signal", "func()", "plainSignal")
		s.rename("*Cond", "Broadcast", "func()", "plainBroadcast")
	}},
	{"sync/pool.go", func(s *source) {
		// It is given up by a goroutine that may not be moved, where the engine
		// could not wait; and it is never held across a call.
		s.imports(`isync "internal/sync"`)
		s.variable("allPoolsMu", "Mutex", "isync.Mutex")
	}},
	{"syscall/forkpipe2.go", func(s *source) {
		// It guards a counter that decides who takes and gives up ForkLock, in
		// orders which cannot meet.
		s.imports(`isync "internal/sync"`)
		s.variable("forkingLock", "sync.Mutex", "isync.Mutex")
	}},
	{"runtime/chan.go", func(s *source) {
		s.field("hchan", "lockdep lockdepChan", "qcount uint", "dataqsiz uint", "timer *timer", "lock mutex")
		s.before("", "makechan", "return c", "lockdepMade(c, sys.GetCallerPC())")
		s.first("", "chansend1", "lockdepChanOp(lockdepSend, c, sys.GetCallerPC())")
		s.first("", "chanrecv1", "lockdepChanOp(lockdepRecv, c, sys.GetCallerPC())")
		s.first("", "chanrecv2", "lockdepChanOp(lockdepRecv, c, sys.GetCallerPC())")
		s.first("", "closechan", "lockdepChanOp(lockdepClose, c, sys.GetCallerPC())")
	}},
	{"runtime/select.go", func(s *source) {
		s.before("", "selectgo", "var t0 int64", "lockdepSelect(scases, nsends, block, sys.GetCallerPC())")
	}},
	{"runtime/proc.go", func(s *source) {
		s.first("", "goexit1", "lockdepExiting()")
	}},
	{"runtime/panic.go", func(s *source) {
		// Exit hooks do not run in a program that dies of a panic, as a test
		// does that takes too long.
		s.before("", "gopanic", "preprintpanics(&p)", "lockdepPanicking()")
	}},
}
