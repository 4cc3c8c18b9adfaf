package main

import (
	"reflect"
	"runtime"
	"strings"
)

// A pattern is one way to use locks.
type pattern struct {
	name string
	want string // report, on request, or silent
	f    func(t *tool)
}

// right reports whether what was said is what the pattern wants.
func (p pattern) right(said string) bool {
	switch p.want {
	case "report":
		return strings.HasPrefix(said, "reported")
	case "on request":
		return strings.HasPrefix(said, "on request")
	}
	return said == "silent" || strings.HasPrefix(said, "on request")
}

// apart runs f in a goroutine of its own and waits for its end.
func apart(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

func nest(locks ...mutex) {
	for _, l := range locks {
		l.Lock()
	}
	for i := range locks {
		locks[len(locks)-1-i].Unlock()
	}
}

// reader is an RWMutex as a Locker for reading.
type reader struct{ rwmutex }

func (r reader) Lock()   { r.RLock() }
func (r reader) Unlock() { r.RUnlock() }

// flavours of locks for the patterns of the kernel's lockdep self-test.
var flavours = []struct {
	name string
	make func(t *tool, class string) mutex
}{
	{"Mutex", func(t *tool, class string) mutex { return t.mutex(class) }},
	{"RWMutex, write", func(t *tool, class string) mutex { return t.rw(class) }},
	{"RWMutex, read", func(t *tool, class string) mutex {
		m := t.rw(class)
		nest(m) // a writer exists
		return reader{m}
	}},
}

// rings are the kernel's patterns: each word is one goroutine's nest.
var rings = []struct{ name, nests string }{
	{"AA", "AA"},
	{"ABBA", "AB BA"},
	{"ABBCCA", "AB BC CA"},
	{"ABCABC", "AB CA BC"},
	{"ABBCCDDA", "AB BC CD DA"},
	{"ABCDBDDA", "AB CD BD DA"},
	{"ABCDBCDA", "AB CD BC DA"},
}

func patterns() []pattern {
	var ps []pattern
	add := func(name, want string, f func(t *tool)) { ps = append(ps, pattern{name, want, f}) }

	for _, f := range flavours {
		for _, r := range rings {
			add(r.name+", "+f.name, "report", func(t *tool) {
				locks := map[rune]mutex{}
				for _, c := range "ABCD" {
					locks[c] = f.make(t, string(c))
				}
				for _, word := range strings.Fields(r.nests) {
					apart(func() {
						var order []mutex
						for _, c := range word {
							order = append(order, locks[c])
						}
						nest(order...)
					})
				}
			})
		}
		add("double unlock, "+f.name, "report", func(t *tool) {
			m := f.make(t, "A")
			m.Lock()
			m.Unlock()
			m.Unlock()
		})
	}

	add("AB and BA by one goroutine", "on request", func(t *tool) {
		a, b := t.mutex("A"), t.mutex("B")
		nest(a, b)
		nest(b, a)
	})
	add("AB and BA on different pairs, classes named", "report", func(t *tool) {
		apart(func() { nest(t.mutex("A"), t.mutex("B")) })
		apart(func() { nest(t.mutex("B"), t.mutex("A")) })
	})
	add("AB and BA on different pairs, classes by line", "on request", func(t *tool) {
		makeA := func() mutex { m := t.mutex(""); m.Lock(); m.Unlock(); return m }
		makeB := func() mutex { m := t.mutex(""); m.Lock(); m.Unlock(); return m }
		a, b, c, d := makeA(), makeB(), makeA(), makeB()
		apart(func() { nest(a, b) })
		apart(func() { nest(d, c) })
	})
	add("AB and BA under a gate", "silent", func(t *tool) {
		g, a, b := t.mutex("G"), t.mutex("A"), t.mutex("B")
		apart(func() { nest(g, a, b) })
		apart(func() { nest(g, b, a) })
	})
	add("gate held for reading only", "report", func(t *tool) {
		g, a, b := t.rw("G"), t.mutex("A"), t.mutex("B")
		apart(func() { nest(reader{g}, a, b) })
		apart(func() { nest(reader{g}, b, a) })
	})
	add("second lock by TryLock", "silent", func(t *tool) {
		need(t.try != nil)
		a, b := t.mutex("A"), t.mutex("B")
		apart(func() { nest(a, b) })
		apart(func() {
			b.Lock()
			if t.try(a) {
				a.Unlock()
			}
			b.Unlock()
		})
	})
	add("read AB and read BA, no writer", "silent", func(t *tool) {
		a, b := t.rw("A"), t.rw("B")
		apart(func() { nest(reader{a}, reader{b}) })
		apart(func() { nest(reader{b}, reader{a}) })
	})
	add("recursive read, no writer", "silent", func(t *tool) {
		a := t.rw("A")
		nest(reader{a}, reader{a})
	})
	add("read lock upgraded", "report", func(t *tool) {
		a := t.rw("A")
		nest(reader{a}, a)
	})
	add("two locks of one named class", "report", func(t *tool) {
		nest(t.mutex("A"), t.mutex("A"))
	})
	add("two locks of one class, annotated as nested", "silent", func(t *tool) {
		need(t.nested != nil)
		a, b := t.mutex("A"), t.mutex("A")
		a.Lock()
		t.nested(b)
		b.Unlock()
		a.Unlock()
	})
	add("unlock by another goroutine", "silent", func(t *tool) {
		a := t.mutex("A")
		for range 3 {
			a.Lock()
			apart(a.Unlock)
		}
	})
	add("unlock by another goroutine, which needs a lock that a locker holds", "report", func(t *tool) {
		a, b := t.mutex("A"), t.mutex("B")
		a.Lock()
		apart(func() { nest(b); a.Unlock() })
		apart(func() { nest(b, a) })
	})
	waits := []struct {
		name string
		make func(t *tool) (wait, signal func())
	}{
		{"WaitGroup", func(t *tool) (wait, signal func()) {
			wg := t.waitGroup()
			wg.Add(1)
			return wg.Wait, wg.Done
		}},
		{"channel (as Resource)", func(t *tool) (wait, signal func()) {
			need(t.event != nil)
			e := t.event()
			return e.Wait, e.Signal
		}},
	}
	for _, w := range waits {
		add(w.name+" awaited under a lock that the signaller needs", "report", func(t *tool) {
			mu := t.mutex("A")
			wait, signal := w.make(t)
			apart(func() { nest(mu); signal() })
			apart(func() { mu.Lock(); wait(); mu.Unlock() })
		})
		add(w.name+" awaited under a lock that the signaller needs only afterwards", "silent", func(t *tool) {
			mu := t.mutex("A")
			wait, signal := w.make(t)
			apart(func() { signal(); nest(mu) })
			apart(func() { mu.Lock(); wait(); mu.Unlock() })
		})
	}
	add("WaitGroup, lock taken by the signaller before there was anything to wait for", "silent", func(t *tool) {
		mu, wg := t.mutex("A"), t.waitGroup()
		step, end := make(chan bool), make(chan bool)
		go func() {
			nest(mu)
			step <- true
			<-step
			wg.Done()
			close(end)
		}()
		<-step
		mu.Lock()
		wg.Add(1)
		step <- true
		wg.Wait()
		mu.Unlock()
		<-end
	})
	add("Cond awaited under another lock that the signaller needs", "report", func(t *tool) {
		outer, mu := t.mutex("A"), t.mutex("B")
		c := t.cond(mu)
		waiting, ok := make(chan bool), false
		go func() {
			outer.Lock()
			mu.Lock()
			for !ok {
				waiting <- true
				c.Wait()
			}
			mu.Unlock()
			outer.Unlock()
			close(waiting)
		}()
		<-waiting
		mu.Lock()
		ok = true
		c.Signal()
		mu.Unlock()
		<-waiting
		apart(func() { outer.Lock(); mu.Lock(); c.Signal(); mu.Unlock(); outer.Unlock() })
	})
	add("Once as a lock: Do takes mu, Do called under mu", "report", func(t *tool) {
		mu, o := t.mutex("A"), t.once()
		apart(func() { o.Do(func() { nest(mu) }) })
		apart(func() { mu.Lock(); o.Do(func() {}); mu.Unlock() })
	})
	add("goroutine ended with a lock held", "report", func(t *tool) {
		m := t.mutex("A")
		gone := make(chan bool)
		go func() {
			defer close(gone)
			m.Lock()
			runtime.Goexit()
		}()
		<-gone
		for n := runtime.NumGoroutine(); n > 2; n = runtime.NumGoroutine() {
			runtime.Gosched()
			if n <= 3 { // the main goroutine, this one, and a peer's own
				break
			}
		}
	})
	add("lock copied while held", "report", func(t *tool) {
		m := t.mutex("A")
		m.Lock()
		c := reflect.New(reflect.TypeOf(m).Elem())
		c.Elem().Set(reflect.ValueOf(m).Elem())
		m.Unlock()
		c.Interface().(mutex).Lock()
	})
	add("two goroutines deadlock for real", "report", func(t *tool) {
		a, b := t.mutex("A"), t.mutex("B")
		locked, all := make(chan bool), make(chan bool)
		for i := range 2 {
			go func() {
				first, second := a, b
				if i == 1 {
					first, second = b, a
				}
				first.Lock()
				locked <- true
				<-all
				second.Lock()
			}()
		}
		<-locked
		<-locked
		close(all)
		select {}
	})
	return ps
}
