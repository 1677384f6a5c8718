//go:build unix

package check_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
)

// star is a pipeline of n bolts between one source and one sink, chain one of n bolts in a row, ring a circle of them.
func star(n int) string {
	var b strings.Builder
	b.WriteString("    sink out = null.discard()\n    lines -> {\n")
	for i := range n {
		fmt.Fprintf(&b, "        b%d -> out\n", i)
	}
	return b.String() + "    }\n"
}

func chain(n int) string {
	var b strings.Builder
	b.WriteString("    lines")
	for i := range n {
		fmt.Fprintf(&b, " -> b%d", i)
	}
	return b.String() + " -> null.discard()\n"
}

func ring(n int) string { return chain(n) + fmt.Sprintf("    b%d -> b0\n", n-1) }

func lost(n int) string { return strings.ReplaceAll(chain(n), "-> b", "-> c") }

func wide(n int, flow func(int) string) string {
	var b strings.Builder
	b.WriteString("use file, null\n")
	for i := range n {
		fmt.Fprintf(&b, "bolt b%d(line: string) -> (line: string) { emit (line) }\n", i)
	}
	return b.String() + "pipeline p {\n    reliability at_least_once\n    source lines = file.lines(\"in.txt\")\n" + flow(n) + "}\n"
}

// cpu returns the time that this process has computed in user code: unlike the time of day it does not pass while
// others have the machine.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}

// TestLinear checks graphs of many nodes: eight times the nodes may not take much more than eight times as long, where
// quadratic time would be 64 times as long.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	for _, c := range []struct {
		name string
		flow func(int) string
		code diag.Code // of all errors
	}{
		{"star", star, ""}, {"chain", chain, ""}, {"ring", ring, diag.Cycle}, {"unknown names", lost, diag.UnknownNode},
	} {
		t.Run(c.name, func(t *testing.T) {
			took := func(n int) time.Duration {
				file, list := parser.Parse(source.NewFile("p.pipe", wide(n, c.flow)))
				if len(list) > 0 {
					t.Fatalf("%s %s", list[0].Span, list[0].Message)
				}
				// As many rounds for as many nodes: the clock moves in steps of some milliseconds.
				rounds := 20_000 / n
				start := cpu(t)
				for range rounds {
					_, list := check.Check(check.Input{Main: file, Catalog: library()})
					for _, d := range list {
						if d.Severity == diag.Error && d.Code != c.code {
							t.Fatalf("%s %s %s", d.Span, d.Code, d.Message)
						}
					}
				}
				return (cpu(t) - start) / time.Duration(rounds)
			}
			few, many := took(1_250), took(10_000)
			t.Logf("1,250 nodes: %v, 10,000: %v", few, many)
			if many > 32*few {
				t.Errorf("1,250 nodes take %v, 10,000 take %v", few, many)
			}
		})
	}
}
