//go:build unix

package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
)

// large returns a program of about so many lines of declarations that refer to each other: types, functions and bolts.
func large(lines int) string {
	var b strings.Builder
	b.WriteString("use list\n\nlet c0 = 1\n\nfn f0(n: int) -> int = n\n\ntype T0 = (id: string, n: int?)\n")
	for i := 1; i*28 < lines; i++ {
		fmt.Fprintf(&b, `
// Part %[1]d.
let c%[1]d = c%[2]d %% 1000 + 1

type T%[1]d = (
    id: string, n: int?, tags: [string], kind: "a" | "b", inner: T0,
)

fn f%[1]d(n: int) -> int {
    if n > c%[1]d { return f0(n - 1) } else if n < 0 { return -n }
    return list.sum([i * 2 for i in list.range(n) if i %% 3 == 0]) + f0(n)
}

bolt b%[1]d(T%[1]d) with (limit: int = 10) -> (id: string, n: int, text: string), rest: T%[1]d errors drop {
    let total = 0
    for t in tags {
        let v = int(t)
        if v > limit { total = total + v } else { total = total - f%[1]d(v) }
    }
    if n == none || kind == "a" {
        emit to rest (..tuple, kind: "b", n: total)
        return
    }
    let m = n else 0
    emit (id, n: m + total, text: "{id} has {total} of {len(tags)}: {inner.id}")
}
`, i, i-1)
	}
	return b.String()
}

func checkLarge(tb testing.TB, lines int) time.Duration {
	tb.Helper()
	f := source.NewFile("large.pipe", large(lines))
	tree, list := parser.Parse(f)
	if len(list) > 0 {
		tb.Fatalf("%v %s", list[0].Span, list[0].Message)
	}
	start := cpu(tb)
	_, list = check.Check(check.Input{Main: tree, Catalog: library()})
	took := cpu(tb) - start
	if len(list) > 0 {
		tb.Fatalf("%v %s", list[0].Span, list[0].Message)
	}
	return took
}

// TestLinearBodies demands that as many declarations take about as long in few large programs as in many small ones;
// what is quadratic would take eight times as long. The clock of computed time is coarse, so each side has many runs.
func TestLinearBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	took := func(lines, times int) (total time.Duration) {
		for range times {
			total += checkLarge(t, lines)
		}
		return total
	}
	small, large := took(2_500, 80), took(20_000, 10)
	t.Logf("80 times 2,500 lines: %v, 10 times 20,000 lines: %v", small, large)
	if large > 4*small {
		t.Errorf("80 times 2,500 lines take %v, 10 times 20,000 take %v", small, large)
	}
}

func BenchmarkCheck10k(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		checkLarge(b, 10_000)
	}
}

// deep returns expressions of n terms in a row, and n conditions.
func deep(n int) string {
	return "fn f(n: int) -> int = n" + strings.Repeat(" + n", n) +
		"\n\nfn g(n: int?) -> bool = n != none" + strings.Repeat(" && n > 1", n) +
		"\n\nfn h(b: bool) -> bool = b" + strings.Repeat(" || b", n) + "\n"
}

// TestLongChains checks that a chain of operators is neither too deep nor quadratic.
func TestLongChains(t *testing.T) {
	start := time.Now()
	_, list := lang.Check(source.NewFile("deep.pipe", deep(9_000)), library(), nil)
	for _, d := range list {
		t.Errorf("%v %s %s", d.Span, d.Code, d.Message)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}
