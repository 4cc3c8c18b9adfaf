package lockobj

import "strings"

// A Path names an instance as an access path: a root and steps.
//
// Roots: pN a parameter, fN a free variable, g{pkg.Var} a variable of a
// package, a:tN an allocation of this function, %tN any other value of this
// function, o the owner of a stored function, rN a result. Steps: .field, [i],
// and > for following a pointer kept in a field, element or variable; the
// pointers that roots are need no step. "" is an instance that is not known.
//
// A field step that starts with "~" goes through a field which is assigned
// after its object was published, so two readings may differ.
type Path string

// MaxDepth bounds the steps of a path; what is longer is known by class only.
const MaxDepth = 8

// Split returns the root of a path and its steps.
func (p Path) Split() (root, steps string) {
	s := string(p)
	from := 0
	if strings.HasPrefix(s, "g{") {
		from = strings.IndexByte(s, '}')
		if from < 0 {
			return s, ""
		}
	}
	for i := from; i < len(s); i++ {
		if s[i] == '.' || s[i] == '[' || s[i] == '>' {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// Field returns the path of a field of p.
func (p Path) Field(name string) Path {
	if p == "" {
		return ""
	}
	return p.bound(p + Path("."+name))
}

// Elem returns the path of an element of p.
func (p Path) Elem(key string) Path {
	if p == "" {
		return ""
	}
	return p.bound(p + Path("["+key+"]"))
}

func (p Path) bound(q Path) Path {
	_, steps := q.Split()
	if strings.Count(steps, ".")+strings.Count(steps, "[") > MaxDepth {
		return ""
	}
	return q
}

// Object returns the path of the object that p is a field of, or an element of
// what a field of it holds. "" if p is no such path.
func (p Path) Object() Path {
	root, steps := p.Plain().Split()
	steps = strings.TrimSuffix(steps, ">")
	if strings.HasSuffix(steps, "]") {
		steps = strings.TrimSuffix(steps[:strings.LastIndexByte(steps, '[')], ">")
	}
	i := strings.LastIndexAny(steps, ">]") + 1
	if !strings.HasPrefix(steps[i:], ".") {
		return ""
	}
	return Path(root + steps[:i])
}

// Local reports whether the path has a meaning only inside its function.
func (p Path) Local() bool {
	return strings.HasPrefix(string(p), "%") || strings.HasPrefix(string(p), "a:")
}

// Outside returns the path as callers of the function can see it: "" if it is
// local, and with unknown elements where an index is.
func (p Path) Outside() Path {
	if p == "" || p.Local() {
		return ""
	}
	if !strings.Contains(string(p), "[%") {
		return p
	}
	var b strings.Builder
	s := string(p)
	for {
		i := strings.Index(s, "[%")
		if i < 0 {
			break
		}
		j := strings.IndexByte(s[i:], ']')
		if j < 0 {
			break
		}
		b.WriteString(s[:i] + "[*]")
		s = s[i+j+1:]
	}
	b.WriteString(s)
	return Path(b.String())
}

// Proven reports whether two equal readings of the path are surely one
// instance.
func (p Path) Proven() bool {
	return p != "" && !strings.Contains(string(p), "~") && !strings.Contains(string(p), "[*]") && !strings.Contains(string(p), "'")
}

// Mentions reports whether the path is rooted at, or indexed by, the value.
func (p Path) Mentions(value string) bool {
	s := string(p)
	if !strings.Contains(s, value) {
		return false
	}
	root, _ := p.Split()
	return root == value || strings.Contains(s, "["+value+"]")
}

// Plain returns the path without the marks of reassigned fields.
func (p Path) Plain() Path {
	if !strings.Contains(string(p), "~") {
		return p
	}
	return Path(strings.ReplaceAll(string(p), "~", ""))
}

// Substitute replaces the root of p, and every index in it, by what at
// returns for them. Where at returns "" for the root the result is "".
func Substitute(p Path, at func(root string) Path) Path {
	if p == "" {
		return ""
	}
	root, steps := p.Split()
	q := at(root)
	if q == "" {
		return ""
	}
	if !strings.Contains(steps, "[p") && !strings.Contains(steps, "[f") {
		return q.bound(q + Path(steps))
	}
	var b strings.Builder
	b.WriteString(string(q))
	for steps != "" {
		i := strings.IndexByte(steps, '[')
		if i < 0 {
			break
		}
		j := strings.IndexByte(steps[i:], ']')
		if j < 0 {
			break
		}
		key := steps[i+1 : i+j]
		b.WriteString(steps[:i])
		if kroot, ksteps := Path(key).Split(); kroot != "" && (kroot[0] == 'p' || kroot[0] == 'f') {
			sub := string(at(kroot))
			if sub == "" || strings.ContainsAny(sub, "[]") {
				key = "*"
			} else {
				key = strings.TrimPrefix(sub, "%=") + ksteps
			}
		}
		b.WriteString("[" + key + "]")
		steps = steps[i+j+1:]
	}
	b.WriteString(steps)
	return q.bound(Path(b.String()))
}

// Deref returns the path of what a pointer kept at p points to.
func (p Path) Deref() Path {
	if p == "" || strings.HasSuffix(string(p), ">") {
		return p
	}
	return p + ">"
}

// Inside reports whether steps stay inside the object they start from.
func Inside(steps string) bool { return !strings.Contains(steps, ">") }

// Normal rewrites X.container[i].back to X for every back-pointer.
func Normal(p Path, backs []BackPtr) Path {
	s := string(p)
	if s == "" || len(backs) == 0 || !strings.Contains(s, "].") && !strings.Contains(s, "]>.") {
		return p
	}
	for _, b := range backs {
		for from := 0; ; {
			i := strings.IndexByte(s[from:], ']')
			if i < 0 {
				break
			}
			i += from
			from = i + 1
			rest := strings.TrimPrefix(s[i+1:], ">")
			rest, ok := strings.CutPrefix(rest, ".")
			if !ok {
				continue
			}
			tail, ok := strings.CutPrefix(strings.TrimPrefix(rest, "~"), b.Back)
			if !ok || tail == "" || tail[0] != '>' {
				continue
			}
			open := strings.LastIndexByte(s[:i], '[')
			if open < 0 {
				continue
			}
			head := strings.TrimSuffix(s[:open], ">")
			dot := strings.LastIndexByte(head, '.')
			if dot < 0 || strings.TrimPrefix(head[dot+1:], "~") != b.Container {
				continue
			}
			s = head[:dot] + tail[1:]
			from = 0
		}
	}
	return Path(s)
}

// Resolve rewrites a path that starts at an object whose fields are known.
func Resolve(root Path, steps string, known []Known) (Path, bool) {
	plain := strings.ReplaceAll(steps, "~", "")
	for _, k := range known {
		at := strings.ReplaceAll(string(k.At), "~", "")
		if rest, ok := strings.CutPrefix(plain, at); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return k.Is + Path(rest), true
		}
	}
	return root + Path(steps), false
}
