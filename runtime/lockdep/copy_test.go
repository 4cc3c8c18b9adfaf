//go:build lockdep

package lockdep_test

import "reflect"

// reflectCopy copies *from to *to, which vet would rightly refuse to see done
// by an assignment.
func reflectCopy(to, from any) {
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem())
}
