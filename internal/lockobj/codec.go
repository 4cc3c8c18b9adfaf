package lockobj

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// Version is that of the encoding. It changes with any field of this package's
// types.
const Version = 7

// magic starts every encoded object.
const magic = "lockobj\n"

// maxDecoded bounds what a damaged object may claim to hold, in bytes.
const maxDecoded = 1 << 30

// shared are the types of slices that many events have alike. Each different
// one is encoded once, and decoded once: what [Decode] returns has them in
// common, so that nobody may write to their elements.
var shared = []reflect.Type{
	reflect.TypeFor[[]Known](),
	reflect.TypeFor[[]Arg](),
	reflect.TypeFor[[]Held](),
	reflect.TypeFor[[]Lock](),
	reflect.TypeFor[[]Cond](),
}

// Encode returns the packages in the object format:
//
//	+-----------+---------+--------------------------------------------+
//	| magic     | version | DEFLATE of:                                |
//	| 8 bytes   | uvarint |   count, then each string: length, bytes   |
//	|           |         |   count, then each shared slice: type,     |
//	|           |         |     length, elements                       |
//	|           |         |   count, then each package                 |
//	+-----------+---------+--------------------------------------------+
//
// A struct is a mask of the fields that are not zero, and those fields in
// order; a name that follows from its symbol ([Func], [Method]) counts as zero.
// A position is told from the one before it in the package, or in the shared
// slice: the difference of the lines, shifted by one bit that says whether
// another file's name follows; then the column. A slice is its length and elements, a pointer 0 or 1 and its target, a
// string its number in the table (0 is ""), a shared slice likewise (0 is nil),
// an integer or bool a uvarint. Equal packages give equal bytes.
func Encode(pkgs []*Package) []byte {
	e := &encoder{index: map[string]uint64{"": 0}, slices: map[string]uint64{}}
	e.uint(uint64(len(pkgs)))
	for _, p := range pkgs {
		e.last = Pos{}
		e.value(reflect.ValueOf(impliedNames(p)).Elem())
	}
	var out bytes.Buffer
	table := binary.AppendUvarint(nil, uint64(len(e.strings)))
	for _, s := range e.strings {
		table = binary.AppendUvarint(table, uint64(len(s)))
		table = append(table, s...)
	}
	table = binary.AppendUvarint(table, uint64(len(e.slices)))
	out.WriteString(magic)
	out.Write(binary.AppendUvarint(nil, Version))
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		panic(err) // the level is a valid constant
	}
	w.Write(table)
	w.Write(e.shared)
	w.Write(e.buf)
	w.Close()
	return out.Bytes()
}

type encoder struct {
	buf     []byte
	strings []string
	index   map[string]uint64
	shared  []byte
	slices  map[string]uint64 // numbers of shared slices, by type and content
	last    Pos
}

// impliedNames leaves out of a package the names that follow from others.
func impliedNames(p *Package) *Package {
	q := *p
	q.Funcs = slices.Clone(p.Funcs)
	for i, f := range q.Funcs {
		if f.Name == p.nameOf(f.Sym) {
			g := *f
			g.Name = ""
			q.Funcs[i] = &g
		}
	}
	q.Types = slices.Clone(p.Types)
	for i := range q.Types {
		t := &q.Types[i]
		t.Methods = slices.Clone(t.Methods)
		for j, m := range t.Methods {
			if m.Sym == t.symOf(m.Name) {
				t.Methods[j].Sym = ""
			}
		}
	}
	return &q
}

// expandNames puts back what impliedNames left out.
func expandNames(p *Package) {
	for _, f := range p.Funcs {
		if f.Name == "" {
			f.Name = p.nameOf(f.Sym)
		}
	}
	for i := range p.Types {
		t := &p.Types[i]
		for j, m := range t.Methods {
			if m.Sym == "" {
				t.Methods[j].Sym = t.symOf(m.Name)
			}
		}
	}
}

// nameOf is the name for people that most functions of the package have.
func (p *Package) nameOf(sym string) string {
	return strings.ReplaceAll(strings.ReplaceAll(sym, p.Path+".", ""), "$", ".func")
}

// symOf is the symbol that most methods of the type have.
func (t *Type) symOf(method string) string {
	name, _, _ := strings.Cut(method, "/")
	return "(" + t.Name + ")." + name
}

func (e *encoder) uint(n uint64) { e.buf = binary.AppendUvarint(e.buf, n) }

func (e *encoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		n, ok := e.index[s]
		if !ok {
			e.strings = append(e.strings, s)
			n = uint64(len(e.strings))
			e.index[s] = n
		}
		e.uint(n)
	case reflect.Bool:
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		e.uint(n)
	case reflect.Int:
		e.uint(uint64(v.Int()))
	case reflect.Uint8, reflect.Uint64:
		e.uint(v.Uint())
	case reflect.Slice:
		if k := slices.Index(shared, v.Type()); k >= 0 {
			e.uint(e.share(v, k))
			return
		}
		e.elements(v)
	case reflect.Pointer:
		if v.IsNil() {
			e.uint(0)
			return
		}
		e.uint(1)
		e.value(v.Elem())
	case reflect.Struct:
		if p, ok := v.Interface().(Pos); ok {
			e.pos(p)
			return
		}
		mask := uint64(0)
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				mask |= 1 << i
			}
		}
		e.uint(mask)
		for i := range v.NumField() {
			if mask&(1<<i) != 0 {
				e.value(v.Field(i))
			}
		}
	default:
		panic("lockobj: no encoding for " + v.Type().String())
	}
}

func (e *encoder) pos(p Pos) {
	d := int64(p.Line - e.last.Line)
	step := uint64(d<<1^d>>63) << 1
	if p.File != e.last.File {
		e.uint(step | 1)
		e.value(reflect.ValueOf(p.File))
	} else {
		e.uint(step)
	}
	e.uint(uint64(p.Col))
	e.last = p
}

func (e *encoder) elements(v reflect.Value) {
	e.uint(uint64(v.Len()))
	for i := range v.Len() {
		e.value(v.Index(i))
	}
}

// share returns the number of a slice of a shared type.
func (e *encoder) share(v reflect.Value, kind int) uint64 {
	if v.Len() == 0 {
		return 0
	}
	outer, last := e.buf, e.last
	e.buf, e.last = nil, Pos{}
	e.uint(uint64(kind))
	e.elements(v)
	n, ok := e.slices[string(e.buf)]
	if !ok {
		n = uint64(len(e.slices)) + 1
		e.slices[string(e.buf)] = n
		e.shared = append(e.shared, e.buf...)
	}
	e.buf, e.last = outer, last
	return n
}

// A VersionError says that an object was written by another lockvet.
type VersionError struct{ Got uint64 }

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("lock object has version %d, this lockvet reads version %d; run go clean -cache if that persists", e.Got, Version)
}

var errDamaged = errors.New("lock object is damaged or cut short; run go clean -cache to make it anew")

// Decode reads what [Encode] wrote. A damaged object and one of another
// version ([VersionError]) are errors.
func Decode(data []byte) ([]*Package, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, errDamaged
	}
	version, n := binary.Uvarint(rest)
	if n <= 0 {
		return nil, errDamaged
	}
	if version != Version {
		return nil, &VersionError{version}
	}
	buf, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(rest[n:])), maxDecoded))
	if err != nil {
		return nil, errDamaged
	}
	d := &decoder{buf: buf}
	d.strings = []string{""}
	for n := d.len(); n > 0; n-- {
		l := d.len()
		if d.bad {
			break
		}
		d.strings = append(d.strings, string(d.buf[:l]))
		d.buf = d.buf[l:]
	}
	d.slices = []reflect.Value{{}}
	for n := d.len(); n > 0 && !d.bad; n-- {
		k := d.uint()
		if k >= uint64(len(shared)) {
			d.bad = true
			break
		}
		s := reflect.New(shared[k]).Elem()
		d.last = Pos{}
		d.elements(s)
		d.slices = append(d.slices, s)
	}
	var pkgs []*Package
	for n := d.len(); n > 0 && !d.bad; n-- {
		p := new(Package)
		d.last = Pos{}
		d.value(reflect.ValueOf(p).Elem())
		if !d.bad {
			expandNames(p)
		}
		pkgs = append(pkgs, p)
	}
	if d.bad || len(d.buf) != 0 {
		return nil, errDamaged
	}
	return pkgs, nil
}

type decoder struct {
	buf     []byte
	strings []string
	slices  []reflect.Value // the shared ones, from 1
	last    Pos
	bad     bool
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.buf)
	if n <= 0 {
		d.bad = true
		d.buf = nil
		return 0
	}
	d.buf = d.buf[n:]
	return v
}

// len reads a count of things that take at least a byte each.
func (d *decoder) len() int {
	n := d.uint()
	if n > uint64(len(d.buf)) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) value(v reflect.Value) {
	if d.bad {
		return
	}
	switch v.Kind() {
	case reflect.String:
		n := d.uint()
		if n >= uint64(len(d.strings)) {
			d.bad = true
			return
		}
		v.SetString(d.strings[n])
	case reflect.Bool:
		v.SetBool(d.uint() == 1)
	case reflect.Int:
		v.SetInt(int64(d.uint()))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(d.uint())
	case reflect.Slice:
		if !slices.Contains(shared, v.Type()) {
			d.elements(v)
			return
		}
		n := d.uint()
		switch {
		case n == 0:
		case n >= uint64(len(d.slices)) || d.slices[n].Type() != v.Type():
			d.bad = true
		default:
			v.Set(d.slices[n])
		}
	case reflect.Pointer:
		if d.uint() == 1 {
			p := reflect.New(v.Type().Elem())
			d.value(p.Elem())
			v.Set(p)
		} else if v.Type() == reflect.TypeFor[*Func]() {
			d.bad = true // only what a field points to can be missing
		}
	case reflect.Struct:
		if p, ok := v.Addr().Interface().(*Pos); ok {
			d.pos(p)
			return
		}
		mask := d.uint()
		for i := range v.NumField() {
			if mask&(1<<i) != 0 {
				d.value(v.Field(i))
			}
		}
	default:
		panic("lockobj: no encoding for " + v.Type().String())
	}
}

func (d *decoder) pos(p *Pos) {
	step := d.uint()
	p.File = d.last.File
	if step&1 != 0 {
		d.value(reflect.ValueOf(&p.File).Elem())
	}
	step >>= 1
	p.Line = d.last.Line + int(int64(step>>1)^-int64(step&1))
	p.Col = int(d.uint())
	d.last = *p
}

func (d *decoder) elements(v reflect.Value) {
	n := d.len()
	if n == 0 {
		return
	}
	s := reflect.MakeSlice(v.Type(), n, n)
	for i := range n {
		d.value(s.Index(i))
	}
	v.Set(s)
}

// A Fact is the package fact that carries objects from a package to its
// importers: its own, and what they need of its dependencies.
type Fact struct {
	// Data is what [Encode] returned.
	Data []byte
}

// AFact marks the type as a fact of go/analysis.
func (*Fact) AFact() {}

// String says how large the fact is.
func (f *Fact) String() string { return fmt.Sprintf("lockobj(%d bytes)", len(f.Data)) }
