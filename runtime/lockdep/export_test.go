//go:build lockdep

package lockdep

// SetFindLeaked does what the overlay does in test binaries.
func SetFindLeaked(f func()) { setFindLeaked(f) }

// Standard is standard in a program that has these directories built in.
func Standard(dirs []string, file string) bool {
	defer func(old []string) { builtStd = old }(builtStd)
	builtStd = dirs
	return standard(file)
}
