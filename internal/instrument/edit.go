package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A source is one file of GOROOT that is being edited. Edits are found in its
// syntax tree and made in its bytes, so that everything else, lines included,
// stays as it was. The first shape that is not as expected stops all others.
type source struct {
	name  string // below src, with slashes
	text  []byte
	fset  *token.FileSet
	tree  *ast.File
	edits []edit
	err   error
}

type edit struct {
	start, end int
	text       string
}

// A ShapeError says that a file of GOROOT is not what this lockvet can edit.
type ShapeError struct {
	File    string // below GOROOT/src
	Missing string // what was looked for
	Version string // of Go, if known
}

func (e *ShapeError) Error() string {
	version := ""
	if e.Version != "" {
		version = " of " + e.Version
	}
	return fmt.Sprintf("cannot instrument the standard library%s: src/%s has no %s: use a Go version that this lockvet supports (1.26 or 1.27, not patched), or a newer lockvet", version, e.File, e.Missing)
}

func parseSource(name string, text []byte) (*source, error) {
	s := &source{name: name, text: text, fset: token.NewFileSet()}
	tree, err := parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("cannot instrument the standard library: %w", err)
	}
	s.tree = tree
	return s, nil
}

// missing notes that the file lacks something.
func (s *source) missing(format string, args ...any) {
	if s.err == nil {
		s.err = &ShapeError{File: s.name, Missing: fmt.Sprintf(format, args...)}
	}
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

func (s *source) replace(from, to token.Pos, text string) {
	s.edits = append(s.edits, edit{s.offset(from), s.offset(to), text})
}

func (s *source) insert(at token.Pos, text string) { s.replace(at, at, text) }

// code returns the text of a node in one line.
func (s *source) code(n ast.Node) string {
	return strings.Join(strings.Fields(string(s.text[s.offset(n.Pos()):s.offset(n.End())])), " ")
}

// function finds a function, or a method if recv is not empty: "*Mutex".
func (s *source) function(recv, name string) *ast.FuncDecl {
	for _, d := range s.tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != name || fn.Body == nil {
			continue
		}
		got := ""
		if fn.Recv != nil {
			got = s.code(fn.Recv.List[0].Type)
		}
		if got == recv {
			return fn
		}
	}
	if recv != "" {
		s.missing("method (%s).%s", recv, name)
	} else {
		s.missing("function %s", name)
	}
	return nil
}

// rename gives a method with this signature another name: "func(delta int)".
func (s *source) rename(recv, name, signature, to string) {
	fn := s.function(recv, name)
	if fn == nil {
		return
	}
	if got := "func" + s.code(fn.Type)[len("func "+s.code(fn.Recv)+" "+name):]; got != signature {
		s.missing("method (%s).%s of type %s, it is %s", recv, name, signature, got)
		return
	}
	s.replace(fn.Name.Pos(), fn.Name.End(), to)
}

// retarget replaces the calls of one function inside another, all of them; there
// must be times.
func (s *source) retarget(recv, name, call, to string, times int) {
	fn := s.function(recv, name)
	if fn == nil {
		return
	}
	n := 0
	ast.Inspect(fn.Body, func(node ast.Node) bool {
		if c, ok := node.(*ast.CallExpr); ok && s.code(c.Fun) == call {
			s.replace(c.Fun.Pos(), c.Fun.End(), to)
			n++
		}
		return true
	})
	if n != times {
		s.missing("%d calls of %s in (%s).%s, there are %d", times, call, recv, name, n)
	}
}

// statement finds the one statement of a function, at any depth, that has this
// text.
func (s *source) statement(fn *ast.FuncDecl, text string) ast.Stmt {
	var found []ast.Stmt
	ast.Inspect(fn.Body, func(node ast.Node) bool {
		if stmt, ok := node.(ast.Stmt); ok && s.code(stmt) == text {
			found = append(found, stmt)
		}
		return true
	})
	if len(found) != 1 {
		s.missing("single statement %q in %s, there are %d", text, fn.Name.Name, len(found))
		return nil
	}
	return found[0]
}

// before and after put code beside a statement of a function, on its line.
func (s *source) before(recv, name, stmt, code string) {
	if fn := s.function(recv, name); fn != nil {
		if at := s.statement(fn, stmt); at != nil {
			s.insert(at.Pos(), code+"; ")
		}
	}
}

func (s *source) after(recv, name, stmt, code string) {
	if fn := s.function(recv, name); fn != nil {
		if at := s.statement(fn, stmt); at != nil {
			s.insert(at.End(), "; "+code)
		}
	}
}

// first puts code at the start of a function.
func (s *source) first(recv, name, code string) {
	if fn := s.function(recv, name); fn != nil {
		s.insert(fn.Body.Lbrace+1, " "+code+";")
	}
}

// field adds a field at the end of a struct type, on the line of its closing
// brace. The type must have the given fields. Without a field to add it only
// checks them.
func (s *source) field(typeName, field string, has ...string) {
	spec := s.typeSpec(typeName)
	if spec == nil {
		return
	}
	st, ok := spec.Type.(*ast.StructType)
	if !ok {
		s.missing("struct type %s", typeName)
		return
	}
	var fields []string
	for _, f := range st.Fields.List {
		for _, name := range f.Names {
			fields = append(fields, name.Name+" "+s.code(f.Type))
		}
	}
	for _, want := range has {
		if !slices.Contains(fields, want) {
			s.missing("field %q in type %s", want, typeName)
			return
		}
	}
	if field != "" {
		s.insert(st.Fields.Closing, field)
	}
}

func (s *source) typeSpec(name string) *ast.TypeSpec {
	for _, d := range s.tree.Decls {
		if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
			for _, spec := range gen.Specs {
				if spec := spec.(*ast.TypeSpec); spec.Name.Name == name {
					return spec
				}
			}
		}
	}
	s.missing("type %s", name)
	return nil
}

// variable changes the type of a package variable.
func (s *source) variable(name, from, to string) {
	for _, d := range s.tree.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			if len(v.Names) == 1 && v.Names[0].Name == name && v.Type != nil && s.code(v.Type) == from {
				s.replace(v.Type.Pos(), v.Type.End(), to)
				return
			}
		}
	}
	s.missing("variable %s of type %s", name, from)
}

// imports adds an import, such as `_ "os"`, on the line of the first one.
func (s *source) imports(spec string) {
	for _, d := range s.tree.Decls {
		if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
			if gen.Lparen.IsValid() {
				s.insert(gen.Lparen+1, spec+"; ")
			} else {
				s.insert(gen.Pos(), "import "+spec+"; ")
			}
			return
		}
	}
	s.missing("imports")
}

// without takes the build constraint away, on its line.
func (s *source) without(constraint string) {
	for _, group := range s.tree.Comments {
		for _, c := range group.List {
			if c.Text == constraint {
				s.replace(c.Pos(), c.End(), "//")
				return
			}
		}
	}
	s.missing("line %s", constraint)
}

// reimport changes the path of an import, and keeps its name in the file.
func (s *source) reimport(from, to string) {
	for _, spec := range s.tree.Imports {
		if spec.Path.Value == `"`+from+`"` {
			s.replace(spec.Path.Pos(), spec.Path.End(), `"`+to+`"`)
		}
	}
}

// result returns the edited file.
func (s *source) result() ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	slices.SortStableFunc(s.edits, func(a, b edit) int { return a.start - b.start })
	var out bytes.Buffer
	at := 0
	for _, e := range s.edits {
		if e.start < at {
			return nil, fmt.Errorf("cannot instrument the standard library: two edits of src/%s overlap", s.name)
		}
		out.Write(s.text[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(s.text[at:])
	if _, err := parser.ParseFile(token.NewFileSet(), s.name, out.Bytes(), parser.SkipObjectResolution); err != nil {
		return nil, fmt.Errorf("cannot instrument the standard library: src/%s does not parse after the edits: %w", s.name, err)
	}
	return out.Bytes(), nil
}
