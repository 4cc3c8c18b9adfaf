package lockobj

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/directive"
)

func sample() []*Package {
	return []*Package{
		{
			Path: "example.com/bank", Name: "bank", Whole: true, Imports: []string{"example.com/ledger"},
			Funcs: []*Func{{
				Sym: "(*example.com/bank.Account).Post", Name: "(*Account).Post", Pos: Pos{"bank.go", 12, 19}, Params: 2, Exported: true,
				Events: []Event{
					{Kind: Acquire, Pos: Pos{"bank.go", 13, 2}, Lock: Lock{"example.com/bank.Account.mu", "p0.mu", Write}},
					{
						Kind: Call, Pos: Pos{"bank.go", 15, 2},
						Held: []Held{{Lock: Lock{"example.com/bank.Account.mu", "p0.mu", Write}, Pos: Pos{"bank.go", 13, 2}}},
						When: []Cond{{"p1==nil", false}}, Callee: Callee{Kind: Static, Sym: "(*example.com/ledger.Ledger).Post"},
						Args: []Arg{{Path: "p1"}, {Func: &FuncRef{Sym: "f", Bind: []Arg{{Path: "p0", Const: "true"}}}}},
					},
				},
				Net:       []NetCase{{When: []Cond{{"r0", true}}, Releases: []Lock{{"c", "p0.mu", Read}}}},
				Results:   []Result{{Path: "p0", Known: []Known{{".next>", "p1"}}}},
				Publishes: 1 << 63,
			}},
			Types:      []Type{{"*example.com/bank.Account", []Method{{"Post/1/0", "(*example.com/bank.Account).Post", ""}}}},
			Convs:      []Conv{{"*example.com/bank.Account", "example.com/ledger.Poster", false, true}},
			Directives: []directive.Directive{{Kind: directive.Ignore, File: "bank.go", FromLine: 3, ToLine: 4, Reason: "known"}},
		},
		{Path: "example.com/empty", Name: "empty"},
	}
}

func TestRoundTrip(t *testing.T) {
	want := sample()
	got, err := Decode(Encode(want))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("decoded %+v, want %+v", got, want)
	}
}

func TestSameInputSameBytes(t *testing.T) {
	if !bytes.Equal(Encode(sample()), Encode(sample())) {
		t.Error("two encodings of equal packages differ")
	}
}

func TestDecodeOtherVersion(t *testing.T) {
	data := append([]byte(magic), binary.AppendUvarint(nil, Version+7)...)
	_, err := Decode(data)
	var ve *VersionError
	if !errors.As(err, &ve) || ve.Got != Version+7 {
		t.Fatalf("error is %v, want a VersionError", err)
	}
	for _, v := range []string{"version " + itoa(Version+7), "version " + itoa(Version)} {
		if !strings.Contains(err.Error(), v) {
			t.Errorf("error %q does not name %s", err, v)
		}
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// A damaged object is an error at every place it can be cut or changed, and
// never a panic.
func TestDecodeDamaged(t *testing.T) {
	data := Encode(sample())
	for i := range data {
		if _, err := Decode(data[:i]); err == nil {
			t.Errorf("cut to %d of %d bytes: no error", i, len(data))
		}
	}
	for i := range data {
		broken := bytes.Clone(data)
		broken[i] ^= 0x55
		Decode(broken) // may decode to something else: the go command's cache has checksums
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Encode(sample()))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		pkgs, err := Decode(data)
		if err == nil && !bytes.Equal(Encode(pkgs), Encode(pkgs)) {
			t.Error("decoded packages have two encodings")
		}
	})
}
