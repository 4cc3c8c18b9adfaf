//go:build lockdep

package lockdep

// OnceFunc is sync.OnceFunc.
func OnceFunc(f func()) func() {
	g := OnceValue(func() struct{} { f(); return struct{}{} })
	return func() { g() }
}

// OnceValue is sync.OnceValue.
func OnceValue[T any](f func() T) func() T {
	g := OnceValues(func() (T, struct{}) { return f(), struct{}{} })
	return func() T { v, _ := g(); return v }
}

// OnceValues is sync.OnceValues.
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	d := &struct {
		once     Once
		f        func() (T1, T2)
		ok       bool
		panicked any
		v1       T1
		v2       T2
	}{f: f}
	return func() (T1, T2) {
		d.once.Do(func() {
			defer func() {
				d.f = nil
				if !d.ok {
					d.panicked = recover()
					panic(d.panicked)
				}
			}()
			d.v1, d.v2 = d.f()
			d.ok = true
		})
		if !d.ok {
			panic(d.panicked)
		}
		return d.v1, d.v2
	}
}
