package graph_test

import (
	"strings"
	"testing"

	"github.com/pipec/pipec/compiler/graph"
	"github.com/pipec/pipec/compiler/optimize"
	"github.com/pipec/pipec/compiler/plan"
	. "github.com/pipec/pipec/compiler/plan/plantest"
	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang/types"
)

func check(t *testing.T, name string, p *plan.Plan) {
	t.Helper()
	golden.Check(t, "testdata/"+name+".dot", graph.DOT(p))
	golden.Check(t, "testdata/"+name+".mmd", graph.Mermaid(p))
}

func TestWordCount(t *testing.T) {
	p := WordCount()
	p.Nodes[2].Parallelism = 4
	optimize.Logical(p, optimize.Options{Cores: 2})
	check(t, "wordcount", p)
}

// TestEveryShape draws each kind of node, an output with a name, each label, and names that need quoting.
func TestEveryShape(t *testing.T) {
	row := Record(F("n", types.Int))
	b := New("shapes")
	src := b.Source("src", "kafka.read", row)
	src.Level = plan.AtMostOnce
	bolt := b.Body("bolt", row, row, nil, Emit(In(row, "n")))
	bolt.Outs = append(bolt.Outs, plan.Out{Name: "rest", Layout: row})
	bolt.Parallelism = 3
	keyed := b.Add(&plan.Node{
		Name: "keyed", Kind: plan.KindKeyed, In: row, Outs: []plan.Out{{Layout: row}}, Body: &plan.Body{},
		Keys: []plan.KeyDef{{Name: "n", Expr: In(row, "n")}, {Name: "m", Expr: In(row, "n")}},
	})
	keyed.Parallelism = 2
	sum := b.Add(&plan.Node{
		Name: "sum", Kind: plan.KindAggregate, In: row, Global: true, Outs: []plan.Out{{Layout: row}}, Body: &plan.Body{},
		Agg: &plan.Aggregate{Window: plan.Window{Kind: "whole"}},
	})
	top := b.Add(&plan.Node{Name: "sorted", Kind: plan.KindTop, In: row, Outs: []plan.Out{{Layout: row}}, Top: &plan.Top{N: -1, By: In(row, "n")}})
	buffer := b.Add(&plan.Node{
		Name: "buffer", Kind: plan.KindChannel, In: row, Outs: []plan.Out{{Layout: row}}, Connector: &plan.Connector{Name: "memory"},
	})
	odd := b.Sink("a \"quoted\" \\ name", "file.write", row)
	odd.Parallelism = 3
	dead := b.Sink("dead", "file.write", row)
	b.Plan.Settings.DeadLetters = dead.ID
	b.Edge(src, bolt, 0)
	b.Edge(bolt, keyed, plan.ToKey, In(row, "n"), Bin(types.Int, plan.Mod, In(row, "n"), Int(7)))
	b.EdgeOut(bolt, 1, odd, plan.ToShuffle)
	b.Edge(keyed, sum, plan.ToGlobal)
	b.Edge(sum, top, 0)
	b.Edge(top, buffer, 0).Optional = true
	b.Edge(buffer, odd, plan.ToAll)
	optimize.Logical(b.Plan, optimize.Options{Cores: 2})
	check(t, "shapes", b.Plan)
	// A text is one token in either language, whatever is in it.
	if dot := graph.DOT(b.Plan); !strings.Contains(dot, `a \"quoted\" \\ name`) {
		t.Errorf("the name is not quoted:\n%s", dot)
	}
}
