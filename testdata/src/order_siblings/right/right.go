// Package right takes Tree.Mu, then Page.Mu. Alone it is right.
package right

import "order_siblings/store"

// Silent here: this package sees one order only.
func Merge(p *store.Page, t *store.Tree) {
	t.Mu.Lock()
	defer t.Mu.Unlock()
	p.Touch()
}
