package main

import (
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/vetunit"
)

// A linkResult is what is printed of a link, and kept for the next run.
type linkResult struct {
	Findings []finding.Finding
	Handoffs []finding.Handoff
	Stats    map[string]int64
	Limits   []string
}

// cacheKey hashes all that findings depend on: the objects, what is asked for,
// and this program. It is empty where the last cannot be told.
func (c *check) cacheKey(units []unit, roots map[string]listed) string {
	self, err := vetunit.BuildID()
	if err != nil {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "lockvet %s\nall %v\n", self, c.seesAll())
	for _, name := range slices.Sorted(maps.Keys(c.disabled)) {
		fmt.Fprintf(h, "off %s\n", name)
	}
	for _, path := range slices.Sorted(maps.Keys(roots)) {
		fmt.Fprintf(h, "root %q %q\n", path, roots[path].Dir)
	}
	for _, u := range units {
		fmt.Fprintf(h, "unit %q %d\n%s\n", u.id, len(u.object), u.object)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A resultCache is the place of one result. Nothing depends on it: without a
// place, or with a damaged file there, the result is worked out anew.
type resultCache struct{ name string }

// keepResults is how long a result that nobody asks for stays, as in the go
// command's build cache.
const keepResults = 5 * 24 * time.Hour

func openCache(key string) resultCache {
	base, err := os.UserCacheDir()
	if err != nil || key == "" {
		return resultCache{}
	}
	return resultCache{filepath.Join(base, "lockvet", key)}
}

func (c resultCache) load() *linkResult {
	f, err := os.Open(c.name)
	if err != nil {
		return nil
	}
	defer f.Close()
	result := new(linkResult)
	if err := gob.NewDecoder(f).Decode(result); err != nil {
		return nil
	}
	now := time.Now()
	os.Chtimes(c.name, now, now) // it is in use
	return result
}

func (c resultCache) store(result *linkResult) {
	if c.name == "" {
		return
	}
	dir := filepath.Dir(c.name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return
	}
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return
	}
	defer os.Remove(f.Name()) // in vain if it got its name
	err = gob.NewEncoder(f).Encode(result)
	if f.Close() == nil && err == nil {
		os.Rename(f.Name(), c.name)
	}
	removeOld(dir)
}

func removeOld(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keepResults {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
