// Package bench compares runtime/lockdep with plain sync and with other
// deadlock detectors. It is a module of its own, so that these are no
// dependencies of lockvet. Three commands, each run in this directory:
//
//	go run ./cmd/tables   the tables of docs/performance.md
//	go run ./cmd/matrix   the table of docs/detection.md
//	go run -tags lockdep ./cmd/soak   10,000 goroutines for a minute
package bench
