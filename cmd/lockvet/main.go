// Lockvet finds lock-order deadlocks, leaked locks, and waits under a lock that
// the awaited side needs.
//
//	lockvet [flags] [packages]                        the whole program at once
//	lockvet test|run|build [go flags] [packages]      with lockdep inside, see docs/overlay.md
//	lockvet report DIR...                             what runs of such programs showed
//	lockvet sites [packages]                          which line acquires which lock class
//	go vet -vettool=$(which lockvet) [packages]       package by package
//	lockvet help [analyzer]
//	lockvet explain category
//	lockvet version
//
// See lockvet help.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/lockvet/lockvet/internal/vetunit"
)

// Exit statuses.
const (
	exitClean  = 0 // nothing found
	exitFound  = 1 // findings
	exitFailed = 2 // could not do the work, or not all of it
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	if vetunit.IsProtocol(args) {
		paceGC()
		return tool().Main(args, stdout, stderr)
	}
	err := command(args, stdout, stderr)
	switch err {
	case nil:
		return exitClean
	case errFound:
		return exitFound
	case errTold:
		return exitFailed
	}
	if status, ok := err.(goStatus); ok {
		return int(status)
	}
	fmt.Fprintf(stderr, "lockvet: %v\n", err)
	return exitFailed
}

func command(args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "help", "-h", "-help", "--help":
			return help(args[1:], stdout)
		case "explain":
			return explain(args[1:], stdout)
		case "version", "-version", "--version":
			return printVersion(stdout)
		case "test", "run", "build":
			return runInstrumented(args[0], args[1:], stdout, stderr)
		case "report":
			return reportDumps(args[1:], stdout, stderr)
		case "sites":
			return printSites(args[1:], stdout, stderr)
		}
	}
	c, err := parseCheck(args)
	if err != nil {
		return err
	}
	return c.run(stdout, stderr)
}
