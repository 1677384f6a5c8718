package parser

import (
	"os"
	"strings"
	"testing"

	"github.com/pipec/pipec/lang/source"
)

// largeProgram returns a program of about n lines that is made of the bolts of orders.pipe.
func largeProgram(tb testing.TB, n int) string {
	tb.Helper()
	text, err := os.ReadFile("testdata/ok/orders.pipe")
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Repeat(string(text)+"\n", n/strings.Count(string(text), "\n")+1)
}

func BenchmarkParse10kLines(b *testing.B) { benchmarkParse(b, 10_000) }
func BenchmarkParse50kLines(b *testing.B) { benchmarkParse(b, 50_000) }

func benchmarkParse(b *testing.B, lines int) {
	text := largeProgram(b, lines)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, diags := Parse(source.NewFile("large.pipe", text)); len(diags) > 0 {
			b.Fatal(diags[0].Message)
		}
	}
}

func BenchmarkScan10kLines(b *testing.B) {
	text := largeProgram(b, 10_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s := newScanner(source.NewFile("large.pipe", text))
		for len(s.chunk()) > 1 {
		}
	}
}

func BenchmarkBuildMachine(b *testing.B) {
	for b.Loop() {
		newMachine()
	}
}
