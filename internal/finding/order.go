package finding

import (
	"cmp"
	"slices"
	"strings"
)

// Compare orders findings as they are printed: by file, line and column, then
// by what they say, so that the order never depends on how they were found.
func Compare(a, b Finding) int {
	return cmp.Or(
		comparePos(a.Pos, b.Pos),
		strings.Compare(a.Analyzer, b.Analyzer),
		strings.Compare(a.Category, b.Category),
		strings.Compare(a.ID, b.ID),
		strings.Compare(a.Message, b.Message),
		slices.Compare(a.Classes, b.Classes),
		slices.CompareFunc(a.Edges, b.Edges, compareEdge),
	)
}

func comparePos(a, b Position) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

func compareEdge(a, b Edge) int {
	return cmp.Or(
		strings.Compare(a.From, b.From),
		strings.Compare(a.To, b.To),
		strings.Compare(a.Mode, b.Mode),
		slices.CompareFunc(a.Steps, b.Steps, func(a, b Step) int {
			return cmp.Or(comparePos(a.Pos, b.Pos), strings.Compare(a.Func, b.Func), strings.Compare(a.What, b.What))
		}),
	)
}

// Sort returns the findings in printing order, each problem once: of those
// that share place and ID, the first stays.
func Sort(findings []Finding) []Finding {
	sorted := slices.SortedFunc(slices.Values(findings), Compare)
	return slices.CompactFunc(sorted, func(a, b Finding) bool {
		return a.ID == b.ID && a.Pos == b.Pos
	})
}
