package link

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// Locks, conditions and functions of a callee in the terms of its caller.

// condsInTerms puts a callee's conditions in terms of its caller; not possible
// if the arguments contradict one.
func (l *linker) condsInTerms(when []lockobj.Cond, t target) ([]lockobj.Cond, bool) {
	var out []lockobj.Cond
	for _, w := range when {
		root, rest, compared := strings.Cut(w.Key, "==")
		root, cell := strings.CutSuffix(root, ".~")
		var a *lockobj.Arg
		if i, ok := number(root, 'p'); ok && i < len(t.args) {
			a = &t.args[i]
		} else if i, ok := number(root, 'f'); ok && i < len(t.bind) {
			a = &t.bind[i]
		}
		if a == nil || cell && a.Const == "" {
			continue
		}
		types, typed := strings.CutPrefix(rest, ofType)
		switch {
		case typed && a.Type != "":
			if slices.Contains(strings.Split(types, "|"), a.Type) != w.Val {
				return nil, false
			}
		case a.Const != "" && !compared:
			if (a.Const == "true") != w.Val {
				return nil, false
			}
		case a.Const != "":
			if slices.Contains(strings.Split(rest, "|"), a.Const) != w.Val {
				return nil, false
			}
		case rest == "nil" && (a.Func != nil && a.Func.Sym != "" || a.Type != "" || a.Fresh):
			if w.Val {
				return nil, false
			}
		case rest == "nil" && stored(a.Path):
			// Where nil stands for something, who passes what a field or a
			// variable has does not mean it.
			if w.Val {
				return nil, false
			}
		default:
			r, steps := a.Path.Split()
			if _, ok := number(r, 'p'); !ok {
				if _, ok = number(r, 'f'); !ok {
					continue
				}
			}
			if steps == "" {
				k := r
				if compared {
					k += "==" + rest
				}
				out = append(out, lockobj.Cond{Key: k, Val: w.Val})
			}
		}
	}
	return out, true
}

// ofType begins what a parameter is compared with in a condition on its type,
// as in p0==type:*a.T|b.U.
const ofType = "type:"

// typed is the condition under which a call of a method of a parameter, which
// is an interface, leads to one of its few targets.
func typed(ev *lockobj.Event, t target) (lockobj.Cond, bool) {
	if ev.Callee.Kind != lockobj.Interface || !t.multi || t.many {
		return lockobj.Cond{}, false
	}
	root, steps := ev.Args[0].Path.Split()
	_, param := number(root, 'p')
	_, free := number(root, 'f')
	return lockobj.Cond{Key: root + "==" + ofType + strings.Join(t.types, "|"), Val: true}, steps == "" && (param || free)
}

// always reports whether conditions say no more than which types there are.
func always(when []lockobj.Cond) bool {
	return !slices.ContainsFunc(when, func(w lockobj.Cond) bool { return !strings.Contains(w.Key, "=="+ofType) })
}

// stored reports whether a value comes from a field or a package's variable.
func stored(p lockobj.Path) bool {
	root, steps := p.Split()
	return steps != "" || strings.HasPrefix(root, "g{")
}

// maxWhen bounds the conditions kept with one entry.
const maxWhen = 4

// both joins two sets of conditions; not possible if they contradict.
func both(a, b []lockobj.Cond) ([]lockobj.Cond, bool) {
	if len(a) == 0 {
		return b, true
	}
	if len(b) == 0 {
		return a, true
	}
	out := slices.Clone(a)
	for _, w := range b {
		i := slices.IndexFunc(a, func(o lockobj.Cond) bool { return o.Key == w.Key })
		if i < 0 {
			out = append(out, w)
		} else if a[i].Val != w.Val {
			return nil, false
		}
	}
	out = out[:min(len(out), maxWhen)]
	slices.SortFunc(out, func(x, y lockobj.Cond) int { return strings.Compare(x.Key, y.Key) })
	return out, true
}

// funcInTerms puts a function value that a callee passes on in terms of its
// caller.
func (l *linker) funcInTerms(f *lockobj.FuncRef, t target) *lockobj.FuncRef {
	switch {
	case f == nil:
		return nil
	case f.Param > 0:
		if f.Param <= len(t.args) {
			return t.args[f.Param-1].Func
		}
		return nil
	case f.Free > 0:
		if f.Free <= len(t.bind) {
			return t.bind[f.Free-1].Func
		}
		return nil
	}
	return &lockobj.FuncRef{Sym: f.Sym, Bind: l.argsInTerms(f.Bind, t)}
}

// argsInTerms puts the arguments of a call that a callee makes in terms of its
// caller.
func (l *linker) argsInTerms(args []lockobj.Arg, t target) []lockobj.Arg {
	if len(args) == 0 {
		return nil
	}
	out := make([]lockobj.Arg, len(args))
	for i, a := range args {
		k, ok := l.inTerms(lockobj.Lock{Class: a.Class, Path: a.Path}, t.args, t.bind)
		out[i] = lockobj.Arg{Path: k.Path, Class: k.Class, Read: a.Read, Const: a.Const, Type: a.Type, Fresh: a.Fresh || !ok, Func: l.funcInTerms(a.Func, t)}
	}
	return out
}

// inTerms puts a callee's lock in terms of its caller; not ok if the lock's
// object is fresh there, so that nobody else can wait for it.
func (l *linker) inTerms(k lockobj.Lock, args, bind []lockobj.Arg) (lockobj.Lock, bool) {
	root, steps := k.Path.Split()
	var a *lockobj.Arg
	if len(root) > 1 {
		if i, ok := number(root, 'p'); ok && i < len(args) {
			a = &args[i]
		} else if i, ok := number(root, 'f'); ok && i < len(bind) {
			a = &bind[i]
		}
	}
	if a == nil {
		if !strings.HasPrefix(root, "g{") {
			k.Path = ""
		}
		return k, true
	}
	fresh := a.Fresh && lockobj.Inside(steps)
	if k.Class == "" && steps == "" {
		k.Class = a.Class
		if a.Read {
			k.Mode = lockobj.Read
		}
	}
	if a.Type != "" {
		k.Class = instantiate(k.Class, a.Type)
	}
	k.Path = lockobj.Normal(l.substitute(k.Path, a, func(r string) lockobj.Path {
		if r == root {
			return a.Path
		}
		if i, ok := number(r, 'p'); ok && i < len(args) {
			if c := args[i].Const; c != "" {
				return lockobj.Path("%=" + c)
			}
			return args[i].Path
		}
		if i, ok := number(r, 'f'); ok && i < len(bind) {
			return bind[i].Path
		}
		return ""
	}), l.backs)
	return k, !fresh
}

// substitute is lockobj.Substitute, by way of what is known of the fields of
// the object that the path starts at.
func (l *linker) substitute(p lockobj.Path, a *lockobj.Arg, at func(string) lockobj.Path) lockobj.Path {
	if len(a.Known) > 0 {
		_, steps := p.Split()
		if q, ok := lockobj.Resolve(a.Path, steps, a.Known); ok {
			return q
		}
	}
	return lockobj.Substitute(p, at)
}

// instantiate replaces type parameters in a class by those of the receiver.
func instantiate(class, typ string) string {
	typ = strings.TrimPrefix(typ, "*")
	i := strings.IndexByte(typ, '[')
	if i < 0 || !strings.HasPrefix(class, typ[:i+1]) {
		return class
	}
	depth := 0
	for j := i; j < len(class); j++ {
		switch class[j] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return typ + class[j+1:]
			}
		}
	}
	return class
}

func number(root string, kind byte) (int, bool) {
	if len(root) < 2 || root[0] != kind {
		return 0, false
	}
	n := 0
	for _, c := range []byte(root[1:]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
