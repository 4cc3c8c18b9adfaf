package lockdephttp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

func get(t *testing.T, query string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(w, httptest.NewRequest("GET", "/debug/lockdep"+query, nil))
	return w
}

func TestFormats(t *testing.T) {
	var a, b lockdep.Mutex
	lockdep.SetClass(&a, "first<class>")
	lockdep.SetClass(&b, "second")
	a.Lock()
	b.Lock()
	for query, want := range map[string]string{
		"":             "<h1>lockdep</h1>",
		"?format=html": "Dependencies (",
		"?format=text": "dependencies: ",
		"?format=dot":  "digraph lockdep {",
		"?format=json": `"deps":`,
	} {
		w := get(t, query)
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d, no %q in\n%s", query, w.Code, want, w.Body)
		}
		if strings.Contains(w.Body.String(), "<class>") && strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%s: class name not escaped", query)
		}
	}
	b.Unlock()
	a.Unlock()
	var g lockdep.Graph
	if err := json.Unmarshal(get(t, "?format=json").Body.Bytes(), &g); err != nil {
		t.Fatal(err)
	}
	if lockdep.Enabled() && (len(g.Classes) < 2 || len(g.Deps) == 0) {
		t.Errorf("graph %+v", g)
	}
}

func TestUnknownFormat(t *testing.T) {
	if w := get(t, "?format=xml"); w.Code != 400 || !strings.Contains(w.Body.String(), `unknown format "xml"`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
