package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endless makes rows so large that few of them fill a pipe that nobody reads.
var endless = `use gen, stdout

pipeline endless {
    reliability at_least_once
    pending 1000

    source numbers = gen.sequence(seed: 1)
    numbers -> select (n, text: "` + strings.Repeat("x", 1000) + `") -> stdout.json()
}
`

// startEndless starts a run without an end and waits for its first row.
func startEndless(t *testing.T) (cmd *exec.Cmd, out, messages *bufio.Reader) {
	t.Helper()
	cmd, out, messages = startRun(t, endless)
	if line, err := out.ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"n":0,`) {
		t.Fatalf("the first row is %q: %v", line, err)
	}
	return cmd, out, messages
}

// startRun starts a run of a program.
func startRun(t *testing.T, program string) (cmd *exec.Cmd, out, messages *bufio.Reader) {
	t.Helper()
	cmd = exec.Command("pipec", "run", writeProgram(t, program))
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errPipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(pipe), bufio.NewReader(errPipe)
}

func writeProgram(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program.pipe")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// sendSignal sends a signal and waits for the message that it makes.
func sendSignal(t *testing.T, cmd *exec.Cmd, sig os.Signal, messages *bufio.Reader, want string) {
	t.Helper()
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	if line, err := messages.ReadString('\n'); err != nil || !strings.HasPrefix(line, "pipec: "+want) {
		t.Fatalf("%v: %q, %v", sig, line, err)
	}
}

// TestStop: a signal stops the sources, what is in flight is finished, and all of it is delivered.
func TestStop(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd, out, messages := startEndless(t)
		sendSignal(t, cmd, sig, messages, "stopping: what is in flight is finished")
		rest, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		more, err := io.ReadAll(messages)
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || len(more) > 0 {
			t.Errorf("%v: %v: %s", sig, err, more)
		}
		if !strings.HasSuffix(string(rest), "x\"}\n") {
			t.Errorf("%v: the output ends with %q", sig, rest[max(0, len(rest)-30):])
		}
	}
}

// TestStopThrowsWindowsAway: an open window is not fired by a stop, and the run says what is lost with it.
func TestStopThrowsWindowsAway(t *testing.T) {
	cmd, out, messages := startRun(t, `use gen, stdout

pipeline windows {
    reliability at_least_once
    pending 1000

    source numbers = gen.sequence(count: 1_000_000_000_000, seed: 1)
    numbers -> {
        where n < 10 -> select (n) -> stdout.json()
        by ten: n % 10 window whole aggregate (n: count()) -> stdout.json()
    }
}
`)
	if line, err := out.ReadString('\n'); err != nil || line != "{\"n\":0}\n" {
		t.Fatalf("the first row is %q: %v", line, err)
	}
	sendSignal(t, cmd, os.Interrupt, messages, "stopping: ")
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(messages)
	if err != nil {
		t.Fatal(err)
	}
	if code := exitCode(cmd.Wait()); code != "1" || !strings.Contains(string(said), "error[X0505]: the stop threw away ") {
		t.Errorf("exit code %s: %s", code, said)
	}
}

// TestStopAtOnce: nobody reads the output any more, so a stop cannot finish. A second signal cancels what is under way;
// a third ends the run although a write hangs.
func TestStopAtOnce(t *testing.T) {
	cmd, _, messages := startEndless(t)
	sendSignal(t, cmd, os.Interrupt, messages, "stopping: ")
	sendSignal(t, cmd, syscall.SIGTERM, messages, "stopping at once")
	sendSignal(t, cmd, os.Interrupt, messages, "ended while rows were in flight")
	if code := exitCode(cmd.Wait()); code != "1" {
		t.Errorf("exit code %s", code)
	}
}

// TestReaderGoesAway: the run ends as other programs do, by the signal, and says nothing.
func TestReaderGoesAway(t *testing.T) {
	cmd := exec.Command("sh", "-c", `pipec run "$1" | head -n 2 | cut -c -6`, "sh", writeProgram(t, endless))
	out, err := cmd.CombinedOutput()
	if want := "{\"n\":0\n{\"n\":1\n"; err != nil || string(out) != want {
		t.Errorf("%v: %q", err, out)
	}
}

func TestSignalTwiceIsOne(t *testing.T) {
	var last signalled
	start := time.Now()
	for i, c := range []struct {
		sig   os.Signal
		after time.Duration
		want  bool
	}{
		{os.Interrupt, 0, false},
		{os.Interrupt, 10 * time.Millisecond, true},
		{syscall.SIGTERM, 20 * time.Millisecond, false},
		{syscall.SIGTERM, time.Second, false},
	} {
		if got := last.repeats(c.sig, start.Add(c.after)); got != c.want {
			t.Errorf("signal %d counts as repeated: %t", i, got)
		}
	}
}
