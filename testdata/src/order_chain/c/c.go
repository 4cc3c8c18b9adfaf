// Package c only passes on what package b does.
package c

import "order_chain/b"

type Walker struct{}

func (Walker) Walk(f func(int)) { b.Visit(f) }

func (Walker) Mark() { b.Note() }
