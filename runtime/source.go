// Package runtime carries the sources of lockdep, so that lockvet can compile
// them into the standard library of the user's Go.
//
// It has no code of its own: see runtime/lockdep for the engine, and
// internal/instrument for who reads this.
package runtime

import "embed"

// Source holds the Go files of runtime/lockdep and of its engine, tests
// included, under their names in this directory.
//
//go:embed lockdep/*.go lockdep/internal/core/*.go
var Source embed.FS
