package compile

import (
	"go/ast"
	"go/token"
)

// callStarts maps the opening parenthesis of each call, which is the position
// that SSA gives it, to where people see it: the start of the expression, or,
// in a chain over several lines, of the method's name.
func callStarts(fset *token.FileSet, files []*ast.File) map[token.Pos]token.Pos {
	starts := make(map[token.Pos]token.Pos)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				start := call.Pos()
				if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
					if file := fset.File(start); file.Line(start) != file.Line(sel.Sel.Pos()) {
						start = sel.Sel.Pos()
					}
				}
				starts[call.Lparen] = start
			}
			return true
		})
	}
	return starts
}
