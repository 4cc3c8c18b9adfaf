//go:build lockdep

package lockdep_test

import (
	"strings"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// TestKernelPatterns runs the patterns of the kernel's lockdep self-test: each
// word is a nest of locks in a goroutine of its own. AA and double unlock,
// which are fatal or hang, are in broken_test.go.
func TestKernelPatterns(t *testing.T) {
	for _, flavour := range []struct {
		name string
		make func(i int) lockdep.Locker
	}{
		{"Mutex", firstUse},
		{"RWMutex write", func(i int) lockdep.Locker { return firstUseRW(i) }},
		{"RWMutex read", func(i int) lockdep.Locker { return firstUseRW(i).RLocker() }},
	} {
		for _, pattern := range []string{
			"AB BA",       // ABBA
			"AB BC CA",    // ABBCCA
			"AB CA BC",    // ABCABC
			"AB BC CD DA", // ABBCCDDA
			"AB CD BD DA", // ABCDBDDA
			"AB CD BC DA", // ABCDBCDA
		} {
			lockdep.Reset()
			locks := map[rune]lockdep.Locker{}
			for i, c := range "ABCD" {
				locks[c] = flavour.make(i)
			}
			words := strings.Fields(pattern)
			for n, word := range words {
				if len(lockdep.Reports()) > 0 {
					t.Errorf("%s %s: reported before %s", flavour.name, pattern, words[n])
				}
				apart(func() {
					var order []lockdep.Locker
					for _, c := range word {
						order = append(order, locks[c])
					}
					nest(order...)
				})
			}
			found(t, lockdep.Strong, lockdep.CategoryInversion)
		}
	}
}

// firstUseRW returns an RWMutex whose class is a line of its own, and has a
// writer.
func firstUseRW(i int) *lockdep.RWMutex {
	m := new(lockdep.RWMutex)
	switch i {
	case 0:
		m.Lock()
	case 1:
		m.Lock()
	case 2:
		m.Lock()
	case 3:
		m.Lock()
	}
	m.Unlock()
	return m
}
