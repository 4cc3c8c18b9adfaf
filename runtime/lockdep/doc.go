// Package lockdep finds deadlocks at run time, also those that did not happen:
// it learns in which order a program takes its locks and what it waits for
// while it holds them, and reports orders that can deadlock. One pass through
// each half is enough, on any schedule; nothing needs to hang.
//
// Replace the import "sync" by this package. Built without the tag lockdep, its
// types are those of package sync and cost nothing. Built with -tags lockdep
// they are tracked: Mutex, RWMutex, Cond, WaitGroup and Once report order
// inversions, recursive locking, waits that need a lock which the waiting
// goroutine holds, and real deadlocks at the moment they close.
//
// What goes in: lock operations, [Resource] operations, and options from the
// environment variable LOCKDEP. What comes out: [Report] values, on standard
// error unless told otherwise, and the observed graph ([Snapshot]). The
// package never blocks the program on a report, never ends it unless the
// option exit is set, and starts no goroutine.
//
// # Classes
//
// Locks are judged by class, all locks that the program treats alike. A lock
// has the class given by [SetClass]; else, for [MutexOf] and [RWMutexOf], that
// of the type argument; else the one that the site table names for the line
// where it is first acquired (option sites); else that line itself. Where
// classes are told by lines alone, reports need the same two locks on both
// sides. Classes that the user named stand for all of their locks: an inversion
// between two pairs of locks of such classes is reported too.
//
// # Options
//
// LOCKDEP is a list of key=value separated by commas. See [Options] for the
// keys.
package lockdep
