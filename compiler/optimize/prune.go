package optimize

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/lang/types"
)

// Pruning goes through the nodes from the sinks to the sources. At each it knows which columns of the outputs are
// taken by somebody, drops the others from the layouts and from what is emitted, then looks at which columns of the
// input are still read, and drops the others of those. A node in front of it then sees the shorter list.
//
// What stays: columns of a sink, which encodes rows as they are; of a top, which breaks ties by all of them; the
// declared input of a node where rows can die, or are handed out by `errors emit`; the declared record of a durable
// channel, because tomorrow's program may read what today's does not; and what is emitted by an expression that can
// fail or fault, because that must not be lost with its column.

func prune(p *plan.Plan, _ Options) {
	ins, outs := edgesOf(p)
	for i, n := range slices.Backward(p.Nodes) {
		pruneOutputs(n, outs[i])
		if keep := readColumns(n, ins[i]); keep != nil {
			pruneInput(n, ins[i], keep)
		}
	}
}

// pruneOutputs drops the columns of n's outputs that none of the edges takes.
func pruneOutputs(n *plan.Node, edges []*plan.Edge) {
	for out := range n.Outs {
		o := &n.Outs[out]
		taken := make([]bool, len(o.Layout.Fields))
		for _, e := range edges {
			if e.Out == out {
				for _, c := range e.Columns {
					taken[c] = true
				}
			}
		}
		switch {
		case o.Name == "errors" || o.Name == "late":
			continue // the engine writes these rows, as they are declared
		case n.Kind == plan.KindSource:
		case n.Body != nil:
			keepNoticed(n.Body.Stmts, out, taken)
		case n.Kind == plan.KindChannel && !n.DeadRows && !slices.Contains(n.Connector.Traits, "durable"):
			// Its input follows below.
		default:
			continue
		}
		if !slices.Contains(taken, false) {
			continue
		}
		o.Layout = picked(o.Layout, taken)
		if n.Body != nil {
			n.Body.Stmts = pruneEmits(n.Body.Stmts, out, taken)
		}
		renumber(edges, out, taken)
	}
}

// keepNoticed marks the columns of an output that some statement emits by an expression that is not inert.
func keepNoticed(list []plan.Stmt, out int, taken []bool) {
	plan.Visitor{Stmt: func(s plan.Stmt) bool {
		if emit, ok := s.(*plan.Emit); ok && emit.Output == out {
			for i, f := range emit.Fields {
				taken[i] = taken[i] || !inert(f)
			}
		}
		return true
	}}.WalkStmts(list)
}

func pruneEmits(list []plan.Stmt, out int, keep []bool) []plan.Stmt {
	return plan.Rewriter{Stmt: func(s plan.Stmt) []plan.Stmt {
		emit, ok := s.(*plan.Emit)
		if !ok || emit.Output != out {
			return []plan.Stmt{s}
		}
		pruned := *emit
		pruned.Fields = kept(emit.Fields, keep)
		return []plan.Stmt{&pruned}
	}}.RewriteStmts(list)
}

// renumber gives the edges of an output the new numbers of its columns.
func renumber(edges []*plan.Edge, out int, keep []bool) {
	number := numbers(keep)
	for _, e := range edges {
		if e.Out != out {
			continue
		}
		columns := make([]int, len(e.Columns))
		for i, c := range e.Columns {
			columns[i] = number[c]
		}
		e.Columns = columns
	}
}

// readColumns returns which columns of its input a node reads, or nil for all.
func readColumns(n *plan.Node, edges []*plan.Edge) []bool {
	if n.In == nil || n.DeadRows || n.Body != nil && n.Body.Errors == plan.PolicyEmit {
		return nil
	}
	read := make([]bool, len(n.In.Fields))
	switch n.Kind {
	case plan.KindSink, plan.KindTop:
		return nil
	case plan.KindChannel:
		for _, f := range n.Outs[0].Layout.Fields {
			read[n.In.Index(f.Name)] = true
		}
	}
	reads := plan.Visitor{Expr: func(e plan.Expr) bool {
		if in, ok := e.(*plan.Input); ok {
			read[in.Field] = true
		}
		return true
	}}
	reads.WalkNode(n)
	for _, e := range edges {
		reads.WalkAll(e.Keys)
	}
	return read
}

// pruneInput drops columns of n's input, and from what the edges carry to it.
func pruneInput(n *plan.Node, edges []*plan.Edge, keep []bool) {
	if !slices.Contains(keep, false) {
		return
	}
	number := numbers(keep)
	n.In = picked(n.In, keep)
	r := plan.Rewriter{Expr: func(e plan.Expr) plan.Expr {
		in, ok := e.(*plan.Input)
		if !ok {
			return e
		}
		moved := *in
		moved.Field = number[in.Field]
		return &moved
	}}
	r.RewriteNode(n)
	for _, e := range edges {
		e.Keys = r.RewriteAll(e.Keys)
		e.Columns = kept(e.Columns, keep)
	}
}

// picked returns a record with those fields that are kept. It has no name: it is no type of the program any more.
func picked(r *types.Record, keep []bool) *types.Record {
	return &types.Record{Fields: kept(r.Fields, keep)}
}

func kept[T any](list []T, keep []bool) []T {
	out := []T{}
	for i, x := range list {
		if keep[i] {
			out = append(out, x)
		}
	}
	return out
}

// numbers returns the new number of each kept column.
func numbers(keep []bool) []int {
	number := make([]int, len(keep))
	next := 0
	for i, k := range keep {
		number[i] = next
		if k {
			next++
		}
	}
	return number
}
