package compile

import (
	"fmt"
	"go/types"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// invoke is the transfer function of a call through an interface.
func (f *flow) invoke(st *state, instr ssa.CallInstruction, kind lockobj.EventKind) []*state {
	cc := instr.Common()
	recv := f.arg(st, cc.Value)
	args := append([]lockobj.Arg{recv}, f.args(st, cc.Args)...)
	if kind == lockobj.Go {
		for _, a := range cc.Args {
			f.publish(st, a)
		}
	}
	ev := lockobj.Event{Kind: kind, Args: args}
	var among []string
	if recv.Type == "" && !universal(cc.Value.Type()) {
		among = f.c.dynamicTypes(cc.Value)
	}
	if recv.Type != "" {
		if t := f.c.concretes[recv.Type]; t != nil {
			if sym, via := f.c.methodSym(t, cc.Method.Name()); sym != "" {
				ev.Args[0].Path += via
				ev.Callee = lockobj.Callee{Kind: lockobj.Static, Sym: sym}
				f.record(st, ev, instr.Pos())
				return f.invokeEffects(st, instr, []*lockobj.Func{embedded(f.c.funcBySym(sym), via)}, kind)
			}
		}
	}
	if call, ok := cc.Value.(*ssa.Call); ok && cc.Method.Name() == "Error" {
		if callee := call.Call.StaticCallee(); callee != nil && originSym(callee) == "errors.Join" {
			for _, v := range variadic(call.Common(), 0) {
				f.printed(st, v, instr)
			}
			return []*state{st}
		}
	}
	ev.Callee = lockobj.Callee{
		Kind:   lockobj.Interface,
		Iface:  ifaceName(cc.Value.Type()),
		Method: methodKey(cc.Method),
		Types:  among,
	}
	if !universal(cc.Value.Type()) {
		f.record(st, ev, instr.Pos())
	}
	f.handToArgs(st, instr, cc.Args)
	impls := f.c.among(among, cc.Method.Name())
	if len(impls) == 0 {
		impls = f.c.implementers(cc.Value.Type(), cc.Method)
	}
	if len(impls) == 0 {
		f.releaseUnknown(st, recv.Path)
		return []*state{st}
	}
	return f.invokeEffects(st, instr, impls, kind)
}

// ifaceName names an interface type.
func ifaceName(t types.Type) string {
	if n := named(t); n != nil {
		return typeName(n.Origin())
	}
	return types.TypeString(t, nil)
}

// methodKey identifies a method: its name and signature, with type parameters
// left open.
func methodKey(m *types.Func) string {
	sig := m.Type().(*types.Signature)
	return m.Name() + signatureKey(sig)
}

func signatureKey(sig *types.Signature) string {
	return fmt.Sprintf("/%d/%d", sig.Params().Len(), sig.Results().Len())
}

// implementers returns the functions that a call of an interface's method may
// reach among the types that this package and its dependencies know.
func (c *compiler) implementers(t types.Type, m *types.Func) []*lockobj.Func {
	key := ifaceName(t) + "." + methodKey(m)
	if fns, ok := c.implMemo[key]; ok {
		return fns
	}
	c.implMemo[key] = nil
	var fns []*lockobj.Func
	for _, im := range c.methodSyms(t, m) {
		if fn := c.funcBySym(im.Sym); fn != nil {
			fns = append(fns, embedded(fn, im.Via))
		}
	}
	c.implMemo[key] = fns
	return fns
}

// isLockInterface reports whether values of an interface type are locks in
// themselves: sync.Locker, and others that nothing known implements with a
// body.
func (c *compiler) isLockInterface(t types.Type) bool {
	if isPrimitiveLock(t) {
		return true
	}
	if !c.isLock(t) {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true // the caller knows
	}
	iface := t.Underlying().(*types.Interface)
	for i := range iface.NumMethods() {
		if m := iface.Method(i); m.Name() == "Lock" {
			for _, fn := range c.implementers(t, m) {
				if len(fn.Net) > 0 {
					return false
				}
			}
		}
	}
	return true
}

// methodSym finds the function that a method of a concrete type is, and the
// embedded field that it belongs to.
func (c *compiler) methodSym(t types.Type, name string) (string, lockobj.Path) {
	obj, idx, _ := types.LookupFieldOrMethod(t, true, c.pkg, name)
	m, ok := obj.(*types.Func)
	if !ok {
		return "", ""
	}
	var via lockobj.Path
	cur := t
	for _, i := range idx[:len(idx)-1] {
		st, ok := deref(cur).Underlying().(*types.Struct)
		if !ok {
			return "", ""
		}
		via += lockobj.Path("." + st.Field(i).Name())
		cur = st.Field(i).Type()
	}
	if types.IsInterface(deref(cur)) {
		return "", ""
	}
	m = m.Origin()
	if m.Pkg() == nil {
		return "", ""
	}
	if _, ok := m.Type().(*types.Signature); !ok {
		return "", ""
	}
	return funcSym(m), via
}

// funcSym is the symbol of a declared method, as ssa names it.
func funcSym(m *types.Func) string {
	recv := m.Type().(*types.Signature).Recv()
	if recv == nil {
		return m.FullName()
	}
	return fmt.Sprintf("(%s).%s", types.TypeString(recv.Type(), nil), m.Name())
}

// concrete names a concrete type and remembers it.
func (c *compiler) concrete(t types.Type) string {
	if types.IsInterface(t) || hasTypeParam(t) {
		return ""
	}
	n := named(t)
	if n == nil {
		return ""
	}
	name := typeName(n)
	if _, ok := types.Unalias(t).(*types.Pointer); ok {
		name = "*" + name
	}
	c.concretes[name] = t
	return name
}

// types writes the method sets of the types that this package declares and
// converts.
func (c *compiler) types() {
	scope := c.pkg.Scope()
	for _, name := range scope.Names() {
		if tn, ok := scope.Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
			if n, ok := tn.Type().(*types.Named); ok && !types.IsInterface(n) && n.TypeParams().Len() == 0 {
				c.concrete(types.NewPointer(n))
			}
		}
	}
}

func (c *compiler) writeTypes() {
	for _, name := range sortedKeys(c.concretes) {
		t := c.concretes[name]
		ms := types.NewMethodSet(t)
		lt := lockobj.Type{Name: name}
		for i := range ms.Len() {
			m, ok := ms.At(i).Obj().(*types.Func)
			if !ok {
				continue
			}
			sym, via := c.methodSym(t, m.Name())
			if sym == "" && !m.Exported() && m.Pkg() != c.pkg {
				continue
			}
			lt.Methods = append(lt.Methods, lockobj.Method{Name: methodKey(m), Sym: sym, Via: via})
		}
		if len(lt.Methods) > 0 {
			sort.Slice(lt.Methods, func(i, j int) bool { return lt.Methods[i].Name < lt.Methods[j].Name })
			c.out.Types = append(c.out.Types, lt)
		}
	}
}

// storesAndConvs collects the conversions to interfaces, and the function
// values that are kept where a later call finds them.
func (c *compiler) storesAndConvs(fns []*ssa.Function) {
	convs := map[lockobj.Conv]bool{}
	escapes := map[string]bool{}
	used := map[string]bool{}
	stores := map[string]lockobj.FuncStore{}
	for _, fn := range fns {
		delete(c.pathers, fn)
		p := newPather(c, fn)
		f := &flow{pather: p, out: &lockobj.Func{}, following: map[*ssa.MakeClosure]bool{}}
		st := &state{}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				c.markUsed(instr, used)
				switch instr := instr.(type) {
				case *ssa.MakeInterface:
					if from := c.concrete(instr.X.Type()); from != "" && !universal(instr.Type()) {
						cv := lockobj.Conv{From: from, To: ifaceName(instr.Type())}
						convs[cv] = convs[cv] || !intoPrivate(instr)
					}
				case *ssa.ChangeInterface:
					if !universal(instr.Type()) {
						convs[lockobj.Conv{From: ifaceName(instr.X.Type()), To: ifaceName(instr.Type()), Iface: true}] = true
					}
				case *ssa.TypeAssert:
					if types.IsInterface(instr.AssertedType) && !universal(instr.AssertedType) {
						convs[lockobj.Conv{From: ifaceName(instr.X.Type()), To: ifaceName(instr.AssertedType), Iface: true}] = true
					}
				case *ssa.Store:
					c.funcStore(f, st, instr.Addr, instr.Val, stores, escapes)
				case *ssa.MapUpdate:
					if ref := c.keptFunc(f, st, instr.Value); ref != nil {
						escapes[ref.Sym] = true
						if cl := p.classOf(instr.Map, 0); cl != "" {
							add(stores, lockobj.FuncStore{Name: cl + "[]", Func: *outside(ref, ""), In: c.sym(fn)})
						}
					}
				case ssa.CallInstruction:
					c.escapingArgs(f, st, instr, escapes)
					if b, ok := instr.Common().Value.(*ssa.Builtin); ok && b.Name() == "append" {
						c.appendedFuncs(f, st, instr, stores, escapes)
					}
				case *ssa.Return:
					for _, r := range instr.Results {
						if ref := c.keptFunc(f, st, r); ref != nil && ref.Sym != "" {
							escapes[ref.Sym] = true
						}
					}
				}
			}
		}
	}
	for cv, public := range convs {
		cv.Private = !public
		c.out.Convs = append(c.out.Convs, cv)
	}
	sort.Slice(c.out.Convs, func(i, j int) bool {
		a, b := c.out.Convs[i], c.out.Convs[j]
		return a.From+"\x00"+a.To < b.From+"\x00"+b.To
	})
	for _, k := range sortedKeys(stores) {
		c.out.Stores = append(c.out.Stores, stores[k])
	}
	for sym := range escapes {
		if fn := c.funcs[sym]; fn != nil {
			fn.Escapes = true
		}
	}
	for sym := range used {
		if fn := c.funcs[sym]; fn != nil {
			fn.Used = true
		}
	}
	c.writeTypes()
}

// intoPrivate reports whether an interface value goes into fields of this
// package only, which nobody else can name.
func intoPrivate(mi *ssa.MakeInterface) bool {
	for _, ref := range *mi.Referrers() {
		s, ok := ref.(*ssa.Store)
		if !ok {
			return false
		}
		fa, ok := s.Addr.(*ssa.FieldAddr)
		if !ok || s.Val != mi {
			return false
		}
		if v := fieldVar(fa); v == nil || !private(v, fa.X.Type()) {
			return false
		}
	}
	return true
}

// markUsed notes the functions that are used as values.
func (c *compiler) markUsed(instr ssa.Instruction, used map[string]bool) {
	var callee ssa.Value
	if call, ok := instr.(ssa.CallInstruction); ok {
		callee = call.Common().Value
	}
	for _, op := range instr.Operands(nil) {
		if op == nil || *op == nil || *op == callee {
			continue
		}
		if fn, ok := (*op).(*ssa.Function); ok {
			used[c.sym(fn)] = true
		}
	}
}

func add(stores map[string]lockobj.FuncStore, s lockobj.FuncStore) {
	k := s.Name + "\x00" + s.Func.Sym + "\x00" + fmt.Sprint(s.Owner, s.Func.Param, s.In)
	if _, ok := stores[k]; !ok {
		stores[k] = s
	}
}

// keptFunc is funcRef for values of function type.
func (c *compiler) keptFunc(f *flow, st *state, v ssa.Value) *lockobj.FuncRef {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	if _, ok := v.Type().Underlying().(*types.Signature); !ok {
		return nil
	}
	return f.funcRef(st, v)
}

// funcStore handles an assignment of a function value.
func (c *compiler) funcStore(f *flow, st *state, addr, val ssa.Value, stores map[string]lockobj.FuncStore, escapes map[string]bool) {
	ref := c.keptFunc(f, st, val)
	if ref == nil {
		return
	}
	if _, cell := addr.(*ssa.Alloc); cell {
		return // a local variable: followed as a value
	}
	if ref.Sym != "" {
		escapes[ref.Sym] = true
	}
	cl := f.classOf(addr, 0)
	if cl == "" {
		return
	}
	owner := lockobj.Path("")
	if fa, ok := addr.(*ssa.FieldAddr); ok {
		owner = f.path(fa.X)
	}
	o := outside(ref, owner)
	add(stores, lockobj.FuncStore{Name: cl, Func: *o, Owner: owner != "", In: c.sym(f.fn)})
}

// appendedFuncs handles append(x.hooks, fn).
func (c *compiler) appendedFuncs(f *flow, st *state, instr ssa.CallInstruction, stores map[string]lockobj.FuncStore, escapes map[string]bool) {
	args := instr.Common().Args
	if len(args) != 2 {
		return
	}
	cl := f.classOf(args[0], 0)
	for _, v := range variadic(instr.Common(), 1) {
		if ref := c.keptFunc(f, st, v); ref != nil {
			if ref.Sym != "" {
				escapes[ref.Sym] = true
			}
			if cl != "" {
				add(stores, lockobj.FuncStore{Name: cl + "[]", Func: *outside(ref, ""), In: c.sym(f.fn)})
			}
		}
	}
}

// escapingArgs marks functions given to callees that are not known.
func (c *compiler) escapingArgs(f *flow, st *state, instr ssa.CallInstruction, escapes map[string]bool) {
	cc := instr.Common()
	callee := cc.StaticCallee()
	if callee != nil && (c.callee(callee) != nil || stdModel(callee) != nil) {
		return
	}
	if _, ok := cc.Value.(*ssa.Builtin); ok {
		return
	}
	for _, a := range cc.Args {
		if ref := c.keptFunc(f, st, a); ref != nil && ref.Sym != "" {
			escapes[ref.Sym] = true
		}
	}
}

// outside puts what a stored function captured relative to the owner of the
// field, and drops what only the storing function can name.
func outside(ref *lockobj.FuncRef, owner lockobj.Path) *lockobj.FuncRef {
	o := &lockobj.FuncRef{Sym: ref.Sym, Param: ref.Param, Free: ref.Free}
	for _, b := range ref.Bind {
		if owner != "" && (b.Path == owner || strings.HasPrefix(string(b.Path), string(owner)+".")) {
			b.Path = "o" + b.Path[len(owner):]
		} else if !strings.HasPrefix(string(b.Path), "g{") {
			b.Path = ""
		}
		b.Fresh = false
		o.Bind = append(o.Bind, b)
	}
	return o
}

// universal reports whether an interface is implemented so widely that calls
// through it are followed only where the concrete type is known.
func universal(t types.Type) bool {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	if iface.NumMethods() == 0 {
		return true
	}
	n := named(t)
	if n == nil {
		return false
	}
	if n.Obj().Pkg() == nil {
		return true // error
	}
	return universals[n.Obj().Pkg().Path()+"."+n.Obj().Name()]
}

var universals = map[string]bool{
	"fmt.Stringer": true, "fmt.Formatter": true, "fmt.GoStringer": true,
	"io.Reader": true, "io.Writer": true, "io.Closer": true, "io.ReadWriter": true, "io.ReadCloser": true, "io.WriteCloser": true, "io.ReadWriteCloser": true,
	"io.ReaderAt": true, "io.WriterTo": true, "io.ReaderFrom": true, "io.Seeker": true, "io.ByteReader": true, "io.StringWriter": true,
	"sort.Interface": true, "container/heap.Interface": true,
	"net/http.Handler": true, "net/http.ResponseWriter": true, "net/http.RoundTripper": true, "net/http.Flusher": true,
	"net.Conn": true, "net.Listener": true, "net.Addr": true, "net.Error": true,
	"context.Context": true, "hash.Hash": true, "encoding.TextMarshaler": true, "encoding/json.Marshaler": true,
	"encoding.BinaryMarshaler": true, "encoding.TextUnmarshaler": true, "encoding/json.Unmarshaler": true,
	"log/slog.Handler": true, "log/slog.LogValuer": true, "flag.Value": true, "reflect.Type": true,
	"database/sql/driver.Valuer": true, "database/sql.Scanner": true, "sync.Locker": true, "testing.TB": true, "os.Signal": true, "io/fs.FileInfo": true, "io/fs.File": true, "io/fs.FS": true,
}
