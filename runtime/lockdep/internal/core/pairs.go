package core

// EachPair calls f for each dependency between instances that is remembered,
// and with the second goroutine that showed it, 0 if there was one only. Signals
// of earlier iterations come last.
//
//go:norace
func EachPair(f func(l Link, second uint64)) {
	type pair struct {
		l      Link
		second uint64
	}
	enter()
	big.lock()
	all := make([]pair, 0, pairs.used+earlier.used)
	for i := int32(0); i < pairs.used; i++ {
		e := pairs.edge(i)
		all = append(all, pair{e.link(), e.goid2})
	}
	for i := int32(0); i < earlier.used; i++ {
		e := earlier.edge(i)
		all = append(all, pair{e.link(), e.goid2})
	}
	big.unlock()
	leave()
	for i := range all {
		f(all[i].l, all[i].second)
	}
}
