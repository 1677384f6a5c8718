package format_test

import (
	"testing"

	"github.com/pipec/pipec/lang/ast/asttest"
)

// TestEveryNodeIsHandled demands that the formatter knows every kind of node.
func TestEveryNodeIsHandled(t *testing.T) {
	handled := asttest.Handled(t, ".")
	for _, sum := range []string{"decl", "typeExpr", "stmt", "expr", "pitem", "step", "tstmt"} {
		for _, kind := range asttest.Kinds(t, "../ast", sum) {
			if !handled[kind] {
				t.Errorf("the formatter does not look for *ast.%s", kind)
			}
		}
	}
}
