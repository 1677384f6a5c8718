package optimize

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
)

// How order and parallelism are chosen.
//
// The text of a program says how parallel a node is (`* n`) and how rows are spread (`-[shuffle]->`), or leaves both
// open. What it leaves open must not cost an order that somebody sees: where the text allows it, the rows of a source
// reach a sink, or a bolt that keeps state, in the order of the source. An *origin* is a node whose rows have an order:
// a source, or a stateful node. An *observer* is a node to which order makes a difference: a sink with one task, a
// keyed bolt, and an aggregate that depends on order. A path between them keeps order if no node on it is written to
// be parallel and no edge on it to shuffle.
//
//   - A source from which such a path leads to an observer stays whole: one task, one partition.
//   - Any other source that is splittable is split over the cores, or over as many tasks as the nodes right behind it
//     have, so that they fuse.
//   - An open body on such a path takes the parallelism of what is in front of it, so that rows stay in their task. Any
//     other gets the cores.
//   - Stateful nodes, channels and sinks get one task.
//
// An open grouping keeps the task number where both sides are equally parallel, else it shuffles. What comes out of it
// is told by Node.Ordered.

// split decides which sources are read in parts.
func split(p *plan.Plan, _ Options) {
	path := newPaths(p)
	for _, n := range p.Nodes {
		if n.Kind == plan.KindSource && slices.Contains(n.Connector.Traits, "splittable") {
			n.Connector.Splittable = n.Parallelism > 1 || n.Parallelism == 0 && !path.observed(n)
		}
	}
}

// spread chooses parallelism, then groupings.
func spread(p *plan.Plan, o Options) {
	choose(p, o)
	for _, e := range p.Edges {
		e.Grouping, e.Keys = simpler(p, e)
	}
}

// choose fills in what the program leaves open.
func choose(p *plan.Plan, o Options) {
	path := newPaths(p)
	for _, n := range p.Nodes {
		if n.Parallelism == 0 {
			n.Parallelism = path.parallelism(n, o)
		}
	}
	for _, e := range p.Edges {
		e.Grouping, e.Keys = grouping(p, e)
	}
}

// paths knows from which origins a node is reached in order, and whether it leads to an observer in order.
type paths struct {
	p         *plan.Plan
	ins, outs [][]*plan.Edge
	comes     []bool // some origin's rows come here in order
	leads     []bool // rows that come here in order reach an observer, or are observed here
}

func newPaths(p *plan.Plan) *paths {
	s := &paths{p: p, comes: make([]bool, len(p.Nodes)), leads: make([]bool, len(p.Nodes))}
	s.ins, s.outs = edgesOf(p)
	for i, n := range p.Nodes {
		s.comes[i] = origin(n) || passes(n) && slices.ContainsFunc(s.ins[i], func(e *plan.Edge) bool {
			return keeps(e) && s.comes[e.From]
		})
	}
	for i, n := range slices.Backward(p.Nodes) {
		s.leads[i] = observes(n) || passes(n) && s.observed(n)
	}
	return s
}

// observed reports whether the rows that leave n reach an observer in order.
func (s *paths) observed(n *plan.Node) bool {
	return slices.ContainsFunc(s.outs[n.ID], func(e *plan.Edge) bool { return keeps(e) && s.leads[e.To] })
}

func origin(n *plan.Node) bool { return n.Kind == plan.KindSource || stateful(n) }

// passes reports whether rows leave a node in the order in which they came, as far as the text says.
func passes(n *plan.Node) bool {
	switch n.Kind {
	case plan.KindBody, plan.KindChannel, plan.KindKeyed:
		return n.Parallelism <= 1
	}
	return false
}

func observes(n *plan.Node) bool {
	switch n.Kind {
	case plan.KindSink:
		return n.Parallelism <= 1
	case plan.KindKeyed:
		return true
	case plan.KindAggregate, plan.KindCombine:
		return slices.ContainsFunc(n.Agg.Calls, ordersRows)
	}
	return false
}

// ordersRows reports whether the result of an aggregate depends on the order of the rows.
func ordersRows(c plan.AggCall) bool {
	return c.Func == "first" || c.Func == "last" || c.Func == "collect"
}

// keeps reports whether an edge can keep order. One by key keeps the order of each key's rows, and an observer with
// keys wants no more.
func keeps(e *plan.Edge) bool { return e.Grouping != plan.ToShuffle }

// parallelism returns the parallelism of a node for which the program does not say one. Those upstream have theirs.
func (s *paths) parallelism(n *plan.Node, o Options) int {
	switch {
	case n.Kind == plan.KindSource && n.Connector.Splittable:
		return s.behind(n, o)
	case n.Kind != plan.KindBody:
		return 1
	case slices.ContainsFunc(s.ins[n.ID], func(e *plan.Edge) bool { return e.Grouping == plan.ToGlobal }):
		return 1
	}
	front := 0 // of all nodes in front, if equal
	for i, e := range s.ins[n.ID] {
		switch from := s.p.Nodes[e.From].Parallelism; {
		case i == 0 && keeps(e):
			front = from
		case front != from || !keeps(e):
			front = -1
		}
	}
	if s.comes[n.ID] && s.leads[n.ID] {
		return max(front, 1)
	}
	return max(front, o.Cores)
}

// behind returns the parallelism of a source that may be split: that of the nodes behind it if they agree.
func (s *paths) behind(n *plan.Node, o Options) int {
	agreed := 0
	for _, e := range s.outs[n.ID] {
		to := s.p.Nodes[e.To]
		switch {
		case to.Kind != plan.KindBody || to.Parallelism == 0 || !keeps(e):
			return o.Cores
		case agreed != 0 && agreed != to.Parallelism:
			return o.Cores
		}
		agreed = to.Parallelism
	}
	return max(agreed, 1)
}

// grouping returns the grouping of an edge, and its keys, as far as the program says it: what it leaves open is chosen,
// when all parallelism is known.
func grouping(p *plan.Plan, e *plan.Edge) (plan.Grouping, []plan.Expr) {
	from, to := p.Nodes[e.From], p.Nodes[e.To]
	if e.Grouping != 0 && e.Grouping != plan.ToForward {
		return e.Grouping, e.Keys
	}
	switch {
	case len(to.Keys) > 0:
		var keys []plan.Expr
		for _, k := range to.Keys {
			keys = append(keys, k.Expr)
		}
		return plan.ToKey, keys
	case to.Global:
		return plan.ToGlobal, nil
	case from.Parallelism == to.Parallelism:
		return plan.ToForward, nil
	}
	return plan.ToShuffle, nil
}

// simpler returns a grouping that does the same for less where few tasks take part, or the edge's own.
func simpler(p *plan.Plan, e *plan.Edge) (plan.Grouping, []plan.Expr) {
	from, to := p.Nodes[e.From], p.Nodes[e.To]
	switch {
	case from.Parallelism == 1 && to.Parallelism == 1, e.Grouping == plan.ToLocal && from.Parallelism == to.Parallelism:
		return plan.ToForward, nil
	case to.Parallelism == 1:
		return plan.ToGlobal, nil
	}
	return e.Grouping, e.Keys
}

// ordered sets Node.Ordered. A node is *whole* if all rows of one partition, or of one task of a stateful node, pass
// through the same task of it; as soon as they are spread over several, nothing but an exchange by key right there
// keeps an order: that of each key.
func ordered(p *plan.Plan) {
	ins, _ := edgesOf(p)
	whole := make([]bool, len(p.Nodes))
	for i, n := range p.Nodes {
		n.Ordered, whole[i] = true, true
		for _, e := range ins[i] {
			from := p.Nodes[e.From]
			fresh := from.Kind == plan.KindAggregate || from.Kind == plan.KindCombine || from.Kind == plan.KindTop
			if !fresh && !(from.Ordered && whole[e.From]) || e.Grouping == plan.ToShuffle {
				n.Ordered = false
			}
			if e.Grouping == plan.ToKey || e.Grouping == plan.ToShuffle {
				whole[i] = false
			}
			if !fresh && !whole[e.From] {
				whole[i] = false
			}
		}
	}
}
