package parser

import (
	"strings"
	"testing"

	"github.com/pipec/pipec/lang/source"
)

// What is wrong with a text as a whole is told once.
func TestEncoding(t *testing.T) {
	const program = "use gen\n// two\nbolt b(n: int) -> (n: int) {\n    emit (n)\n}\n"
	for _, c := range []struct{ text, want string }{
		{program, ""},
		{strings.ReplaceAll(program, "\n", "\r\n"), ""},
		{strings.ReplaceAll(program, "\n", "\r"), "end with CR alone"},
		{strings.ReplaceAll(program, "two", "\xe9t\xe9"), "not UTF-8"},
		{strings.ReplaceAll(program, "two", "\ufffd"), ""},
		{program + "let a = \"\xff{\"\xff\"}\" \xff\xff\n", "not UTF-8"},
	} {
		_, diags := Parse(source.NewFile("a.pipe", c.text))
		switch {
		case c.want == "" && len(diags) == 0:
		case c.want != "" && len(diags) == 1 && strings.Contains(diags[0].Message, c.want):
		default:
			t.Errorf("%q: %s, want %q", c.text, list(diags), c.want)
		}
	}
}
