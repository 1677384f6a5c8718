package parser

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// expectation is an error that a program says it has. It stands in a comment at the end of the line of the error,
//
//	// ERROR P0309 "text of the message"
//
// or in a comment line below, where the caret has the column of the error:
//
//	//       ^ ERROR P0309 "text of the message"
type expectation struct {
	line, col int // col is 0 where it is not told
	code      diag.Code
	text      string
}

var expectationPattern = regexp.MustCompile(`(\^ )?ERROR (P\d{4}) ("(?:[^"\\]|\\.)*")`)

func expectations(t *testing.T, text string) []expectation {
	t.Helper()
	var out []expectation
	target := 0
	for i, line := range strings.Split(text, "\n") {
		matches := expectationPattern.FindAllStringSubmatchIndex(line, -1)
		below := len(matches) > 0 && matches[0][2] >= 0
		if !below {
			target = i + 1
		}
		for _, m := range matches {
			want, err := strconv.Unquote(line[m[6]:m[7]])
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			e := expectation{line: target, code: diag.Code(line[m[4]:m[5]]), text: want}
			if m[2] >= 0 {
				e.col = len([]rune(line[:m[2]])) + 1
			}
			out = append(out, e)
		}
	}
	return out
}

// The programs of testdata/err have exactly the errors that they say.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/err/*.pipe")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, diags := Parse(source.NewFile(name, string(text)))
			matchErrors(t, expectations(t, string(text)), diags)
		})
	}
}

// matchErrors matches expected and told errors one to one.
func matchErrors(t *testing.T, want []expectation, got diag.List) {
	t.Helper()
	for _, d := range got {
		line, col := d.Span.File.OffsetLineCol(d.Span.Start)
		i := slices.IndexFunc(want, func(e expectation) bool {
			return e.line == line && (e.col == 0 || e.col == col) && e.code == d.Code && strings.Contains(d.Message, e.text)
		})
		if i < 0 {
			t.Errorf("%s: %s %q is told, but not expected", d.Span, d.Code, d.Message)
			continue
		}
		want = slices.Delete(want, i, i+1)
	}
	for _, e := range want {
		t.Errorf("%d:%d: %s %q is expected, but not told", e.line, e.col, e.code, e.text)
	}
}

// Five mistakes in five places: five errors, and the rest of the tree is whole.
func TestFiveMistakes(t *testing.T) {
	text, err := os.ReadFile("testdata/err/five.pipe")
	if err != nil {
		t.Fatal(err)
	}
	file, diags := Parse(source.NewFile("five.pipe", string(text)))
	if len(diags) != 5 {
		t.Errorf("%d errors are told, not 5", len(diags))
	}
	golden.Check(t, "testdata/err/five.tree", ast.Dump(file))
}

// Nesting without end is one error, told at the bracket that goes too deep, in little time.
func TestTooDeep(t *testing.T) {
	const (
		most = 300_000
		n    = 50_000
	)
	for _, c := range []struct {
		name, text string
		col        int
	}{
		{"parentheses", "let a = " + strings.Repeat("(", most) + "1" + strings.Repeat(")", most), 9 + maxDepth},
		{"open parentheses", "let a = " + strings.Repeat("(", most), 9 + maxDepth},
		{"closed holes", "let a = " + strings.Repeat(`"{`, n) + "1" + strings.Repeat(`}"`, n), 10 + 2*maxDepth},
		{"lists", "let a = " + strings.Repeat("[", n) + strings.Repeat("]", n), 9 + maxDepth},
		{"types", "type a = " + strings.Repeat("[", n), 10 + maxDepth},
		{"holes", "let a = " + strings.Repeat(`"{`, n), 10 + 2*maxDepth},
		{"prefixes", "let a = " + strings.Repeat("-", n) + "1", 9},
		{"else", "let a = 1" + strings.Repeat(" else 1", n), 11 + 7*maxDepth},
		{"operators", "let a = 1" + strings.Repeat(" + 1", n), 11 + 4*(maxHeight-1)},
		{"members", "let a = a" + strings.Repeat(".a", n), 9 + 2*maxHeight},
		{"indexes", "let a = a" + strings.Repeat("[0]", n), 9 + 3*maxHeight},
		{"calls", "let a = " + strings.Repeat("f(", n), 10 + 2*maxDepth},
		{"choices", "let a = " + strings.Repeat("if a { 1 } else ", n) + "{ 2 }", 9 + 16*maxDepth},
		{"conditions", "let a = " + strings.Repeat("if ", n), 9 + 3*maxDepth},
		{"statements", "bolt f(x: int) { " + strings.Repeat("if a { ", n), 18 + 5 + 7*(maxDepth-1)},
		{"else if", "bolt f(x: int) { if a {}" + strings.Repeat(" else if a {}", n) + " }", 25 + 6 + 13*maxDepth},
		{"branches", "pipeline p { a" + strings.Repeat(" -> { a", n), 15 + 4 + 7*(maxDepth-1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			f := source.NewFile("deep.pipe", c.text)
			file, diags := Parse(f)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %s", took) // a second on a machine that does nothing else
			}
			if len(diags) != 1 || diags[0].Code != diag.TooDeep {
				t.Fatalf("told: %v", list(diags))
			}
			if _, col := f.OffsetLineCol(diags[0].Span.Start); col != c.col {
				t.Errorf("told at column %d, not %d", col, c.col)
			}
			if err := broken(f, file, diags); err != nil {
				t.Error(err)
			}
		})
	}
}

func list(diags diag.List) string {
	var b strings.Builder
	for _, d := range diags {
		fmt.Fprintf(&b, "%s: %s %s\n", d.Span, d.Code, d.Message)
	}
	return b.String()
}
