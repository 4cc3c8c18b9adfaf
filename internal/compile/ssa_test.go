package compile

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// checked type-checks one file and returns a pass over it.
func checked(t *testing.T, name, src string) *analysis.Pass {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := conf.Check("p", fset, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	return &analysis.Pass{Fset: fset, Files: []*ast.File{f}, Pkg: pkg, TypesInfo: info}
}

func TestFunctionsThatNeverReturn(t *testing.T) {
	pass := checked(t, "p.go", `package p

import ("fmt"; "os")

type T struct{ c chan int }

func Exits(msg string)      { fmt.Println(msg); os.Exit(1) }
func Wraps()                { Exits("bye") }
func Panics()               { panic("no") }
func Loops(c chan int)      { for { <-c } }
func (t *T) Serves()        { for { select { case <-t.c: continue; case t.c <- 1: } } }
func Blocks()               { select {} }
func Either(b bool)         { if b { Panics() } else { Wraps() } }
func Switches(n int)        { switch n { case 1: panic(1); default: os.Exit(n) } }
func Labelled(c chan int)   { x: for { select { case <-c: continue x } } }
func InnerBreak(c chan int) { for { select { case <-c: break } } }

func Maybe(b bool)           { if b { Panics() } }
func Leaves(c chan int)      { for { if <-c == 0 { break } } }
func LeavesFar(c chan int)   { x: for { select { case <-c: break x } } }
func Returns(c chan int) int { for { return <-c } }
func Recovers()              { defer func() { recover() }(); panic("no") }
func Partly(n int)           { switch n { case 1: panic(1) } }
func Falls(n int)            { switch n { case 1: panic(1); default: } }
func Starts()                { go Panics() }
func Defers()                { defer Panics() }
func Literal() func()        { f := func() { panic(1) }; return f }
func Recurs(n int)           { Recurs(n - 1) }
`)
	got := newNoReturns(pass, nil).own()
	want := []string{"(*p.T).Serves", "p.Blocks", "p.Either", "p.Exits", "p.InnerBreak", "p.Labelled", "p.Loops", "p.Panics", "p.Switches", "p.Wraps"}
	if !slices.Equal(got, want) {
		t.Errorf("never return:\n%q, want\n%q", got, want)
	}
}

func TestTestsLeftOut(t *testing.T) {
	const src = `package p

import ("sync"; "testing")

type T struct { mu sync.Mutex; wg sync.WaitGroup; n int }

func (t *T) Add(n int) { t.mu.Lock(); t.n += n; t.mu.Unlock() }
func each(f func())    { f() }

func TestCalls(t *testing.T)       { var x T; each(nil); if x.n != 0 { t.Fatal() } }
func TestRuns(t *testing.T)        { t.Run("a", func(t *testing.T) { new(T).n++ }) }
func BenchmarkCalls(b *testing.B)  { for b.Loop() { each(nil) } }

func TestMain(m *testing.M)        { m.Run() }
func TestLocks(t *testing.T)       { var x T; x.mu.Lock() }
func TestMayLock(t *testing.T)     { var x T; x.Add(1) }
func TestWaits(t *testing.T)       { var x T; x.wg.Wait() }
func TestReceives(t *testing.T)    { var c <-chan int; <-c }
func TestCloses(t *testing.T)      { close(new(struct{ c chan int }).c) }
func TestStarts(t *testing.T)      { go each(nil) }
func TestPasses(t *testing.T)      { each(func() {}) }
func helper(t *testing.T)          { t.Helper() }
`
	var got []string
	for _, fd := range idleTests(checked(t, "p_test.go", src)) {
		got = append(got, fd.Name.Name)
	}
	if want := []string{"TestCalls", "TestRuns", "BenchmarkCalls"}; !slices.Equal(got, want) {
		t.Errorf("left out: %q, want %q", got, want)
	}
	if left := idleTests(checked(t, "p.go", strings.ReplaceAll(src, "TestMain", "TestMine"))); len(left) != 0 {
		t.Errorf("%d functions of a file that holds no tests are left out", len(left))
	}
}
