// Package agg holds the state of operators that fold many rows into few: aggregates by key (and the combiners before
// them), and the best rows of a stream.
//
// A node that folds absorbs rows and gives them back later, changed: a combiner its partial results whenever the engine
// wants it empty, an aggregate its panes when their window ends, a top its rows. Giving back is a cursor: it makes a
// batch of bounded size at a time, and other work may come in between, but no row may be absorbed until it is through.
//
// Keys become dense numbers in the order of their first appearance (Table), and each aggregate is an array by these
// numbers (acc): a batch is absorbed by a loop over the keys and then one loop for each aggregate, without a call or an
// allocation for a row. Results come in the order of the numbers, so equal input gives equal output.
//
// All state belongs to one task and is used by one goroutine. None of it shares memory with the batches absorbed, whose
// memory may be used again.
package agg

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/exec/kernel"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Groups is the state of one task of a combiner (plan.KindCombine) or of an aggregate over the whole input
// (plan.KindAggregate): the keys it has met, and for each the accumulators of the node's calls.
type Groups struct {
	node  *plan.Node
	exprs *kernel.Exprs // keys, then arguments; nil over partial results
	args  [][2]int      // by call: its argument columns (or partial columns), from and to
	body  *kernel.Program
	pane  batch.Layout

	table *Table // of no columns where the node is global: there is one key then, once there has been a row
	accs  []acc
	next  int // of the cursor: the next key to give back

	numbers []uint32
	cols    []batch.Col
}

// Result is what absorbing or firing made; see kernel.Result. Its slices are valid until the next call.
type Result struct {
	Outs    []kernel.Out
	Dropped []kernel.Dropped
	Failed  []kernel.RowError
	// Rows is what the rows of Failed (and of Dropped and Parent) are of, where it is not the batch absorbed: keys and
	// results, in the layout kernel.PaneLayout.
	Rows *batch.Batch
}

// A combiner that holds this much is full: if it has met so many keys, the next one is likely to be a new one too, and
// keeping them costs more than it saves.
const (
	fullKeys  = 1 << 20
	fullBytes = 64 << 20
)

// NewGroups returns the empty state of a node.
func NewGroups(env *kernel.Env, n *plan.Node) *Groups {
	g := &Groups{node: n}
	var es []plan.Expr
	var ts []types.Type
	for _, k := range n.Keys {
		es, ts = append(es, k.Expr), append(ts, k.Expr.Type())
	}
	at := len(es)
	for _, c := range n.Agg.Calls {
		width := min(len(c.Args), 1) // Further arguments are constants.
		if n.Agg.Partials {
			parts, ok := plan.PartialTypes(c)
			if !ok {
				bug.Panicf("exec/agg: %s has no partial results", c.Func)
			}
			width = len(parts)
		} else {
			es = append(es, c.Args[:width]...)
		}
		g.args = append(g.args, [2]int{at, at + width})
		at += width
	}
	if !n.Agg.Partials {
		g.exprs = kernel.CompileExprs(env, es, n.In)
	}
	if n.Kind == plan.KindAggregate {
		g.body = kernel.CompilePane(env, n)
		g.pane = kernel.PaneLayout(n)
	}
	g.table = NewTable(ts)
	g.Reset()
	return g
}

// Reset forgets everything.
func (g *Groups) Reset() {
	g.table.Reset()
	g.accs, g.next = g.accs[:0], 0
	for _, c := range g.node.Agg.Calls {
		g.accs = append(g.accs, newAcc(c))
	}
}

// Len returns the number of keys that have not been given back.
func (g *Groups) Len() int { return g.table.Len() - g.next }

// Bytes returns about how much memory the state takes.
func (g *Groups) Bytes() int64 {
	n := g.table.Bytes()
	for _, a := range g.accs {
		n += a.bytes()
	}
	return n
}

// Full reports whether a combiner should hand on what it holds.
func (g *Groups) Full() bool {
	return g.node.Kind == plan.KindCombine && (g.table.Len() >= fullKeys || g.Bytes() >= fullBytes)
}

// Absorb takes the rows of a batch, or partial results where the node is fed by a combiner. Rows whose keys or
// arguments fail or fault are not absorbed; they are in Failed. now is what `now()` gives, in ns since the Unix epoch.
func (g *Groups) Absorb(now int64, in *batch.Batch) Result {
	cols, n := in.Cols, in.N
	var res Result
	if g.exprs != nil {
		g.exprs.Now = now
		cols, res.Failed = g.exprs.Eval(in)
		if len(res.Failed) > 0 {
			sel := without(n, res.Failed)
			cols, n = g.gathered(cols, sel), len(sel)
		}
	}
	if n > 0 {
		g.add(cols, n)
	}
	return res
}

func (g *Groups) add(cols []batch.Col, n int) {
	if keys := len(g.node.Keys); keys > 0 {
		g.numbers = g.table.Lookup(g.numbers[:0], cols[:keys], n)
	} else {
		if g.table.Len() == 0 {
			g.table.Lookup(nil, nil, 1)
		}
		g.numbers = grown(g.numbers[:0], n) // all of them 0
	}
	for i, a := range g.accs {
		a.grow(g.table.Len())
		args := cols[g.args[i][0]:g.args[i][1]]
		if g.node.Agg.Partials {
			a.merge(g.numbers, args)
		} else {
			a.add(g.numbers, args)
		}
	}
}

// without returns which of n rows did not fail, ascending.
func without(n int, failed []kernel.RowError) []int32 {
	sel := make([]int32, 0, n)
	for i := range n {
		if len(failed) > 0 && failed[0].Row == i {
			failed = failed[1:]
			continue
		}
		sel = append(sel, int32(i))
	}
	return sel
}

func (g *Groups) gathered(cols []batch.Col, sel []int32) []batch.Col {
	g.cols = g.cols[:0]
	for _, c := range cols {
		g.cols = append(g.cols, batch.Gather(c, sel))
	}
	return g.cols
}

// mostBytes is about how many bytes one batch of results may have, far below batch.MaxData.
const mostBytes = 64 << 20

// sizer is an accumulator whose results can be large.
type sizer interface {
	size(i int) int // bytes of the result of key i, about
}

// span returns the next keys to give back: most of them at most, and fewer where they are large.
func (g *Groups) span(most int) (lo, hi int) {
	lo = g.next
	size := 0
	for hi = lo; hi < min(lo+most, g.table.Len()) && (size < mostBytes || hi == lo); hi++ {
		size += g.table.size(hi)
		for _, a := range g.accs {
			if s, ok := a.(sizer); ok {
				size += s.size(hi)
			}
		}
	}
	g.next = hi
	return lo, hi
}

// Fire gives back the next keys, most of them at most, and reports whether those were the last; the state is empty
// then, and takes rows again. A combiner gives partial results; of an aggregate the body runs for each pane. A pane
// with a result that is a fault (a sum that is no int) is in Failed.
func (g *Groups) Fire(now int64, most int) (Result, bool) {
	lo, hi := g.span(most)
	var res Result
	if lo < hi {
		b := &batch.Batch{N: hi - lo, Cols: g.table.Keys(lo, hi)}
		if g.node.Kind == plan.KindCombine {
			for _, a := range g.accs {
				b.Cols = append(b.Cols, a.partial(lo, hi)...)
			}
			b.Layout = g.node.Outs[0].Layout
			res.Outs = []kernel.Out{{Batch: b}}
		} else {
			res = g.panes(now, b, lo, hi)
		}
	}
	done := hi == g.table.Len()
	if done {
		g.Reset()
	}
	return res, done
}

// withoutBounds returns panes as a dead letter shows them.
func withoutBounds(b *batch.Batch) *batch.Batch {
	n := len(b.Cols) - 2
	return &batch.Batch{N: b.N, Layout: &types.Record{Fields: b.Layout.Fields[:n]}, Cols: b.Cols[:n]}
}

// panes adds the results to the keys in b and runs the body.
func (g *Groups) panes(now int64, b *batch.Batch, lo, hi int) Result {
	var faults []kernel.RowError
	for i, a := range g.accs {
		call := g.node.Agg.Calls[i]
		b.Cols = append(b.Cols, a.result(lo, hi, func(row int, why value.Err) {
			faults = append(faults, kernel.RowError{Row: row, Err: faultOf(call, why)})
		}))
	}
	// The bounds of a window over the whole input, which no program reads.
	bounds := batch.Col{Int: make([]int64, b.N)}
	b.Cols, b.Layout = append(b.Cols, bounds, bounds), g.pane
	res := Result{Rows: withoutBounds(b)}
	g.body.Now = now
	if len(faults) == 0 {
		ran := g.body.Run(b, false)
		res.Outs, res.Dropped, res.Failed = ran.Outs, ran.Dropped, ran.Failed
		return res
	}
	// A pane may have several faults; the first call's counts.
	slices.SortStableFunc(faults, func(x, y kernel.RowError) int { return x.Row - y.Row })
	faults = slices.CompactFunc(faults, func(x, y kernel.RowError) bool { return x.Row == y.Row })
	sel := without(b.N, faults)
	ran := g.body.Run(b.Gather(sel), false)
	for _, f := range ran.Failed {
		faults = append(faults, kernel.RowError{Row: int(sel[f.Row]), Err: f.Err})
	}
	for _, d := range ran.Dropped {
		for i, row := range d.Rows {
			d.Rows[i] = sel[row]
		}
	}
	slices.SortFunc(faults, func(x, y kernel.RowError) int { return x.Row - y.Row })
	res.Outs, res.Dropped, res.Failed = ran.Outs, ran.Dropped, faults
	return res
}

// faultOf returns the fault of an aggregate without a result.
func faultOf(c plan.AggCall, why value.Err) *expr.Error {
	code := diag.IntOverflow
	if why == value.NotFinite {
		code = diag.NotFinite
	}
	return &expr.Error{Code: code, Message: c.Func + "(…): " + why.String(), Place: c.At, Fault: true}
}
