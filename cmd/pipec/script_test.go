package main

import (
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
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits},
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
