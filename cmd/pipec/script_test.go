package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pipec/pipec/internal/golden"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"pipec": main}) }

// TestScripts runs the command lines of testdata/script: what is written where, and the exit code.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *golden.Update, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOMAXPROCS", "2") // plans and graphs show it
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "cmpcodes": compareCodes},
	})
}

// exits runs a command and checks its exit code: `exits 2 pipec chek`.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT]…")
	}
	if code := exitCode(ts.Exec(args[1], args[2:]...)); code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// compareCodes compares the diagnostics that `check --format json` wrote with a file of lines FILE:LINE:COLUMN CODE
// MESSAGE: `cmpcodes stdout want.txt`.
func compareCodes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cmpcodes FILE WANT")
	}
	var list []struct {
		Code, Message, File string
		Start               struct{ Line, Column int }
	}
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &list); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	var got strings.Builder
	for _, d := range list {
		fmt.Fprintf(&got, "%s:%d:%d %s %s\n", d.File, d.Start.Line, d.Start.Column, d.Code, d.Message)
	}
	if want := ts.ReadFile(args[1]); got.String() != want {
		ts.Fatalf("check tells\n%s\n%s has\n%s", got.String(), args[1], want)
	}
}
