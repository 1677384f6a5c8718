package main

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

func exitCode(err error) string {
	if err == nil {
		return "0"
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return strconv.Itoa(exit.ExitCode())
	}
	return err.Error()
}

// broken is a writer that our own fault breaks.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("a slice was too short") }

// full is a writer that the world breaks.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestInternalError(t *testing.T) {
	for _, debug := range []string{"", "1"} {
		var out strings.Builder
		w := &world{out: broken{}, err: &out, getenv: func(name string) string {
			if name == "PIPEC_DEBUG" {
				return debug
			}
			return ""
		}}
		if code := run([]string{"version"}, w); code != exitError {
			t.Errorf("exit code %d", code)
		}
		for _, want := range []string{"pipec: internal error: a slice was too short\n", "Please report it", version()} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("there is no %q in %q", want, out.String())
			}
		}
		if stack := strings.Contains(out.String(), "goroutine"); stack != (debug == "1") {
			t.Errorf("PIPEC_DEBUG=%s, and the stack is shown: %t", debug, stack)
		}
	}
}

// TestInternalErrorOfAnotherGoroutine: the sink writes in a goroutine of the engine's.
func TestInternalErrorOfAnotherGoroutine(t *testing.T) {
	program := writeProgram(t, `use stdin, stdout

pipeline copy {
    reliability at_most_once

    source lines = stdin.lines()
    lines -> stdout.text()
}
`)
	var out strings.Builder
	w := &world{in: strings.NewReader("a\n"), out: broken{}, err: &out, getenv: func(name string) string { return map[string]string{"PIPEC_DEBUG": "1"}[name] }}
	if code := run([]string{"run", program}, w); code != exitError {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"pipec: internal error: a slice was too short\n", "broken.Write"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in %q", want, out.String())
		}
	}
}

func TestWriteFails(t *testing.T) {
	var out strings.Builder
	w := &world{out: full{}, err: &out, getenv: func(string) string { return "" }}
	if code := run([]string{"version"}, w); code != exitError || out.String() != "pipec: no space left on device\n" {
		t.Errorf("exit code %d: %s", code, out.String())
	}
}
