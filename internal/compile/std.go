package compile

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// model says what a function that is not analysed does with its arguments.
// Argument numbers count the receiver.
type model struct {
	calls   []int  // function arguments called before it returns
	spawns  []int  // function arguments run in a goroutine of their own
	methods []call // methods of an argument that are called
	format  int    // number of the format argument, plus one
	print   int    // number of the first printed argument, plus one
	marshal int    // number of the marshalled argument, plus one
	once    bool   // sync.Once.Do: the call holds the Once
	group   bool   // the end of what it spawns is a signal of the receiver
}

type call struct {
	arg   int
	names []string
}

var sortMethods = []string{"Len", "Less", "Swap"}

// stdModels is the one table of what the standard library (and errgroup) does
// with functions, formatted values and interfaces that it is given.
var stdModels = map[string]model{
	"(*sync.Once).Do": {calls: []int{1}, once: true},
	"(*github.com/lockvet/lockvet/runtime/lockdep.Once).Do": {calls: []int{1}, once: true},
	"(*sync.Map).Range":                              {calls: []int{1}},
	"(*sync.WaitGroup).Go":                           {spawns: []int{1}, group: true},
	"time.AfterFunc":                                 {spawns: []int{1}},
	"context.AfterFunc":                              {spawns: []int{1}},
	"runtime.SetFinalizer":                           {spawns: []int{1}},
	"runtime.AddCleanup":                             {spawns: []int{1}},
	"(*golang.org/x/sync/errgroup.Group).Go":         {spawns: []int{1}, group: true},
	"(*golang.org/x/sync/errgroup.Group).TryGo":      {spawns: []int{1}, group: true},
	"(*golang.org/x/sync/singleflight.Group).Do":     {calls: []int{2}},
	"(*golang.org/x/sync/singleflight.Group).DoChan": {spawns: []int{2}},

	"sort.Slice": {calls: []int{1}}, "sort.SliceStable": {calls: []int{1}}, "sort.SliceIsSorted": {calls: []int{1}},
	"sort.Search": {calls: []int{1}}, "sort.Find": {calls: []int{1}},
	"sort.Sort":             {methods: []call{{0, sortMethods}}},
	"sort.Stable":           {methods: []call{{0, sortMethods}}},
	"container/heap.Init":   {methods: []call{{0, sortMethods}}},
	"container/heap.Push":   {methods: []call{{0, append([]string{"Push"}, sortMethods...)}}},
	"container/heap.Pop":    {methods: []call{{0, append([]string{"Pop"}, sortMethods...)}}},
	"container/heap.Fix":    {methods: []call{{0, sortMethods}}},
	"container/heap.Remove": {methods: []call{{0, append([]string{"Pop"}, sortMethods...)}}},

	"slices.SortFunc": {calls: []int{1}}, "slices.SortStableFunc": {calls: []int{1}}, "slices.IsSortedFunc": {calls: []int{1}},
	"slices.BinarySearchFunc": {calls: []int{2}}, "slices.ContainsFunc": {calls: []int{1}}, "slices.IndexFunc": {calls: []int{1}},
	"slices.DeleteFunc": {calls: []int{1}}, "slices.EqualFunc": {calls: []int{2}}, "slices.CompactFunc": {calls: []int{1}},
	"slices.MinFunc": {calls: []int{1}}, "slices.MaxFunc": {calls: []int{1}}, "slices.CompareFunc": {calls: []int{2}},
	"slices.SortedFunc": {calls: []int{0, 1}}, "slices.Collect": {calls: []int{0}}, "slices.Sorted": {calls: []int{0}},
	"slices.AppendSeq": {calls: []int{1}}, "maps.Collect": {calls: []int{0}}, "maps.Insert": {calls: []int{1}},
	"maps.DeleteFunc": {calls: []int{1}}, "maps.EqualFunc": {calls: []int{2}},
	"strings.Map": {calls: []int{0}}, "strings.FieldsFunc": {calls: []int{1}}, "strings.IndexFunc": {calls: []int{1}},
	"strings.TrimFunc": {calls: []int{1}}, "strings.ContainsFunc": {calls: []int{1}}, "bytes.Map": {calls: []int{0}},
	"path/filepath.Walk": {calls: []int{1}}, "path/filepath.WalkDir": {calls: []int{1}}, "io/fs.WalkDir": {calls: []int{2}},
	"go/ast.Inspect": {calls: []int{1}}, "reflect.Swapper": {}, "expvar.Do": {calls: []int{0}},
	"(*testing.common).Run": {calls: []int{2}}, "(*testing.T).Run": {calls: []int{2}}, "(*testing.B).Run": {calls: []int{2}},
	"testing.AllocsPerRun": {calls: []int{1}}, "(*testing.B).RunParallel": {calls: []int{1}}, "testing/synctest.Test": {calls: []int{1}},
	"(*regexp.Regexp).ReplaceAllStringFunc": {calls: []int{2}},

	"fmt.Sprintf": {format: 1}, "fmt.Printf": {format: 1}, "fmt.Fprintf": {format: 2}, "fmt.Errorf": {format: 1}, "fmt.Appendf": {format: 2},
	"fmt.Sprint": {print: 1}, "fmt.Print": {print: 1}, "fmt.Fprint": {print: 2}, "fmt.Sprintln": {print: 1}, "fmt.Println": {print: 1}, "fmt.Fprintln": {print: 2}, "fmt.Append": {print: 2}, "fmt.Appendln": {print: 2},
	"log.Printf": {format: 1}, "log.Print": {print: 1}, "log.Println": {print: 1}, "log.Fatalf": {format: 1}, "log.Panicf": {format: 1},
	"(*log.Logger).Printf": {format: 2}, "(*log.Logger).Print": {print: 2}, "(*log.Logger).Println": {print: 2},
	"log/slog.Debug": {print: 2}, "log/slog.Info": {print: 2}, "log/slog.Warn": {print: 2}, "log/slog.Error": {print: 2},
	"(*log/slog.Logger).Debug": {print: 3}, "(*log/slog.Logger).Info": {print: 3}, "(*log/slog.Logger).Warn": {print: 3}, "(*log/slog.Logger).Error": {print: 3}, "(*log/slog.Logger).With": {print: 2},
	"(*testing.common).Logf": {format: 2}, "(*testing.common).Errorf": {format: 2}, "(*testing.common).Log": {print: 2}, "(*testing.common).Error": {print: 2},
	"encoding/json.Marshal": {marshal: 1}, "encoding/json.MarshalIndent": {marshal: 1}, "(*encoding/json.Encoder).Encode": {marshal: 2},
}

// noReturnNames are functions after which nothing of the caller runs.
var noReturnNames = map[string]bool{
	"os.Exit": true, "log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true, "log.Panic": true, "log.Panicf": true, "log.Panicln": true,
	"(*log.Logger).Fatal": true, "(*log.Logger).Fatalf": true, "(*log.Logger).Fatalln": true, "(*log.Logger).Panic": true, "(*log.Logger).Panicf": true, "(*log.Logger).Panicln": true,
	"runtime.Goexit": true, "syscall.Exit": true,
	"(*testing.common).FailNow": true, "(*testing.common).Fatal": true, "(*testing.common).Fatalf": true, "(*testing.common).Skip": true, "(*testing.common).Skipf": true, "(*testing.common).SkipNow": true,
	"(testing.TB).FailNow": true, "(testing.TB).Fatal": true, "(testing.TB).Fatalf": true, "(testing.TB).Skip": true, "(testing.TB).Skipf": true, "(testing.TB).SkipNow": true,
}

func originSym(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	// Promoted wrappers ((*testing.T).Fatal) name the embedded method.
	if fn.Synthetic != "" && fn.Object() != nil {
		if m, ok := fn.Object().(*types.Func); ok {
			return m.FullName()
		}
	}
	return fn.RelString(nil)
}

// stdModel returns the entry for a function, nil if there is none.
func stdModel(fn *ssa.Function) *model {
	if m, ok := stdModels[originSym(fn)]; ok {
		return &m
	}
	return nil
}

// modelled records what a function of the table does.
func (f *flow) modelled(st *state, m *model, instr ssa.CallInstruction, kind lockobj.EventKind) []*state {
	cc := instr.Common()
	if m.group && len(cc.Args) > 0 {
		if k := (lockobj.Lock{Class: f.classOf(cc.Args[0], 0), Path: f.path(cc.Args[0])}); f.follows(k) {
			f.ends = lockobj.Event{Op: lockobj.OpGroupDone, Lock: k}
		}
	}
	for _, i := range m.spawns {
		if i < len(cc.Args) {
			f.callValue(st, cc.Args[i], instr, lockobj.Go)
		}
	}
	f.ends = lockobj.Event{}
	if m.once && len(cc.Args) > 0 {
		l := f.lockRef(cc.Args[0])
		if f.unpublished(st, l.Path) {
			l.Class = ""
		}
		if l.Class != "" || l.Path != "" {
			f.record(st, lockobj.Event{Kind: lockobj.Acquire, Lock: l}, instr.Pos())
			held := st.clone()
			held.add(heldLock{class: l.Class, path: l.Path, pos: instr.Pos(), fresh: l.Class == ""})
			var out []*state
			for _, s := range f.callValue(held, cc.Args[1], instr, kind) {
				if i := s.find(l, lockobj.Write); i >= 0 {
					s.held = append(s.held[:i:i], s.held[i+1:]...)
				}
				out = append(out, s)
			}
			return out
		}
	}
	states := []*state{st}
	for _, i := range m.calls {
		if i < len(cc.Args) {
			var next []*state
			for _, s := range states {
				next = append(next, f.callValue(s, cc.Args[i], instr, kind)...)
			}
			states = next
		}
	}
	for _, mc := range m.methods {
		if mc.arg < len(cc.Args) {
			for _, name := range mc.names {
				f.callMethod(st, cc.Args[mc.arg], name, instr)
			}
		}
	}
	switch {
	case m.format > 0:
		f.formatted(st, cc, m.format-1, instr)
	case m.print > 0:
		for _, v := range variadic(cc, m.print-1) {
			f.printed(st, v, instr)
		}
	case m.marshal > 0 && m.marshal <= len(cc.Args):
		f.marshalled(st, cc.Args[m.marshal-1], instr)
	}
	return states
}

// callValue calls a function argument that takes whatever it is given.
func (f *flow) callValue(st *state, v ssa.Value, instr ssa.CallInstruction, kind lockobj.EventKind) []*state {
	ref := f.funcRef(st, v)
	if kind == lockobj.Go {
		f.handToArgs(st, instr, []ssa.Value{v})
		f.publish(st, v)
		if mc := f.madeClosure(v); mc != nil {
			f.publish(st, mc)
		}
	}
	if ref == nil {
		if c := f.stored(v); c.Kind == lockobj.StoredFunc {
			f.record(st, lockobj.Event{Kind: kind, Callee: c}, instr.Pos())
		}
		return []*state{st}
	}
	ev := lockobj.Event{Kind: kind}
	switch {
	case ref.Param > 0:
		ev.Callee = lockobj.Callee{Kind: lockobj.ParamFunc, Index: ref.Param - 1}
	case ref.Free > 0:
		ev.Callee = lockobj.Callee{Kind: lockobj.FreeFunc, Index: ref.Free - 1}
	default:
		ev.Callee = lockobj.Callee{Kind: lockobj.Static, Sym: ref.Sym, Bind: ref.Bind}
		callee := f.c.funcBySym(ref.Sym)
		if kind != lockobj.Go && callee != nil {
			f.record(st, ev, instr.Pos())
			if len(callee.Net) > 0 {
				return f.apply(st, callee, instr, nil, f.closureBindings(v))
			}
			return []*state{st}
		}
	}
	f.record(st, ev, instr.Pos())
	return []*state{st}
}

// callMethod calls a method, by name, of the concrete type of v.
func (f *flow) callMethod(st *state, v ssa.Value, name string, instr ssa.CallInstruction) bool {
	if mi := f.madeInterface(v); mi != nil {
		v = mi.X
	}
	return f.callMethodOn(st, v.Type(), f.arg(st, v), name, instr)
}

func (f *flow) callMethodOn(st *state, t types.Type, recv lockobj.Arg, name string, instr ssa.CallInstruction) bool {
	if types.IsInterface(t) {
		return false
	}
	sym, via := f.c.methodSym(t, name)
	if sym == "" {
		return false
	}
	recv.Path = recv.Path + via
	f.record(st, lockobj.Event{Kind: lockobj.Call, Callee: lockobj.Callee{Kind: lockobj.Static, Sym: sym}, Args: []lockobj.Arg{recv}}, instr.Pos())
	return true
}

// variadic returns the elements of a variadic argument built at the call.
func variadic(cc *ssa.CallCommon, from int) []ssa.Value {
	if from >= len(cc.Args) {
		return nil
	}
	sl, ok := cc.Args[len(cc.Args)-1].(*ssa.Slice)
	if !ok {
		return nil
	}
	a, ok := sl.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var vals []ssa.Value
	for _, ref := range *a.Referrers() {
		if ia, ok := ref.(*ssa.IndexAddr); ok {
			for _, r := range *ia.Referrers() {
				if s, ok := r.(*ssa.Store); ok {
					vals = append(vals, s.Val)
				}
			}
		}
	}
	return vals
}

// formatted handles a printf-like call: verbs that print a number or a pointer
// call no method.
func (f *flow) formatted(st *state, cc *ssa.CallCommon, at int, instr ssa.CallInstruction) {
	vals := variadic(cc, at+1)
	var verbs []byte
	if at < len(cc.Args) {
		if k, ok := cc.Args[at].(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String {
			verbs = verbsOf(constant.StringVal(k.Value))
		}
	}
	for i, v := range vals {
		if verbs != nil && i < len(verbs) && !strings.ContainsRune("vsqxXw", rune(verbs[i])) {
			// Only a Format method sees such a verb.
			if verbs[i] != 'p' && verbs[i] != 'T' {
				f.callMethod(st, v, "Format", instr)
			}
			continue
		}
		f.printed(st, v, instr)
	}
}

// verbsOf lists the verb of each operand of a format, in order; nil if the
// format numbers its operands.
func verbsOf(format string) []byte {
	verbs := []byte{}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		for i < len(format) && strings.IndexByte("+-# 0123456789.", format[i]) >= 0 {
			i++
		}
		if i >= len(format) {
			break
		}
		switch format[i] {
		case '%':
		case '[':
			return nil
		case '*':
			verbs = append(verbs, 'd')
			i--
			return nil
		default:
			verbs = append(verbs, format[i])
		}
	}
	return verbs
}

// printed handles a value given to fmt or log: its Format, Error or String
// method runs, or those of its exported fields.
func (f *flow) printed(st *state, v ssa.Value, instr ssa.CallInstruction) {
	if mi := f.madeInterface(v); mi != nil {
		v = mi.X
	}
	f.printedType(st, v.Type(), f.arg(st, v), 0, instr)
}

func (f *flow) printedType(st *state, t types.Type, a lockobj.Arg, depth int, instr ssa.CallInstruction) {
	for _, m := range []string{"Format", "LogValue", "Error", "String"} {
		if f.callMethodOn(st, t, a, m, instr) {
			return
		}
	}
	f.fields(t, a, depth, func(ft types.Type, fa lockobj.Arg) { f.printedType(st, ft, fa, depth+1, instr) })
}

// marshalled handles a value given to encoding/json.
func (f *flow) marshalled(st *state, v ssa.Value, instr ssa.CallInstruction) {
	if mi := f.madeInterface(v); mi != nil {
		v = mi.X
	}
	f.marshalledType(st, v.Type(), f.arg(st, v), 0, instr)
}

func (f *flow) marshalledType(st *state, t types.Type, a lockobj.Arg, depth int, instr ssa.CallInstruction) {
	if f.callMethodOn(st, t, a, "MarshalJSON", instr) || f.callMethodOn(st, t, a, "MarshalText", instr) {
		return
	}
	f.fields(t, a, depth, func(ft types.Type, fa lockobj.Arg) { f.marshalledType(st, ft, fa, depth+1, instr) })
}

// fields visits the exported fields of a struct, two levels down.
func (f *flow) fields(t types.Type, a lockobj.Arg, depth int, visit func(types.Type, lockobj.Arg)) {
	if depth >= 2 {
		return
	}
	if depth > 0 {
		if _, ok := t.Underlying().(*types.Pointer); ok {
			return // fmt prints the address of a pointer below the top
		}
	}
	s, ok := deref(t).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range s.NumFields() {
		if v := s.Field(i); v.Exported() {
			fa := lockobj.Arg{Path: a.Path.Field(v.Name()), Fresh: a.Fresh}
			if isPointerLike(v.Type()) {
				fa.Path, fa.Fresh = fa.Path.Deref(), false
				root, steps := fa.Path.Split()
				if q, ok := lockobj.Resolve(lockobj.Path(root), steps, a.Known); ok {
					fa.Path = q
				}
			}
			visit(v.Type(), fa)
		}
	}
}
