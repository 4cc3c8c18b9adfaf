package core

// EachPair calls f for each dependency between instances that is remembered,
// and with the second goroutine that showed it, 0 if there was one only.
//
//go:norace
func EachPair(f func(l Link, second uint64)) {
	type pair struct {
		l      Link
		second uint64
	}
	enter()
	big.lock()
	all := make([]pair, 0, pairs.used)
	for i := int32(0); i < pairs.used; i++ {
		e := pairs.edge(i)
		all = append(all, pair{Link{
			From: e.fromClass, To: e.toClass, FromInst: e.fromInst, ToInst: e.toInst,
			FromMode: e.fromMode, ToMode: e.toMode, Wait: e.kind == kindWait, Signal: e.kind == kindSignal,
			FromPC: e.fromPC, ToPC: e.toPC, Stack: stackAt(e.stack), Goid: e.goid1,
		}, e.goid2})
	}
	big.unlock()
	leave()
	for i := range all {
		f(all[i].l, all[i].second)
	}
}
