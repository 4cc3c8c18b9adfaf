package confirm

import (
	"fmt"
	"strings"

	"github.com/lockvet/lockvet/internal/dump"
)

// CallKind says how the analysis finds what a call calls.
type CallKind uint8

const (
	CallStatic    CallKind = iota // it is named
	CallInterface                 // a method of an interface
	CallValue                     // a function value
)

// A Call is one call in the source, as the analysis knows it.
type Call struct {
	Kind   CallKind
	Method string // of an interface
}

// Calls has the calls of each line, by "file:line".
type Calls map[string][]Call

// Missed says why the analysis can have missed a problem that a run showed: what
// lies between the acquisitions of an edge and is more than calls of named
// functions. "" if nothing does. std is the directory of the standard library,
// which is not analysed.
func Missed(r *dump.Report, calls Calls, std string) string {
	for i := range r.Edges {
		e := &r.Edges[i]
		if why := missedStack(e.Stack, e.FromSite.Func, calls, std); why != "" {
			return why
		}
		for _, at := range []dump.Site{e.FromSite, e.ToSite} {
			if at.File != "" && inStd(at, std) {
				return fmt.Sprintf("%s takes one of the locks, and the standard library is not analysed", shortFunc(at.Func))
			}
		}
	}
	return ""
}

// missedStack looks at a stack from its outermost function that counts, the
// one that acquired the first lock, inward.
func missedStack(stack []dump.Site, from string, calls Calls, std string) string {
	outer := len(stack) - 1
	for i, s := range stack {
		if s.Func == from {
			outer = i
			break
		}
		if strings.HasPrefix(s.Func, "testing.") {
			outer = i - 1
			break
		}
	}
	for i := outer; i > 0; i-- {
		caller, callee := stack[i], stack[i-1]
		at := fmt.Sprintf("%s:%d", caller.File, caller.Line)
		switch {
		case strings.HasPrefix(callee.Func, "reflect."):
			return fmt.Sprintf("%s is called by reflection at %s", shortFunc(behind(stack[:i], std)), at)
		case inStd(caller, std):
			continue
		case inStd(callee, std):
			if inner := behind(stack[:i], std); inner != "" {
				return fmt.Sprintf("%s is a callback of %s at %s", shortFunc(inner), shortFunc(callee.Func), at)
			}
			continue
		}
		static, why := false, ""
		for _, c := range calls[at] {
			switch c.Kind {
			case CallStatic:
				static = true
			case CallInterface:
				if method := callee.Func[strings.LastIndexByte(callee.Func, '.')+1:]; c.Method == method {
					why = fmt.Sprintf("%s is called through an interface at %s", shortFunc(callee.Func), at)
				}
			case CallValue:
				if why == "" {
					why = fmt.Sprintf("%s is called through a function value at %s", shortFunc(callee.Func), at)
				}
			}
		}
		if why != "" && (!static || strings.Contains(why, "interface")) {
			return why
		}
	}
	return ""
}

// behind returns the first function outside the standard library, from the
// outer end of a stack inward, "" if there is none.
func behind(stack []dump.Site, std string) string {
	for i := len(stack) - 1; i >= 0; i-- {
		if !inStd(stack[i], std) {
			return stack[i].Func
		}
	}
	return ""
}

func inStd(s dump.Site, std string) bool { return strings.HasPrefix(s.File, std+"/") }
