// Package directive reads what a program says to lockvet in its comments.
//
//	//lockvet:ignore [category,…] reason   silence findings here
//	//lockvet:order A < B                  declare an order of lock classes
//	//lockvet:nested                       this nesting of one class is ordered
//	//lockvet:class name                   name the class of the lock declared here
//	//nolint:lockvet                       as golangci-lint reads it
//
// In go syntax trees with comments, out comes plain data that is kept in a
// package's object. It never decides what a directive silences or orders.
package directive

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// A Kind says what a directive asks for.
type Kind string

const (
	Ignore    Kind = "ignore"    // silence findings between FromLine and ToLine
	Nolint    Kind = "nolint"    // the same in golangci-lint's words; needs no reason
	Order     Kind = "order"     // Args are lock classes, outermost first
	Nested    Kind = "nested"    // same-class nesting in the lines is ordered
	Class     Kind = "class"     // Args[0] names the class of the lock declared in the lines
	Generated Kind = "generated" // the file is generated and reported on nowhere
	Bad       Kind = "bad"       // a directive that cannot be read; Reason says why
)

// A Pos is the place of a directive within its file.
type Pos struct{ Line, Col int }

// A Directive is one instruction to lockvet.
type Directive struct {
	Kind       Kind
	File       string   // as the file set names it
	FromLine   int      // first line that it applies to
	ToLine     int      // last line, inclusive
	Categories []string // Ignore and Nolint: what is silenced; empty for everything
	Reason     string   // why, in the author's words
	Args       []string // class names of Order and Class
	Pos        Pos      // where the directive stands
}

// Categories are the names that an ignore may be narrowed to: the analyzers and
// their categories.
var Categories = []string{
	"lockorder", "inversion", "recursive", "nesting", "declared",
	"crossrelease", "waitheld", "leak", "unlock",
}

const prefix = "//lockvet:"

// Parse returns the directives of the files in source order.
func Parse(fset *token.FileSet, files []*ast.File) []Directive {
	var all []Directive
	for _, f := range files {
		all = append(all, parseFile(fset, f)...)
	}
	return all
}

// Covers reports whether the directive applies to a line of a file.
func (d *Directive) Covers(file string, line int) bool {
	return d.File == file && d.FromLine <= line && line <= d.ToLine
}

func parseFile(fset *token.FileSet, f *ast.File) []Directive {
	var all []Directive
	// The package clause and not the file's start: what cmd/cgo writes begins
	// with lines of its own, and a line comment then names the real file.
	name := fset.Position(f.Package).Filename
	if isGenerated(fset, f, name) {
		all = append(all, Directive{
			Kind: Generated, File: name,
			FromLine: 1, ToLine: fset.Position(f.FileEnd).Line,
			Pos: Pos{1, 1},
		})
	}
	var code map[int]bool // computed for the first directive; most files have none
	for _, group := range f.Comments {
		for _, c := range group.List {
			d, ok := parseComment(c.Text)
			if !ok {
				continue
			}
			p := fset.Position(c.Pos())
			d.File, d.Pos = name, Pos{p.Line, p.Column}
			if code == nil {
				code = codeLines(fset, f)
			}
			d.FromLine, d.ToLine = scope(fset, f, group, p.Line, code)
			all = append(all, d)
		}
	}
	return all
}

// isGenerated is ast.IsGenerated for the file name from which f came: the
// header that cmd/cgo puts before it does not count.
func isGenerated(fset *token.FileSet, f *ast.File, name string) bool {
	own := &ast.File{Package: f.Package}
	for _, group := range f.Comments {
		if fset.Position(group.Pos()).Filename == name {
			own.Comments = append(own.Comments, group)
		}
	}
	return ast.IsGenerated(own)
}

// parseComment reads one comment; ok is false for one that is no directive.
func parseComment(text string) (d Directive, ok bool) {
	if rest, found := strings.CutPrefix(text, prefix); found {
		return parseLockvet(rest), true
	}
	if rest, found := strings.CutPrefix(text, "//nolint"); found {
		return parseNolint(rest)
	}
	return Directive{}, false
}

func parseLockvet(text string) Directive {
	verb, rest, _ := strings.Cut(text, " ")
	verb, rest = strings.TrimSpace(verb), strings.TrimSpace(rest)
	switch Kind(verb) {
	case Ignore:
		return parseIgnore(rest)
	case Order:
		classes := strings.Split(rest, "<")
		for i := range classes {
			classes[i] = strings.TrimSpace(classes[i])
		}
		if len(classes) < 2 || slices.ContainsFunc(classes, notOneWord) {
			return bad("order needs lock classes with < between them, as in //lockvet:order A < B")
		}
		for i, c := range classes {
			if slices.Contains(classes[:i], c) {
				return bad(fmt.Sprintf("order names %s twice", c))
			}
		}
		return Directive{Kind: Order, Args: classes}
	case Nested:
		return Directive{Kind: Nested, Reason: rest}
	case Class:
		if notOneWord(rest) {
			return bad("class needs one name, as in //lockvet:class bank.accounts")
		}
		return Directive{Kind: Class, Args: []string{rest}}
	}
	return bad(fmt.Sprintf("unknown directive %q: want ignore, order, nested or class", verb))
}

func parseIgnore(rest string) Directive {
	d := Directive{Kind: Ignore, Reason: rest}
	if list, found := strings.CutPrefix(rest, "["); found {
		list, reason, closed := strings.Cut(list, "]")
		if !closed {
			return bad("ignore has no ] after its categories")
		}
		d.Reason = strings.TrimSpace(reason)
		for name := range strings.SplitSeq(list, ",") {
			name = strings.TrimSpace(name)
			// The form that findings print, lockorder/inversion, works too.
			if _, category, found := strings.Cut(name, "/"); found {
				name = category
			}
			if !slices.Contains(Categories, name) {
				return bad(fmt.Sprintf("ignore names the unknown category %q: want one of %s", name, strings.Join(Categories, ", ")))
			}
			d.Categories = append(d.Categories, name)
		}
	}
	if d.Reason == "" {
		return bad("ignore needs a reason, as in //lockvet:ignore the two maps are never the same")
	}
	return d
}

// parseNolint reads what follows //nolint: a list of linters, or nothing for
// all of them, and perhaps a second comment with a reason.
func parseNolint(rest string) (Directive, bool) {
	list, reason, _ := strings.Cut(rest, "//")
	d := Directive{Kind: Nolint, Reason: strings.TrimSpace(reason)}
	list = strings.TrimSpace(list)
	if list == "" {
		return d, true
	}
	list, found := strings.CutPrefix(list, ":")
	if !found {
		return Directive{}, false // a word such as nolintlint
	}
	for name := range strings.SplitSeq(list, ",") {
		switch name = strings.TrimSpace(name); name {
		case "all", "lockvet":
			d.Categories = nil
			return d, true
		case "lockorder", "crossrelease":
			d.Categories = append(d.Categories, name)
		}
	}
	return d, d.Categories != nil
}

func bad(why string) Directive { return Directive{Kind: Bad, Reason: why} }

func notOneWord(s string) bool { return s == "" || strings.ContainsAny(s, " \t") }

// scope returns the lines that a directive applies to: the whole declaration
// for one in a function's doc comment, its own line behind code, else the
// lines from the directive to the first one behind its comment.
func scope(fset *token.FileSet, f *ast.File, group *ast.CommentGroup, line int, code map[int]bool) (from, to int) {
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Doc == group {
			return line, fset.Position(fn.End()).Line
		}
	}
	if code[line] {
		return line, line
	}
	return line, fset.Position(group.End()).Line + 1
}

// codeLines returns the lines on which code begins or ends, comments apart.
func codeLines(fset *token.FileSet, f *ast.File) map[int]bool {
	lines := make(map[int]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.File:
			return true
		case *ast.CommentGroup, *ast.Comment:
			return false
		}
		// End is one past the last byte of the node, which may be the next line.
		lines[fset.Position(n.Pos()).Line] = true
		lines[fset.Position(n.End()-1).Line] = true
		return true
	})
	return lines
}
