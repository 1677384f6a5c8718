package format_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pipec/pipec/lang/format"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
)

func BenchmarkFormat10kLines(b *testing.B) { benchmarkFormat(b, 10_000) }
func BenchmarkFormat50kLines(b *testing.B) { benchmarkFormat(b, 50_000) }

func benchmarkFormat(b *testing.B, lines int) {
	text, err := os.ReadFile("../parser/testdata/ok/orders.pipe")
	if err != nil {
		b.Fatal(err)
	}
	large := strings.Repeat(string(text)+"\n", lines/strings.Count(string(text), "\n")+1)
	f, diags := parser.Parse(source.NewFile("large.pipe", large))
	if len(diags) > 0 {
		b.Fatal(diags[0].Message)
	}
	b.SetBytes(int64(len(large)))
	b.ReportAllocs()
	for b.Loop() {
		format.File(f)
	}
}
