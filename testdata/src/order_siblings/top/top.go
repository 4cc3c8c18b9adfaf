// Package top holds no lock itself, but it is the first package that sees both
// orders: the finding is at the import that brings in its first edge.
package top

import (
	"order_siblings/left" // want `lock order inversion: store\.Tree\.Mu acquired while store\.Page\.Mu is held, but .*right\.go:\d+:\d+ acquires them in the opposite order`
	"order_siblings/right"
	"order_siblings/store"
)

func Rebalance(p *store.Page, t *store.Tree) {
	left.Split(p, t)
	right.Merge(p, t)
}
