//go:build race

package core

import "runtime"

const isRace = true

// enter hides what follows from the race detector's view of synchronization.
//
//go:norace
func enter() { runtime.RaceDisable() }

//go:norace
func leave() { runtime.RaceEnable() }
