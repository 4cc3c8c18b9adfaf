package link

func (l *linker) selfCalls(n *node) bool {
	for _, ts := range n.targets {
		for _, t := range ts {
			if t.fn == n {
				return true
			}
		}
	}
	return false
}

// components returns the strongly connected components of the call graph,
// callees first (Tarjan 1972).
func (l *linker) components() [][]*node {
	index := map[*node]int{}
	low := map[*node]int{}
	on := map[*node]bool{}
	var stack []*node
	var out [][]*node
	count := 0
	succs := func(n *node) []*node {
		var out []*node
		for i, ts := range n.targets {
			for _, t := range ts {
				out = append(out, t.fn)
			}
			for _, a := range n.Events[i].Args {
				if a.Func != nil && a.Func.Sym != "" {
					if g := l.funcs[a.Func.Sym]; g != nil {
						out = append(out, g)
					}
				}
			}
			for _, a := range n.Events[i].Callee.Bind {
				if a.Func != nil && a.Func.Sym != "" {
					if g := l.funcs[a.Func.Sym]; g != nil {
						out = append(out, g)
					}
				}
			}
		}
		return out
	}
	// An explicit stack: call chains can be long.
	type frame struct {
		n    *node
		next []*node
	}
	for _, root := range l.nodes {
		if index[root] != 0 {
			continue
		}
		var frames []frame
		push := func(n *node) {
			count++
			index[n], low[n] = count, count
			stack = append(stack, n)
			on[n] = true
			frames = append(frames, frame{n, succs(n)})
		}
		push(root)
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if len(f.next) > 0 {
				w := f.next[0]
				f.next = f.next[1:]
				if index[w] == 0 {
					push(w)
				} else if on[w] {
					low[f.n] = min(low[f.n], index[w])
				}
				continue
			}
			n := f.n
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				p := frames[len(frames)-1].n
				low[p] = min(low[p], low[n])
			}
			if low[n] == index[n] {
				var scc []*node
				for {
					w := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					on[w] = false
					scc = append(scc, w)
					if w == n {
						break
					}
				}
				out = append(out, scc)
			}
		}
	}
	return out
}
