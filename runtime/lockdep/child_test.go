package lockdep_test

import (
	"os"
	"os/exec"
	"testing"
)

// child runs one test of this binary in a process of its own, with what is to
// be added to its environment. It returns what the process wrote and its exit
// status. A process that does not end is stopped, and what it wrote has the
// stacks of its goroutines.
func child(t *testing.T, test string, environ ...string) (out string, status int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.timeout=2m")
	// By itself the race detector makes each process wait for a second at
	// its end.
	cmd.Env = append(append(os.Environ(), "GORACE=atexit_sleep_ms=0"), environ...)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}
