// Package left takes Page.Mu, then Tree.Mu. Alone it is right.
package left

import "order_siblings/store"

// Silent here: this package sees one order only.
func Split(p *store.Page, t *store.Tree) {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	t.Touch()
}
