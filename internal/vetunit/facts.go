package vetunit

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"go/types"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/objectpath"
)

// A fact file is empty where a package has no facts, else
//
//	lockvet facts 1\n      magic and version
//	gob of []factEntry     sorted by package, object and type
const (
	factMagic   = "lockvet facts "
	factVersion = "1"
)

// A factEntry is one fact in a file.
type factEntry struct {
	Package string          // package path
	Object  objectpath.Path // empty for a fact about the package itself
	Fact    analysis.Fact
}

// A factSet holds the facts of a package and of its imports.
type factSet struct {
	pkg *types.Package
	mu  sync.Mutex
	m   map[factKey]analysis.Fact
}

type factKey struct {
	pkg *types.Package
	obj types.Object // nil for a fact about the package
	t   reflect.Type
}

func newFactSet(pkg *types.Package, samples []analysis.Fact) *factSet {
	for _, f := range samples {
		gob.Register(f)
	}
	return &factSet{pkg: pkg, m: make(map[factKey]analysis.Fact)}
}

// readAll reads the fact files of the direct imports. A fact about a package
// or object that the export data does not mention is left out: nothing here
// can ask for it.
func (s *factSet) readAll(files map[string]string, imports map[string]*types.Package) error {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		data, err := os.ReadFile(files[path])
		if err == nil {
			err = s.decode(data, imports)
		}
		if err != nil {
			return fmt.Errorf("reading the facts of %s: %w: remove them with go clean -cache", path, err)
		}
	}
	return nil
}

func (s *factSet) decode(data []byte, imports map[string]*types.Package) error {
	if len(data) == 0 {
		return nil
	}
	header, body, found := bytes.Cut(data, []byte("\n"))
	version, isFacts := strings.CutPrefix(string(header), factMagic)
	if !found || !isFacts {
		return fmt.Errorf("not a fact file")
	}
	if version != factVersion {
		return fmt.Errorf("fact file has version %s, this lockvet reads version %s", version, factVersion)
	}
	var entries []factEntry
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(&entries); err != nil {
		return err
	}
	for _, e := range entries {
		pkg := imports[e.Package]
		if pkg == nil {
			continue
		}
		key := factKey{pkg: pkg, t: reflect.TypeOf(e.Fact)}
		if e.Object != "" {
			obj, err := objectpath.Object(pkg, e.Object)
			if err != nil {
				continue
			}
			key.obj = obj
		}
		s.m[key] = e.Fact
	}
	return nil
}

// encode returns the file for this package: its facts, and those about fields,
// methods and types of its imports, which its importers may reach through it
// alone. Facts about packages are not handed on.
func (s *factSet) encode() ([]byte, error) {
	var entries []factEntry
	var paths objectpath.Encoder
	for key, fact := range s.m {
		if key.pkg != s.pkg && !reachableThrough(key.obj) {
			continue
		}
		e := factEntry{Package: key.pkg.Path(), Fact: fact}
		if key.obj != nil {
			path, err := paths.For(key.obj)
			if err != nil {
				continue // out of reach for importers
			}
			e.Object = path
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		return nil, nil
	}
	slices.SortFunc(entries, func(a, b factEntry) int {
		return cmp.Or(
			strings.Compare(a.Package, b.Package),
			strings.Compare(string(a.Object), string(b.Object)),
			strings.Compare(reflect.TypeOf(a.Fact).String(), reflect.TypeOf(b.Fact).String()),
		)
	})
	var buf bytes.Buffer
	buf.WriteString(factMagic + factVersion + "\n")
	if err := gob.NewEncoder(&buf).Encode(entries); err != nil {
		return nil, fmt.Errorf("encoding the facts of %s: %w", s.pkg.Path(), err)
	}
	return buf.Bytes(), nil
}

// reachableThrough reports whether an object of an import can be reached
// without naming its package: a package-level variable or function cannot.
func reachableThrough(obj types.Object) bool {
	if obj == nil {
		return false
	}
	_, isType := obj.(*types.TypeName)
	return isType || obj.Parent() != obj.Pkg().Scope()
}

func (s *factSet) lookup(key factKey, into analysis.Fact) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	fact, ok := s.m[key]
	if ok {
		reflect.ValueOf(into).Elem().Set(reflect.ValueOf(fact).Elem())
	}
	return ok
}

func (s *factSet) store(key factKey, fact analysis.Fact) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[key] = fact
}

// connect gives a pass its fact functions.
func (s *factSet) connect(pass *analysis.Pass) {
	own := make(map[reflect.Type]bool)
	for _, f := range pass.Analyzer.FactTypes {
		own[reflect.TypeOf(f)] = true
	}
	pass.ImportObjectFact = func(obj types.Object, fact analysis.Fact) bool {
		return s.lookup(factKey{obj.Pkg(), obj, reflect.TypeOf(fact)}, fact)
	}
	pass.ImportPackageFact = func(pkg *types.Package, fact analysis.Fact) bool {
		return s.lookup(factKey{pkg, nil, reflect.TypeOf(fact)}, fact)
	}
	pass.ExportObjectFact = func(obj types.Object, fact analysis.Fact) {
		if obj.Pkg() != s.pkg {
			panic(fmt.Sprintf("%s: exports a fact about %s of another package", pass.Analyzer, obj))
		}
		s.store(factKey{s.pkg, obj, reflect.TypeOf(fact)}, fact)
	}
	pass.ExportPackageFact = func(fact analysis.Fact) {
		s.store(factKey{s.pkg, nil, reflect.TypeOf(fact)}, fact)
	}
	pass.AllObjectFacts = func() (all []analysis.ObjectFact) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for key, fact := range s.m {
			if key.obj != nil && own[key.t] {
				all = append(all, analysis.ObjectFact{Object: key.obj, Fact: fact})
			}
		}
		return all
	}
	pass.AllPackageFacts = func() (all []analysis.PackageFact) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for key, fact := range s.m {
			if key.obj == nil && own[key.t] {
				all = append(all, analysis.PackageFact{Package: key.pkg, Fact: fact})
			}
		}
		slices.SortFunc(all, func(a, b analysis.PackageFact) int {
			return strings.Compare(a.Package.Path(), b.Package.Path())
		})
		return all
	}
}
