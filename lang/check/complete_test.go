package check_test

import (
	"testing"

	"github.com/pipec/pipec/lang/ast/asttest"
)

// TestEveryNodeIsHandled demands that the checker knows every kind of node; statements of tests are not checked.
func TestEveryNodeIsHandled(t *testing.T) {
	handled := asttest.Handled(t, ".")
	for _, sum := range []string{"decl", "typeExpr", "stmt", "expr", "pitem", "step"} {
		for _, kind := range asttest.Kinds(t, "../ast", sum) {
			if !handled[kind] {
				t.Errorf("the checker does not look for *ast.%s", kind)
			}
		}
	}
}
