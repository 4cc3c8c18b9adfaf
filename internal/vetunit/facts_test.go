package vetunit

import (
	"bytes"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

func TestFactFile(t *testing.T) {
	samples := []analysis.Fact{new(depthFact), new(markedFact)}
	pkg := types.NewPackage("example.com/a", "a")
	set := newFactSet(pkg, samples)
	data, err := set.encode()
	if err != nil || len(data) != 0 {
		t.Fatalf("no facts encode to %q, %v; want an empty file", data, err)
	}
	pass := &analysis.Pass{Analyzer: depth}
	set.connect(pass)
	pass.ExportPackageFact(&depthFact{N: 7})
	data, err = set.encode()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := set.encode(); err != nil || !bytes.Equal(data, again) {
		t.Errorf("the same facts encode to other bytes, %v", err)
	}

	read := func(data []byte) (*factSet, error) {
		name := filepath.Join(t.TempDir(), "vetx")
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		set := newFactSet(types.NewPackage("example.com/b", "b"), samples)
		return set, set.readAll(map[string]string{"example.com/a": name}, map[string]*types.Package{"example.com/a": pkg})
	}
	importer, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	importer.connect(pass)
	var got depthFact
	if !pass.ImportPackageFact(pkg, &got) || got.N != 7 {
		t.Errorf("read back fact %+v, want 7", got)
	}
	if all := pass.AllPackageFacts(); len(all) != 1 || all[0].Package != pkg {
		t.Errorf("all package facts are %v, want the one", all)
	}

	bad := []struct {
		name string
		data []byte
		want string
	}{
		{"truncated", data[:len(data)-3], "example.com/a"},
		{"header alone", data[:len(factMagic)], "not a fact file"},
		{"foreign", []byte("vetx\x00\x00"), "not a fact file"},
		{"newer", append([]byte(factMagic+"2\n"), "more"...), "has version 2, this lockvet reads version 1"},
	}
	for _, test := range bad {
		_, err := read(test.data)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "go clean -cache") {
			t.Errorf("%s: got error %v, want one with %q that says what to do", test.name, err, test.want)
		}
	}
}
