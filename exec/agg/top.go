package agg

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/kernel"
	"github.com/pipec/pipec/lang/types"
)

// Top is the state of plan.KindTop: the best rows of the whole input.
//
// Rows are kept as they came, in parts, until there are twice as many as wanted; then all but the best are let go. From
// then on the worst of those is a bar that most rows of a long stream do not pass, which costs them one comparison.
//
// Invariant: a row that was let go is worse than N rows that are kept.
type Top struct {
	n     int // -1: all rows
	in    batch.Layout
	by    types.Type
	expr  *kernel.Exprs
	parts []topPart
	rows  int   // in all parts
	bytes int64 // of all parts
	bar   *topRef
	order []topRef // of the cursor: the rows that are left to give back
	made  bool     // order is made
}

// topPart is rows that were absorbed together, with their values.
type topPart struct {
	b  *batch.Batch
	by batch.Col
}

// topRef is a row of a part.
type topRef struct{ part, row int32 }

// NewTop returns the empty state of a node.
func NewTop(env *kernel.Env, n *plan.Node) *Top {
	return &Top{
		n: int(n.Top.N), in: n.In, by: n.Top.By.Type(), expr: kernel.CompileExprs(env, []plan.Expr{n.Top.By}, n.In),
	}
}

// Len returns the number of rows that are kept: up to twice as many as wanted, and some.
func (t *Top) Len() int { return t.rows }

// Bytes returns about how much memory the rows take.
func (t *Top) Bytes() int64 { return t.bytes }

// Absorb takes the rows of a batch. Those whose value fails or faults are not taken; they are in Failed. now is what
// `now()` gives, in ns since the Unix epoch.
func (t *Top) Absorb(now int64, in *batch.Batch) Result {
	t.expr.Now = now
	cols, errs := t.expr.Eval(in)
	sel := make([]int32, 0, in.N)
	left := errs
	for i := range in.N {
		if len(left) > 0 && left[0].Row == i {
			left = left[1:]
			continue
		}
		if t.n == 0 || t.bar != nil && batch.Compare(&cols[0], i, &t.parts[t.bar.part].by, int(t.bar.row), t.by) < 0 {
			continue
		}
		sel = append(sel, int32(i))
	}
	if len(sel) == 0 {
		return Result{Failed: errs}
	}
	rows := &batch.Batch{N: in.N, Layout: t.in, Cols: in.Cols}
	t.add(topPart{rows.Compact(sel), batch.Compact(cols[0], in.N, sel)})
	if t.n > 0 && t.rows > 2*t.n+1024 {
		t.prune()
	}
	return Result{Failed: errs}
}

func (t *Top) add(p topPart) {
	t.parts = append(t.parts, p)
	t.rows += p.b.N
	t.bytes += p.b.Bytes() + int64(8*p.b.N)
}

// prune lets all but the best rows go and puts the bar at the worst of them.
func (t *Top) prune() {
	best := t.sorted()
	old := t.parts
	t.parts, t.rows, t.bytes = nil, 0, 0
	for len(best) > 0 {
		rows, by := batch.NewBuilder(t.in), batch.NewColBuilder(t.by)
		for len(best) > 0 && !rows.Full() && !by.Full() {
			p := &old[best[0].part]
			rows.AppendFrom(p.b, int(best[0].row))
			by.AppendFrom(&p.by, int(best[0].row))
			best = best[1:]
		}
		t.add(topPart{rows.Finish(), by.Take()})
	}
	last := len(t.parts) - 1
	t.bar = &topRef{int32(last), int32(t.parts[last].b.N - 1)}
}

// sorted returns the rows in order, best first, the wanted number of them at most.
func (t *Top) sorted() []topRef {
	all := make([]topRef, 0, t.rows)
	for p := range t.parts {
		for i := range t.parts[p].b.N {
			all = append(all, topRef{int32(p), int32(i)})
		}
	}
	slices.SortFunc(all, t.compare)
	if t.n >= 0 && len(all) > t.n {
		all = all[:t.n]
	}
	return all
}

// compare orders rows: the greater value first, then the lesser fields.
func (t *Top) compare(a, b topRef) int {
	p, q := &t.parts[a.part], &t.parts[b.part]
	if c := batch.Compare(&q.by, int(b.row), &p.by, int(a.row), t.by); c != 0 {
		return c
	}
	for k, f := range t.in.Fields {
		if c := batch.Compare(&p.b.Cols[k], int(a.row), &q.b.Cols[k], int(b.row), f.Type); c != 0 {
			return c
		}
	}
	return 0
}

// Fire gives back the next rows in order, most of them at most, and reports whether those were the last; the state is
// empty then, and takes rows again.
func (t *Top) Fire(most int) (Result, bool) {
	if !t.made {
		t.order, t.made = t.sorted(), true
	}
	out := batch.NewBuilder(t.in)
	for len(t.order) > 0 && out.Len() < most && out.Bytes() < mostBytes {
		out.AppendFrom(t.parts[t.order[0].part].b, int(t.order[0].row))
		t.order = t.order[1:]
	}
	var res Result
	if out.Len() > 0 {
		res.Outs = []kernel.Out{{Batch: out.Finish()}}
	}
	if len(t.order) > 0 {
		return res, false
	}
	t.parts, t.rows, t.bytes, t.bar, t.order, t.made = nil, 0, 0, nil, nil, false
	return res, true
}
