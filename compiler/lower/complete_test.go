package lower_test

import (
	"testing"

	"github.com/pipec/pipec/lang/ast/asttest"
)

// TestEveryNodeIsHandled demands that lowering knows every kind of node that can be left in a program without errors.
func TestEveryNodeIsHandled(t *testing.T) {
	handled := asttest.Handled(t, ".")
	elsewhere := map[string]bool{
		// Refused by the checker: broken text, and what cannot be run yet.
		"BadStmt": true, "BadStep": true, "DedupStep": true, "LimitStep": true, "SampleStep": true,
		// Nodes of the checked graph and its edges, not statements of their own.
		"CallStep": true, "BranchStep": true,
	}
	for _, sum := range []string{"stmt", "expr", "step"} {
		for _, kind := range asttest.Kinds(t, "../../lang/ast", sum) {
			if !handled[kind] && !elsewhere[kind] {
				t.Errorf("lowering does not look for *ast.%s", kind)
			}
		}
	}
}
