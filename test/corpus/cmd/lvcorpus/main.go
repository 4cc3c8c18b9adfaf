package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockvet/lockvet/test/corpus"
)

func main() {
	rows, err := corpus.Rows()
	if err != nil {
		panic(err)
	}
	dir := os.Args[1]
	for _, r := range rows {
		if len(os.Args) > 2 && !slices.Contains(os.Args[2:], r.ID) {
			continue
		}
		for _, v := range []struct {
			n string
			t corpus.Target
		}{{"buggy", r.Buggy}, {"fixed", r.Fixed}} {
			start := time.Now()
			d := filepath.Join(dir, r.ID+"-"+v.n)
			os.RemoveAll(d)
			err := corpus.Prepare(context.Background(), d, v.t)
			var terr error
			if err == nil {
				terr, err = corpus.Check(context.Background(), d, v.t)
			}
			state := "ok"
			if err != nil {
				state = "BAD"
			} else if terr != nil {
				state = "ok, tests BAD"
			}
			fmt.Printf("%s-%s\t%s\t%.0fs\t%s\n", r.ID, v.n, state, time.Since(start).Seconds(), v.t)
			for _, e := range []error{err, terr} {
				if e != nil {
					fmt.Println("\t" + strings.ReplaceAll(strings.TrimSpace(fmt.Sprint(e)), "\n", "\n\t"))
				}
			}
		}
	}
}
