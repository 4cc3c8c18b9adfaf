package lockobj

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// Version is that of the encoding. It changes with any field of this package's
// types.
const Version = 3

// magic starts every encoded object.
const magic = "lockobj\n"

// maxDecoded bounds what a damaged object may claim to hold, in bytes.
const maxDecoded = 1 << 30

// Encode returns the packages in the object format:
//
//	+-----------+---------+--------------------------------------------+
//	| magic     | version | DEFLATE of:                                |
//	| 8 bytes   | uvarint |   count, then each string: length, bytes   |
//	|           |         |   count, then each package                 |
//	+-----------+---------+--------------------------------------------+
//
// A struct is its fields in order, a slice its length and elements, a pointer
// 0 or 1 and its target, a string its number in the table (0 is ""), an
// integer or bool a uvarint. Equal packages give equal bytes.
func Encode(pkgs []*Package) []byte {
	e := &encoder{index: map[string]uint64{"": 0}}
	e.uint(uint64(len(pkgs)))
	for _, p := range pkgs {
		e.value(reflect.ValueOf(p).Elem())
	}
	var table bytes.Buffer
	tmp := binary.AppendUvarint(nil, uint64(len(e.strings)))
	for _, s := range e.strings {
		tmp = binary.AppendUvarint(tmp, uint64(len(s)))
		tmp = append(tmp, s...)
	}
	table.WriteString(magic)
	table.Write(binary.AppendUvarint(nil, Version))
	w, err := flate.NewWriter(&table, flate.BestCompression)
	if err != nil {
		panic(err) // the level is a valid constant
	}
	w.Write(tmp)
	w.Write(e.buf)
	w.Close()
	return table.Bytes()
}

type encoder struct {
	buf     []byte
	strings []string
	index   map[string]uint64
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
		e.uint(uint64(v.Len()))
		for i := range v.Len() {
			e.value(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			e.uint(0)
			return
		}
		e.uint(1)
		e.value(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			e.value(v.Field(i))
		}
	default:
		panic("lockobj: no encoding for " + v.Type().String())
	}
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
	var pkgs []*Package
	for n := d.len(); n > 0 && !d.bad; n-- {
		p := new(Package)
		d.value(reflect.ValueOf(p).Elem())
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
		n := d.len()
		if n == 0 {
			return
		}
		s := reflect.MakeSlice(v.Type(), n, n)
		for i := range n {
			d.value(s.Index(i))
		}
		v.Set(s)
	case reflect.Pointer:
		if d.uint() == 1 {
			p := reflect.New(v.Type().Elem())
			d.value(p.Elem())
			v.Set(p)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	default:
		panic("lockobj: no encoding for " + v.Type().String())
	}
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
