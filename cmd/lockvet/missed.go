package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/internal/confirm"
	"github.com/lockvet/lockvet/internal/dump"
	"github.com/lockvet/lockvet/internal/lockobj"
)

// missed returns a function that says why the analysis can have missed what a
// run showed, nil where there was no analysis. It reads the objects when it is
// first asked: mostly there is nothing to ask about.
func (r *instrumented) missed() func(*dump.Report) string {
	if len(r.units) == 0 {
		return nil
	}
	var calls confirm.Calls
	std := filepath.ToSlash(filepath.Join(r.tc.Root, "src"))
	return func(report *dump.Report) string {
		if calls == nil {
			calls = callsOf(r.units)
		}
		return confirm.Missed(report, calls, std)
	}
}

// callsOf returns the calls that the analysis knows of.
func callsOf(units []unit) confirm.Calls {
	calls := make(confirm.Calls)
	for _, u := range units {
		pkgs, err := decodeObject(u.object)
		if err != nil {
			continue // it was read before, when the site table was made
		}
		for _, p := range pkgs {
			for _, f := range p.Funcs {
				for i := range f.Events {
					e := &f.Events[i]
					if e.Kind != lockobj.Call {
						continue
					}
					at := fmt.Sprintf("%s:%d", e.Pos.File, e.Pos.Line)
					calls[at] = append(calls[at], callOf(&e.Callee))
				}
			}
		}
	}
	return calls
}

func callOf(c *lockobj.Callee) confirm.Call {
	switch c.Kind {
	case lockobj.Static:
		return confirm.Call{Kind: confirm.CallStatic}
	case lockobj.Interface:
		name, _, _ := strings.Cut(c.Method, "(")
		return confirm.Call{Kind: confirm.CallInterface, Method: strings.TrimSpace(name)}
	}
	return confirm.Call{Kind: confirm.CallValue}
}
