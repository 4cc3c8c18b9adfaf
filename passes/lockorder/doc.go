// Package lockorder defines an analyzer that finds lock orders which can
// deadlock.
//
// # Analyzer lockorder
//
// lockorder: find locks taken in orders that can deadlock
//
// The analyzer follows locks through calls, interfaces, closures and packages,
// and reports where goroutines can wait for each other, or one for itself.
// Every finding shows, for each of its sides, where the first lock is acquired
// and the calls that lead to the second.
//
// A lock class stands for all locks that the program treats alike: a field of
// a type, a package variable, a local variable. The analyzer stays silent where
// a common gate lock, a fresh object, TryLock, or a comparison that orders the
// two makes the deadlock impossible. Tests hold locks of the program to stage a
// situation; that is no order, though locking one twice is reported there too.
//
// # Category inversion
//
// Two or more locks are acquired in orders that form a ring:
//
//	func (a *Account) Transfer(l *Ledger) {
//		a.mu.Lock()
//		defer a.mu.Unlock()
//		l.Post(a) // acquires l.mu while a.mu is held
//	}
//
//	func (l *Ledger) Audit(a *Account) {
//		l.mu.Lock()
//		defer l.mu.Unlock()
//		a.mu.Lock() // acquires a.mu while l.mu is held
//		…
//	}
//
// One goroutine in each function, each with its first lock, waits for the
// other for ever. Choose one order for the two locks and keep it: release the
// first lock before the call, or acquire both in the same order on both sides.
// A lock that is always held around both orders makes them harmless.
//
// # Category recursive
//
// A goroutine acquires a lock that it already holds. Go's locks are not
// reentrant: it waits for itself.
//
//	func (s *Score) String() string {
//		s.mu.Lock()
//		defer s.mu.Unlock()
//		return fmt.Sprint(s.Int()) // Int acquires s.mu again
//	}
//
// Two read locks count too, if something write-locks the RWMutex: a writer that
// waits between the two makes the second wait for it, while it waits for the
// first. Split the function: an exported one that locks, and one that expects
// the lock to be held.
//
// # Category nesting
//
// Two locks of one class are held together, and nothing orders the two:
//
//	func move(from, to *Account, n int) {
//		from.mu.Lock()
//		to.mu.Lock() // another goroutine may run move(to, from, n)
//		…
//	}
//
// Compare something that does not change (an ID, an address) and lock the
// smaller one first. Where the order is given by other means, say so:
//
//	to.mu.Lock() //lockvet:nested
//
// # Category declared
//
// A comment declares an order, and a function violates it:
//
//	//lockvet:order Account.mu < Ledger.mu
//
// Here an acquisition of Account.mu while Ledger.mu is held is reported, even
// if nothing acquires them the other way round.
package lockorder
