package lockobj

import (
	"fmt"
	"strings"
)

// Specialise returns the variant of f that fits the constant arguments of a
// call, f itself if there is none. Get finds a function by symbol.
func Specialise(f *Func, args []Arg, get func(sym string) *Func) *Func {
	base := f.Sym
	if i := strings.LastIndexByte(base, '{'); i >= 0 && strings.HasSuffix(base, "}") {
		return f
	}
	var parts []string
	for i, a := range args {
		switch {
		case a.Const == "true" || a.Const == "false":
			parts = append(parts, fmt.Sprintf("p%d=%s", i, a.Const))
		case isInt(a.Const):
			part := fmt.Sprintf("p%d==%s=true", i, a.Const)
			if get(base+"{"+part+"}") == nil {
				part = fmt.Sprintf("p%d==*=false", i)
			}
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return f
	}
	if len(parts) > 1 {
		for i, p := range parts {
			for _, q := range parts[i+1:] {
				if v := get(base + "{" + p + "," + q + "}"); v != nil {
					return v
				}
			}
		}
	}
	for _, p := range parts {
		if v := get(base + "{" + p + "}"); v != nil {
			return v
		}
	}
	return f
}

// isInt reports whether a constant is an integer.
func isInt(c string) bool {
	if c == "" {
		return false
	}
	for i, b := range []byte(c) {
		if (b < '0' || b > '9') && !(i == 0 && b == '-' && len(c) > 1) {
			return false
		}
	}
	return true
}
