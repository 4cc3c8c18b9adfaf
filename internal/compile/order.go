package compile

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/lockobj"
)

// place is where an event happens: an instruction of a block. Deferred calls
// share one block, the exit, in the order in which they run.
type place struct {
	block *ssa.BasicBlock // nil is the exit
	seq   int
}

// here is the place of what is being recorded.
func (f *flow) here() place {
	if f.deferred != nil {
		// The later a defer statement comes, the earlier its call runs.
		b := f.deferred.Block()
		return place{nil, -slices.Index(b.Instrs, ssa.Instruction(f.deferred)) - b.Index<<20}
	}
	return place{f.at.Block(), f.seq}
}

// order numbers the places of the recorded events and says which of their
// blocks can run after which, in functions where a signal may need it.
func (f *flow) order() {
	f.out.Signals = f.signals()
	if !f.out.Signals {
		return
	}
	var blocks []*ssa.BasicBlock
	for _, p := range f.places {
		if p.block != nil && !slices.Contains(blocks, p.block) {
			blocks = append(blocks, p.block)
		}
	}
	slices.SortFunc(blocks, func(a, b *ssa.BasicBlock) int { return cmp.Compare(a.Index, b.Index) })
	exit := len(blocks)
	number := make([]int, len(f.fn.Blocks)) // of an event block, plus one
	for i, b := range blocks {
		number[b.Index] = i + 1
	}
	seqs := map[*ssa.BasicBlock][]int{}
	for _, p := range f.places {
		seqs[p.block] = append(seqs[p.block], p.seq)
	}
	for b := range seqs {
		slices.Sort(seqs[b])
		seqs[b] = slices.Compact(seqs[b])
	}
	n := len(blocks)
	if len(seqs[nil]) > 0 {
		n++
	}
	for i, p := range f.places {
		ev := &f.out.Events[i]
		ev.Block = exit
		if p.block != nil {
			ev.Block = number[p.block.Index] - 1
		}
		ev.Seq, _ = slices.BinarySearch(seqs[p.block], p.seq)
	}
	f.out.Reach = f.matrix(blocks, number, n, func(*ssa.BasicBlock, int) bool { return false })
	closed := false
	open := f.matrix(blocks, number, n, func(b *ssa.BasicBlock, i int) bool {
		c := closedEdge(b, i)
		closed = closed || c
		return c
	})
	if closed && open != f.out.Reach {
		f.out.Open = open
	}
}

// matrix computes which event blocks each one reaches over edges that are not
// skipped. The last row is the exit if n says that there is one.
func (f *flow) matrix(blocks []*ssa.BasicBlock, number []int, n int, skip func(*ssa.BasicBlock, int) bool) string {
	row := (n + 7) / 8
	bits := make([]byte, n*row)
	seen := make([]int, len(f.fn.Blocks))
	var stack []*ssa.BasicBlock
	for i, b := range blocks {
		stack = append(stack[:0], b)
		set := func(j int) { bits[i*row+j>>3] |= 1 << (j & 7) }
		for len(stack) > 0 {
			b := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if n > len(blocks) && exits(b) {
				set(n - 1)
			}
			for k, s := range b.Succs {
				if seen[s.Index] == i+1 || skip(b, k) {
					continue
				}
				seen[s.Index] = i + 1
				if j := number[s.Index]; j > 0 {
					set(j - 1)
				}
				stack = append(stack, s)
			}
		}
	}
	return string(bits)
}

// exits reports whether the deferred calls run at the end of the block.
func exits(b *ssa.BasicBlock) bool {
	for _, instr := range b.Instrs {
		if _, ok := instr.(*ssa.RunDefers); ok {
			return true
		}
	}
	return false
}

// closedEdge reports whether the i'th edge out of a block is taken because a
// channel was found closed.
func closedEdge(b *ssa.BasicBlock, i int) bool {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	cond, closed := br.Cond, 1
	if u, ok := cond.(*ssa.UnOp); ok && u.Op == token.NOT {
		cond, closed = u.X, 0
	}
	e, ok := cond.(*ssa.Extract)
	if !ok || e.Index != 1 || i != closed {
		return false
	}
	switch t := e.Tuple.(type) {
	case *ssa.UnOp:
		return t.Op == token.ARROW
	case *ssa.Select:
		return true
	}
	return false
}

// signals reports whether the function may make an event happen, itself or
// through what it calls.
func (f *flow) signals() bool {
	for i := range f.out.Events {
		ev := &f.out.Events[i]
		switch ev.Kind {
		case lockobj.Wait, lockobj.Signal:
			if ev.Op != lockobj.OpMake {
				return true
			}
		case lockobj.Call:
			if ev.Callee.Kind != lockobj.Static {
				return true
			}
			if fn := f.c.funcs[ev.Callee.Sym]; fn != nil {
				if fn.Signals {
					return true
				}
			} else if fn := f.c.deps.fn(ev.Callee.Sym); fn != nil && fn.Signals || f.c.busy[ev.Callee.Sym] {
				return true
			}
		}
	}
	return false
}
