package format_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/format"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
)

func parse(t *testing.T, text string) *ast.File {
	t.Helper()
	f, diags := parser.Parse(source.NewFile("x.pipe", text))
	for _, d := range diags {
		t.Fatalf("%s: %s %s\n%s", d.Span, d.Code, d.Message, text)
	}
	return f
}

// comments returns the texts of a file's comments in order.
func comments(f *ast.File) string {
	var all []string
	for _, c := range f.Comments {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n")
}

// formatted formats a text and holds the invariants.
func formatted(t *testing.T, text string) string {
	t.Helper()
	before := parse(t, text)
	out := format.File(before)
	after := parse(t, out)
	if a, b := ast.Dump(before), ast.Dump(after); a != b {
		t.Errorf("the tree has changed\n--- text\n%s\n--- formatted\n%s\n--- before\n%s\n--- after\n%s", text, out, a, b)
	}
	if a, b := comments(before), comments(after); a != b {
		t.Errorf("the comments have changed\n--- formatted\n%s\n--- before\n%s\n--- after\n%s", out, a, b)
	}
	if again := format.File(after); again != out {
		t.Errorf("formatting again changes the text\n--- once\n%s\n--- twice\n%s", out, again)
	}
	return out
}

// The programs of the parser's tests are formatted to what is beside them here.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("../parser/testdata/ok/*.pipe")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", filepath.Base(name)), formatted(t, string(text)))
		})
	}
}

// A comment may stand wherever a line may end, and stays there.
func TestCommentsEverywhere(t *testing.T) {
	files, err := filepath.Glob("../parser/testdata/ok/*.pipe")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text := string(b)
			kinds := [...]string{" // here\n", "\n// here\n", " // one\n\n // two\n\n\n"}
			n := 0
			for i := 0; i < len(text) && !t.Failed(); i++ {
				if i > 0 && isWord(text[i-1]) && isWord(text[i]) {
					continue
				}
				if n++; n%4 != 0 {
					continue // one gap in four is enough for a run
				}
				changed := text[:i] + kinds[n/4%len(kinds)] + text[i:]
				if f, diags := parser.Parse(source.NewFile("x.pipe", changed)); len(diags) == 0 && len(f.Comments) > 0 {
					formatted(t, changed)
				}
			}
		})
	}
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= '0' && c <= '9'
}
