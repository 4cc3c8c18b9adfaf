package lockobj

import (
	"sort"
	"strings"
)

// stdRoots are the first elements of the standard library's import paths.
var stdRoots = map[string]bool{}

func init() {
	for r := range strings.FieldsSeq(`archive arena bufio builtin bytes cmp cmd compress container context crypto database debug
		embed encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin
		reflect regexp runtime simd slices sort strconv strings structs sync syscall testing text time unicode unique unsafe vendor weak`) {
		stdRoots[r] = true
	}
}

// IsStd reports whether an import path belongs to the standard library.
func IsStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return stdRoots[first]
}

// Merge keeps one object for each import path, the most complete one, in order
// of the paths.
func Merge(pkgs []*Package) []*Package {
	best := map[string]*Package{}
	for _, p := range pkgs {
		if o := best[p.Path]; o == nil || better(p, o) {
			best[p.Path] = p
		}
	}
	out := make([]*Package, 0, len(best))
	for _, p := range best {
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
}

func better(p, o *Package) bool {
	if p.Whole != o.Whole {
		return p.Whole
	}
	return len(p.Funcs) > len(o.Funcs)
}

// Export returns what importers of own need: own and the dependencies' objects
// without what can never be part of a cycle outside.
func Export(own *Package, deps []*Package) []*Package {
	return append([]*Package{own}, deps...)
}
