package order_decorator

import "sync"

// A decorator with one lock for all of its kind.

type Printer interface{ Print(text string) }

var printing sync.Mutex

type stamped struct{ next Printer }

func NewStamped(next Printer) Printer { return &stamped{next} }

// Silent: a stamped printer prints on another one.
func (s *stamped) Print(text string) {
	printing.Lock()
	defer printing.Unlock()
	s.next.Print("stamp " + text)
}

type Sheet interface{ Write(text string) }

type page struct{ next Sheet }

func NewPage(next Sheet) Sheet { return &page{next} }

func (p *page) Write(text string) {
	printing.Lock()
	defer printing.Unlock()
	p.begin(text) // want `recursive lock: order_decorator\.printing is already held by this goroutine`
}

func (p *page) begin(text string) {
	printing.Lock()
	defer printing.Unlock()
}
