package parser

import (
	"testing"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/source"
)

// Whatever the text, there is a tree, its places are nested, and the diagnostics have places in the text.
func FuzzParse(f *testing.F) {
	for _, text := range samples(f) {
		f.Add(text)
	}
	f.Fuzz(checkInvariants)
}

func FuzzParseExpr(f *testing.F) {
	for _, text := range []string{`1 + 2 * (a else 0)`, `"a {b + "c"}"`, `[x for x in y if z]`, `if a { 1 } else { 2 }`, `(..a, b: 1)`, `a.b?.c[0](`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := source.NewFile("x", text)
		x, diags := ParseExpr(file)
		if err := nested(file, x); err != nil {
			t.Fatal(err)
		}
		ast.Walk(x, func(n ast.Node) bool {
			if _, bad := n.(*ast.BadExpr); bad && len(diags) == 0 {
				t.Fatal("a bad expression, but nothing told")
			}
			return true
		})
	})
}
