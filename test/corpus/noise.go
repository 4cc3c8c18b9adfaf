package corpus

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A NoiseModule is a whole module at a recent version. Its findings are read
// one by one, and compared between two runs of lockvet.
type NoiseModule struct {
	Name    string
	Module  string
	Version string
	Pattern string
}

// Noise are the modules of docs/triage.md.
var Noise = []NoiseModule{
	{"nats-server", "github.com/nats-io/nats-server/v2", "v2.15.3", "./..."},
	{"etcd-server", "go.etcd.io/etcd/server/v3", "v3.7.3", "./..."},
	{"grpc", "google.golang.org/grpc", "v1.85.0", "./..."},
	{"client-go", "k8s.io/client-go", "v0.37.2", "./..."},
	{"prometheus", "github.com/prometheus/prometheus", "v0.316.0", "./tsdb/..."},
	{"pebble", "github.com/cockroachdb/pebble/v2", "v2.1.7", "./..."},
	{"raft", "github.com/hashicorp/raft", "v1.8.0", "./..."},
	{"memberlist", "github.com/hashicorp/memberlist", "v0.7.0", "./..."},
}

// PrepareNoise makes dir a writable copy of the module's tree, in which its
// own patterns work. A directory prepared before is left as it is.
func PrepareNoise(ctx context.Context, dir string, m NoiseModule) error {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	source, err := moduleDir(ctx, filepath.Dir(dir), m.Module, m.Version)
	if err != nil {
		return err
	}
	// Completed under another name, so that a directory of this one is whole.
	unfinished := dir + ".unfinished"
	if err := os.RemoveAll(unfinished); err != nil {
		return err
	}
	if err := copyTree(unfinished, source); err != nil {
		return err
	}
	if err := dropLocalReplaces(ctx, unfinished); err != nil {
		return err
	}
	if _, err := goCommand(ctx, unfinished, "list", "-e", "-deps", "-test", m.Pattern); err != nil {
		return err
	}
	return os.Rename(unfinished, dir)
}

// copyTree copies regular files only; the module cache has nothing else.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o666)
	})
}

// dropLocalReplaces takes out the replacements by directories of the module's
// own repository. Its released requirements stand for the same code.
func dropLocalReplaces(ctx context.Context, dir string) error {
	out, err := goCommand(ctx, dir, "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return fmt.Errorf("go mod edit: %w", err)
	}
	for _, r := range mod.Replace {
		if !strings.HasPrefix(r.New.Path, ".") {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		if _, err := goCommand(ctx, dir, "mod", "edit", "-dropreplace="+old); err != nil {
			return err
		}
	}
	return nil
}

// RunNoise runs lockvet over the module in dir and writes its findings to
// out/<name>.txt and out/<name>.json, sorted, so that two runs can be compared.
func RunNoise(ctx context.Context, l Lockvet, dir, out string, m NoiseModule) (*Report, error) {
	report, err := l.Run(ctx, dir, m.Pattern)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", m.Module, m.Version, err)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(out, m.Name+".txt"), []byte(report.Text()), 0o666); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(report, "", "\t")
	if err != nil {
		return nil, err
	}
	return report, os.WriteFile(filepath.Join(out, m.Name+".json"), append(data, '\n'), 0o666)
}

// Text returns the findings in the order of their text. No line of it depends
// on the machine or on the time.
func (r *Report) Text() string {
	var texts []string
	for i := range r.Findings {
		texts = append(texts, r.Findings[i].String())
	}
	slices.Sort(texts)
	return strings.Join(texts, "")
}
