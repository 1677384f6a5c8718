package plan_test

import (
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/lang/types"
)

func TestPartialLayout(t *testing.T) {
	arg := func(t types.Type) []plan.Expr { return []plan.Expr{&plan.Input{X: plan.X{T: t}}} }
	keys := []plan.KeyDef{{Name: "k", Expr: arg(types.String)[0]}}
	l, ok := plan.PartialLayout(keys, []plan.AggCall{
		{Func: "count", Type: types.Int}, {Func: "sum", Args: arg(types.Int), Type: types.Int},
		{Func: "avg", Args: arg(types.Float), Type: types.Float}, {Func: "max", Args: arg(types.String), Type: types.String},
	})
	want := "(k: string, count.0.0: int, sum.1.0: int, sum.1.1: int, avg.2.0: float, avg.2.1: int, max.3.0: string)"
	if !ok || l.Shape() != want {
		t.Errorf("layout %s, want %s", l.Shape(), want)
	}
	for _, f := range []string{"distinct", "collect", "percentile"} {
		if _, ok := plan.PartialLayout(keys, []plan.AggCall{{Func: f, Args: arg(types.Int), Type: types.Int}}); ok {
			t.Errorf("%s can be combined", f)
		}
	}
}
