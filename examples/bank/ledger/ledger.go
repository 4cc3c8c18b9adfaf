// Package ledger keeps what was booked.
package ledger

import "sync"

// A Ledger is a list of bookings.
type Ledger struct {
	mu       sync.Mutex
	bookings []int
}

// Post adds a booking.
func (l *Ledger) Post(amount int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bookings = append(l.bookings, amount)
}

// Each calls f for every booking.
func (l *Ledger) Each(f func(amount int)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.bookings {
		f(b)
	}
}
