package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"

	"github.com/lockvet/lockvet/runtime/lockdep"
)

// The two macro workloads use lockdep's types throughout: without the tag
// those are sync's.

// A conn is a pooled connection to a store.
type conn struct {
	mu   lockdep.Mutex
	uses int
}

// A store has a pool of connections, a cache, and counters, each with a lock,
// as a database client has.
type store struct {
	mu    lockdep.Mutex
	free  []*conn
	avail *lockdep.Cond

	cacheMu lockdep.RWMutex
	cache   map[string]int

	statsMu lockdep.Mutex
	hits    int
	misses  int
}

func newStore(n int) *store {
	s := &store{cache: map[string]int{}}
	s.avail = lockdep.NewCond(&s.mu)
	for range n {
		s.free = append(s.free, &conn{})
	}
	return s
}

func (s *store) get() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.free) == 0 {
		s.avail.Wait()
	}
	c := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return c
}

func (s *store) put(c *conn) {
	s.mu.Lock()
	s.free = append(s.free, c)
	s.mu.Unlock()
	s.avail.Signal()
}

func (s *store) look(key string) int {
	s.cacheMu.RLock()
	v, ok := s.cache[key]
	s.cacheMu.RUnlock()
	s.statsMu.Lock()
	if ok {
		s.hits++
	} else {
		s.misses++
	}
	s.statsMu.Unlock()
	if ok {
		return v
	}
	c := s.get()
	defer s.put(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uses++
	s.cacheMu.Lock()
	defer s.cacheMu.Unlock()
	s.cache[key] = len(key)
	return len(key)
}

// httpServer serves requests to clients over loopback and returns their number.
func httpServer() int {
	s := newStore(3)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/look", func(w http.ResponseWriter, req *http.Request) {
		sum := 0
		for i := range 4 {
			sum += s.look(fmt.Sprintf("%s/%d", req.FormValue("key"), i))
		}
		fmt.Fprintln(w, sum)
	})
	srv := &http.Server{Handler: mux}
	go srv.Serve(l)
	const clients, each = 4, 1500
	var wg lockdep.WaitGroup
	for c := range clients {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			for i := range each {
				resp, err := client.Get(fmt.Sprintf("http://%v/look?key=%d", l.Addr(), (i*7+c)%500))
				if err != nil {
					panic(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			client.CloseIdleConnections()
		})
	}
	wg.Wait()
	srv.Close()
	return clients * each
}

// pipeline works like a build: packages of the standard library are parsed,
// rewritten and counted by workers that share a queue, an action cache and an
// output table. It returns the number of files.
func pipeline() int {
	root := filepath.Join(runtime.GOROOT(), "src")
	var files []string
	for _, dir := range []string{"sync", "context", "strconv", "sort", "bufio", "bytes", "errors", "path", "strings", "unicode", "io", "container/list", "text/template"} {
		names, _ := filepath.Glob(filepath.Join(root, dir, "*.go"))
		files = append(files, names...)
	}
	var queueMu, cacheMu, outMu lockdep.Mutex
	var depsMu lockdep.RWMutex
	deps := map[string]int{}
	cache := map[string][]byte{}
	out := map[string]int{}
	next := 0
	work := func() {
		for {
			queueMu.Lock()
			if next == len(files) {
				queueMu.Unlock()
				return
			}
			name := files[next]
			next++
			queueMu.Unlock()
			src, err := os.ReadFile(name)
			if err != nil {
				panic(err)
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
			if err != nil {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					depsMu.RLock()
					_, ok := deps[id.Name]
					depsMu.RUnlock()
					if !ok {
						depsMu.Lock()
						deps[id.Name]++
						depsMu.Unlock()
					}
				}
				return true
			})
			var b bytes.Buffer
			format.Node(&b, fset, f)
			cacheMu.Lock()
			cache[name] = b.Bytes()
			outMu.Lock()
			out[filepath.Dir(name)] += b.Len()
			outMu.Unlock()
			cacheMu.Unlock()
		}
	}
	var wg lockdep.WaitGroup
	for range 4 {
		wg.Go(work)
	}
	wg.Wait()
	return len(files)
}
