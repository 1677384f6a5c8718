package check_test

import (
	"strings"
	"testing"

	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/types"
)

// TestRanges holds the table of ranges against the declarations: each line is about a parameter that there is, which is
// a number and has a default inside of its range.
func TestRanges(t *testing.T) {
	ranged := map[string]catalog.Param{}
	for _, m := range library().Modules {
		for _, kind := range []string{"source", "sink", "channel", "aggregate"} {
			for _, sig := range m.Sigs(kind) {
				for _, p := range sig.Params {
					if p.Range != nil {
						ranged[sig.FullName()+"."+p.Name] = p
					}
				}
			}
		}
	}
	for _, r := range catalog.Ranges() {
		p, ok := ranged[r.Param]
		if !ok || !strings.HasSuffix(r.Param, "."+p.Name) || types.Bare(p.Type) != types.Int && p.Type != types.Float {
			t.Errorf("%s is no parameter that is a number", r.Param)
			continue
		}
		if !p.Default.IsNone() && (p.Default.Int() < r.Least || p.Default.Int() > r.Most) {
			t.Errorf("the default of %s is out of range", r.Param)
		}
	}
}
