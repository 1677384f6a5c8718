package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal runs a command line with standard error on a terminal of 60 columns, and returns what that shows.
func onTerminal(t *testing.T, env map[string]string, args ...string) (shown string, code int) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	defer master.Close()
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 60}); err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // ends with an error when the last one who had the terminal open has closed it
		read <- string(text)
	}()
	code = run(args, &world{in: strings.NewReader(""), out: io.Discard, err: tty, getenv: func(name string) string { return env[name] }})
	tty.Close()
	return <-read, code
}

func TestColours(t *testing.T) {
	wrong := writeProgram(t, "type Level = nothing\n")
	for _, tt := range []struct {
		env    map[string]string
		colour bool
	}{{nil, true}, {map[string]string{"NO_COLOR": "1"}, false}, {map[string]string{"TERM": "dumb"}, false}} {
		shown, code := onTerminal(t, tt.env, "check", wrong)
		if code != exitError || strings.Contains(shown, "\x1b[") != tt.colour || !strings.Contains(shown, "error") {
			t.Errorf("%v: exit code %d: %q", tt.env, code, shown)
		}
	}
}

// TestProgressIsShown: on a terminal there is a line that is drawn anew and taken away at the end, and a summary.
func TestProgressIsShown(t *testing.T) {
	program := writeProgram(t, `use gen, null

pipeline slow {
    reliability at_most_once

    source numbers = gen.sequence(count: 600, rate: 1000)
    numbers -> null.discard()
}
`)
	shown, code := onTerminal(t, map[string]string{"GOGC": "100", "GOMEMLIMIT": "1GiB"}, "run", program)
	if code != exitOK {
		t.Fatalf("exit code %d: %q", code, shown)
	}
	drawn := strings.Split(shown, "\r\x1b[K")
	if len(drawn) < 3 || drawn[0] != "" {
		t.Fatalf("nothing is drawn: %q", shown)
	}
	for _, line := range drawn[1 : len(drawn)-1] {
		if !strings.HasPrefix(line, "slow  ") || !strings.Contains(line, "rows read") || len(line) > 59 {
			t.Errorf("the line is %q", line)
		}
	}
	if last := drawn[len(drawn)-1]; !strings.HasPrefix(last, "slow: read 600 rows, delivered 600 in ") || strings.Count(last, "\n") != 1 {
		t.Errorf("at the end there is %q", last)
	}
}
