package main

import "testing"

func TestGCPace(t *testing.T) {
	const mb = 1 << 20
	for _, test := range []struct{ live, goal uint64 }{
		{0, 256 * mb},          // a small package: no collection at all
		{50 * mb, 256 * mb},    // nor here
		{100 * mb, 300 * mb},   // free to grow
		{600 * mb, 1100 * mb},  // up to the limit
		{1200 * mb, 1600 * mb}, // more is needed: by a third
	} {
		live := max(test.live, mb)
		goal := live + live*uint64(gcPercent(test.live))/100
		if goal > test.goal || goal < test.goal*98/100 {
			t.Errorf("with %d MB live the next collection is at %d MB, want %d", test.live/mb, goal/mb, test.goal/mb)
		}
	}
}
