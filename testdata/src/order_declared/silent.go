package order_declared

import "sync"

//lockvet:order Lo.mu < Hi.mu

type Lo struct{ mu sync.Mutex }

type Hi struct{ mu sync.Mutex }

// Silent: as declared.
func (l *Lo) Up(h *Hi) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
}

// Silent: the two are not held together.
func (h *Hi) Apart(l *Lo) {
	h.mu.Lock()
	h.mu.Unlock()
	l.mu.Lock()
	l.mu.Unlock()
}

// Silent: TryLock cannot block.
func (h *Hi) Try(l *Lo) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l.mu.TryLock() {
		l.mu.Unlock()
	}
}
