package lockdep

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// The site table is text, one line for each line of source that acquires a
// lock or waits for an event, as lockvet sites writes it:
//
//	lockvet sites 1
//	/src/bank/account.go:31 bank.Account.mu
//
// The file is named as the program's own line table has it. A line that is
// listed with two classes has none: there is no telling which is meant.

const sitesHeader = "lockvet sites 1"

type lineKey struct {
	file string
	line int
}

// builtSites is the text of the site table that lockvet has built into the
// program.
var builtSites string

// builtStd is where the files of the standard library are, as the program's
// line table has them: prefixes, which lockvet has built in.
var builtStd []string

// standard reports whether a file is of the standard library, to which the go
// command and its tools do not belong.
func standard(file string) bool {
	return slices.ContainsFunc(builtStd, func(dir string) bool {
		rest, ok := strings.CutPrefix(file, dir)
		return ok && !strings.HasPrefix(rest, "cmd/")
	})
}

// siteTable reads the table in the file, or the one built in.
func siteTable(name string) (map[lineKey]string, error) {
	if name == "" {
		return readSites("built-in table", strings.NewReader(builtSites))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readSites(name, f)
}

// readSites reads a site table.
func readSites(name string, r io.Reader) (map[lineKey]string, error) {
	sites := map[lineKey]string{}
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		text := strings.TrimSpace(s.Text())
		if n == 1 {
			if text != sitesHeader {
				return nil, fmt.Errorf("%s: not a site table: the first line must be %q", name, sitesHeader)
			}
			continue
		}
		if text == "" {
			continue
		}
		at, class, ok := strings.Cut(text, " ")
		colon := strings.LastIndexByte(at, ':')
		if !ok || colon < 0 {
			return nil, fmt.Errorf("%s:%d: want FILE:LINE CLASS", name, n)
		}
		line, err := strconv.Atoi(at[colon+1:])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: want FILE:LINE CLASS", name, n)
		}
		key := lineKey{at[:colon], line}
		if old, twice := sites[key]; twice && old != class {
			class = ""
		}
		sites[key] = class
	}
	for key, class := range sites {
		if class == "" {
			delete(sites, key)
		}
	}
	return sites, s.Err()
}
