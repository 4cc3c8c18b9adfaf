// Package b only passes on what package a does; its own API does not mention a.
package b

import "order_chain/a"

var shared a.T

func Note() { note() }

func note() { shared.Inc() }

func Visit(f func(int)) { shared.Each(func(i int) { f(i + 1) }) }
