//go:build amd64 || arm64

package core

const haveAsm = true

// where returns the calling goroutine's g and the word at goidOff in it.
//
//go:noescape
func where(goidOff uintptr) (gp uintptr, goid uint64)

// Caller returns the return address of the function that calls it, which must
// not be inlined: the site of a lock operation for the method that does it.
// It returns 0 where that cannot be read; the engine then looks it up.
//
//go:noescape
func Caller() uintptr

// walk follows the frame pointers of the calling goroutine, within its stack.
//
//go:noescape
func walk(buf *uintptr, max int) int
