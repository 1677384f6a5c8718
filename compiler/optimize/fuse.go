package optimize

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
)

// fuse joins a node to what is in front of it, so that rows pass as a call and no tree needs an edge for them: where
// rows stay in their task anyway, and come from nowhere else. A sink stays a task of its own, so that one that hangs
// can be cut off at its queue; so does a channel, which is a queue, and a stateful node, which begins new trees. A
// combiner is the exception: it belongs to the end of the task whose rows it combines.
func fuse(p *plan.Plan, _ Options) {
	ins, _ := edgesOf(p)
	for _, e := range p.Edges {
		kind := p.Nodes[e.To].Kind
		e.Fused = e.Grouping == plan.ToForward && len(ins[e.To]) == 1 && !e.Optional &&
			(kind == plan.KindBody || kind == plan.KindCombine)
	}
}

// tasks makes a task of each node that is not joined to another, with those that are joined to it, and fills in what
// follows from the finished graph: what is ordered, and which edges carry origins.
func tasks(p *plan.Plan, _ Options) {
	ins, _ := edgesOf(p)
	of := make([]*plan.Task, len(p.Nodes))
	p.Tasks = nil
	for i, n := range p.Nodes {
		if len(ins[i]) == 1 && ins[i][0].Fused {
			of[i] = of[ins[i][0].From]
		} else {
			of[i] = &plan.Task{ID: len(p.Tasks), Parallelism: n.Parallelism}
			p.Tasks = append(p.Tasks, of[i])
		}
		of[i].Nodes = append(of[i].Nodes, i)
	}
	ordered(p)
	origins(p)
}

// origins marks the edges whose rows must tell where they come from: a row can fail at the edge's end or behind it in
// the same segment. A segment ends at a stateful node, whose own input still belongs to it.
func origins(p *plan.Plan) {
	_, outs := edgesOf(p)
	fails := make([]bool, len(p.Nodes)) // rows that come to the node can fail there or behind it
	for i, n := range slices.Backward(p.Nodes) {
		fails[i] = n.DeadRows || !stateful(n) && slices.ContainsFunc(outs[i], func(e *plan.Edge) bool { return fails[e.To] })
		for _, e := range outs[i] {
			e.Origins = fails[e.To]
		}
	}
}
