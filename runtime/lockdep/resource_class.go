package lockdep

// Resource classes are made once, as package variables:
//
//	var pages = lockdep.NewResourceClass("page", lockdep.Handoff)
//
//	type page struct {
//		lock lockdep.Resource
//	}
//
//	pages.Init(&p.lock)
//	p.lock.Acquire(lockdep.Exclusive) // before it may block
//	…                                 // until p is ours
//	p.lock.Release()                  // by whoever

// A Mode is how a [Resource] is held.
type Mode uint8

const (
	Shared    Mode = iota // with others that share it
	Exclusive             // alone
)

// A Kind says who releases resources of a class.
type Kind uint8

const (
	// Owned resources are released by the goroutine that acquired them, as
	// mutexes are: what is acquired while one is held depends on it.
	Owned Kind = iota
	// Handoff resources are released, or signalled, by any goroutine, as page
	// locks, leases and channels are. Nothing is remembered of who holds one;
	// what the releasing goroutine needed on its way there is what it
	// depends on.
	Handoff
)
