// Package lockdephttp serves what package lockdep has observed over HTTP, in
// the manner of net/http/pprof. Importing it registers a handler at
// /debug/lockdep with http.DefaultServeMux; [Handler] serves another mux.
//
//	http://localhost:6060/debug/lockdep              a page to read
//	http://localhost:6060/debug/lockdep?format=json  the same as JSON
//	http://localhost:6060/debug/lockdep?format=text  as text
//	http://localhost:6060/debug/lockdep?format=dot   the dependencies for Graphviz
package lockdephttp

import (
	"fmt"
	"html/template"
	"net/http"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

func init() { http.Handle("/debug/lockdep", Handler()) }

// Handler returns a handler that serves the observed graph, reports, lock
// statistics and counters.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	var err error
	switch format := req.FormValue("format"); format {
	case "", "html":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		err = page.Execute(w, view{lockdep.Enabled(), lockdep.Snapshot()})
	case "json":
		w.Header().Set("Content-Type", "application/json")
		err = lockdep.WriteJSON(w)
	case "text":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		err = lockdep.WriteText(w)
	case "dot":
		w.Header().Set("Content-Type", "text/vnd.graphviz")
		err = lockdep.WriteDOT(w)
	default:
		http.Error(w, fmt.Sprintf("unknown format %q, known are html, json, text and dot", format), http.StatusBadRequest)
	}
	if err != nil {
		// The header is out; all that is left is to break off.
		panic(http.ErrAbortHandler)
	}
}

type view struct {
	Enabled bool
	lockdep.Graph
}

var page = template.Must(template.New("lockdep").Parse(`<!DOCTYPE html>
<html lang="en">
<title>lockdep</title>
<style>
body { font-family: sans-serif; margin: 2em; max-width: 80em }
table { border-collapse: collapse }
td, th { text-align: left; padding: .1em 1em .1em 0; vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums }
pre { background: #f4f4f4; padding: .6em; overflow-x: auto }
</style>
<h1>lockdep</h1>
<p>Also as <a href="?format=json">JSON</a>, <a href="?format=text">text</a>, <a href="?format=dot">dot</a>.</p>
{{if not .Enabled}}<p>This program does not track its locks: it was built without <code>-tags lockdep</code>, or runs with <code>LOCKDEP=enabled=0</code>.</p>{{end}}
<h2>Reports ({{len .Reports}})</h2>
{{range .Reports}}<pre id="{{.ID}}">{{.String}}</pre>
{{else}}<p>None.</p>
{{end}}
<h2>Classes ({{len .Classes}})</h2>
<table><tr><th>class<th>kind<th>acquired<th>contended<th></tr>
{{range .Classes}}<tr><td>{{.Name}}<td>{{.Kind}}<td class="n">{{.Acquired}}<td class="n">{{.Contended}}<td>{{if .Handoff}}released by other goroutines{{end}}</tr>
{{end}}</table>
<h2>Dependencies ({{len .Deps}})</h2>
<table><tr><th>held<th>then<th>modes<th>first seen at</tr>
{{range .Deps}}<tr><td>{{.From}}<td>{{.To}}<td>{{.Mode}}<td>{{.ToSite}}</tr>
{{end}}</table>
<h2>Held now ({{len .Held}})</h2>
<table><tr><th>class<th>mode<th>goroutine<th>since</tr>
{{range .Held}}<tr><td>{{.Class}}<td>{{.Mode}}<td class="n">{{.Goroutine}}<td>{{.Site}}</tr>
{{end}}</table>
<h2>Events</h2>
<p>Goroutine records: {{.Stats.Records}}. {{range .Stats.Full}}Table {{.}} is full. {{end}}Counted with <code>LOCKDEP=stats=1</code> only.</p>
<table>
{{range .Stats.Events}}<tr><td>{{.Name}}<td class="n">{{.Count}}<td>{{.Help}}</tr>
{{end}}</table>
</html>
`))
