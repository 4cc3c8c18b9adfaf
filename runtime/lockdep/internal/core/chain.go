package core

import "sync/atomic"

// chains remembers chains that need no second look. A chain is known by a
// 64-bit hash of its instances and modes, outermost first, so one word says
// all. Two forms of entry:
//
//   - hash: two goroutines took this chain, there is nothing left to learn;
//   - hash mixed with a goroutine id: that goroutine did.
//
// A hash that is overwritten by another costs one more validation.
var chains []atomic.Uint64

// link returns the hash of chain followed by one more acquisition.
//
//go:norace
func link(chain, inst uint64, mode, flags uint8) uint64 {
	if chain == 0 {
		return inst<<12 | uint64(flags)<<4 | uint64(mode) // alone: it is never looked up
	}
	return mix(chain, inst<<12|uint64(flags)<<4|uint64(mode))
}

// validated reports whether the chain needs no look when goid takes it.
//
//go:norace
func validated(chain, goid uint64) bool {
	mask := uint64(len(chains) - 1)
	if chains[chain>>8&mask].Load() == chain {
		return true
	}
	own := mix(chain, goid)
	return chains[own>>8&mask].Load() == own
}

// validate remembers the chain, for goid or, if shared, for everyone.
//
//go:norace
func validate(chain, goid uint64, shared bool) {
	if !shared {
		chain = mix(chain, goid)
	}
	chains[chain>>8&uint64(len(chains)-1)].Store(chain)
}
