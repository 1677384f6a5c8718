package optimize

import (
	"fmt"
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/lang/types"
)

// combine puts a combiner on each edge into an aggregate that several tasks share or feed: it aggregates what its task
// sees and sends one row a key instead of one a row. The aggregate then merges partial results. That is done only if
// all calls can be merged in any order, and never halfway: all edges into a node have a combiner, or none.
func combine(p *plan.Plan, _ Options) {
	ins, _ := edgesOf(p)
	for _, n := range slices.Clone(p.Nodes) {
		if layout, ok := combinable(p, n, ins[n.ID]); ok {
			for i, e := range ins[n.ID] {
				insertCombiner(p, n, e, layout, i)
			}
			takePartials(n, layout)
		}
	}
	sortNodes(p)
}

// combinable reports whether n can take partial results from combiners on the given edges, and in which layout.
func combinable(p *plan.Plan, n *plan.Node, edges []*plan.Edge) (*types.Record, bool) {
	if n.Kind != plan.KindAggregate || n.Agg.Partials || n.Agg.Window.Kind != "whole" ||
		slices.ContainsFunc(n.Agg.Calls, ordersRows) {
		return nil, false
	}
	exchange := false
	for _, e := range edges {
		switch e.Grouping {
		case plan.ToKey, plan.ToGlobal:
			exchange = true
		case plan.ToForward: // beside an exchange, it hands on partial results too
		default:
			return nil, false
		}
		if e.Optional {
			return nil, false // it drops rows when it is full, and must do so one by one
		}
	}
	if !exchange {
		return nil, false
	}
	return plan.PartialLayout(n.Keys, n.Agg.Calls)
}

// insertCombiner puts a combiner between an edge and the aggregate n, at the parallelism of what is in front of it.
func insertCombiner(p *plan.Plan, n *plan.Node, e *plan.Edge, layout *types.Record, number int) {
	c := &plan.Node{
		ID: len(p.Nodes), Name: n.Name + ".combine", Kind: plan.KindCombine, Origin: n.Origin, Level: n.Level, In: n.In,
		Outs: []plan.Out{{Layout: layout}}, Parallelism: p.Nodes[e.From].Parallelism, Keys: slices.Clone(n.Keys),
		Global: n.Global, Agg: &plan.Aggregate{Window: n.Agg.Window, Calls: slices.Clone(n.Agg.Calls)},
		DeadRows: n.DeadRows,
	}
	if number > 0 {
		c.Name += fmt.Sprint(number + 1)
	}
	p.Nodes = append(p.Nodes, c)
	out := &plan.Edge{From: c.ID, To: n.ID, Grouping: e.Grouping, Origin: e.Origin}
	for i := range layout.Fields {
		out.Columns = append(out.Columns, i)
	}
	if out.Grouping == plan.ToKey {
		for i := range n.Keys {
			out.Keys = append(out.Keys, column(layout, i))
		}
	}
	p.Edges = append(p.Edges, out)
	e.To, e.Grouping, e.Keys = c.ID, plan.ToForward, nil
}

// takePartials makes an aggregate read partial results: its keys are columns now.
func takePartials(n *plan.Node, layout *types.Record) {
	n.In = layout
	n.Agg.Partials = true
	for i := range n.Keys {
		n.Keys[i].Expr = column(layout, i)
	}
}

func column(r *types.Record, i int) plan.Expr {
	return &plan.Input{X: plan.X{T: r.Fields[i].Type}, Field: i, Name: r.Fields[i].Name}
}

// sortNodes brings nodes into topological order, otherwise in the order in which they are, and edges into the order of
// their ends; then it gives both their ids.
func sortNodes(p *plan.Plan) {
	ins, outs := edgesOf(p)
	waits := make([]int, len(p.Nodes))
	for i := range p.Nodes {
		waits[i] = len(ins[i])
	}
	number := make([]int, len(p.Nodes))
	sorted := make([]*plan.Node, 0, len(p.Nodes))
	for len(sorted) < len(p.Nodes) {
		next := slices.Index(waits, 0)
		waits[next] = -1
		number[next] = len(sorted)
		sorted = append(sorted, p.Nodes[next])
		for _, e := range outs[next] {
			waits[e.To]--
		}
	}
	p.Nodes = sorted
	for i, n := range sorted {
		n.ID = i
	}
	for _, e := range p.Edges {
		e.From, e.To = number[e.From], number[e.To]
	}
	if d := p.Settings.DeadLetters; d >= 0 {
		p.Settings.DeadLetters = number[d]
	}
	slices.SortStableFunc(p.Edges, func(a, b *plan.Edge) int {
		return slices.Compare([]int{a.From, a.Out, a.To}, []int{b.From, b.Out, b.To})
	})
	for i, e := range p.Edges {
		e.ID = i
	}
}
