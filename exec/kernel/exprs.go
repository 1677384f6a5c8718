package kernel

import (
	"slices"
	"strconv"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// PaneLayout is the layout of the rows that the body of an aggregate runs over when windows fire: the keys, the results
// of the calls, and the window's start and end.
func PaneLayout(n *plan.Node) batch.Layout {
	r := &types.Record{}
	for _, k := range n.Keys {
		r.Fields = append(r.Fields, types.Field{Name: k.Name, Type: k.Expr.Type()})
	}
	for _, c := range n.Agg.Calls { // a dead letter shows the names
		name := c.Func
		for i := 2; r.Index(name) >= 0; i++ {
			name = c.Func + strconv.Itoa(i)
		}
		r.Fields = append(r.Fields, types.Field{Name: name, Type: c.Type})
	}
	r.Fields = append(r.Fields, types.Field{Name: "window.start", Type: types.Time})
	r.Fields = append(r.Fields, types.Field{Name: "window.end", Type: types.Time})
	return r
}

// Exprs is a number of compiled expressions over the same rows: the keys of an edge, the arguments of aggregates, what
// a sink computes for each row. It keeps memory from run to run and belongs to one goroutine.
type Exprs struct {
	// Now is as in Program.
	Now int64

	src    *source
	nodes  []node
	kernel bool
	run    run
	exprs  []plan.Expr
	rows   []*expr.Expr
	frame  expr.Frame
	row    []value.Value
	cols   []batch.Col
	errs   []RowError
}

// CompileExprs compiles expressions over rows of layout in. They must not leave the flow (`else drop`).
func CompileExprs(env *Env, es []plan.Expr, in batch.Layout) *Exprs {
	src := &source{in: in}
	c := &compiler{env: env, src: src, locals: localsOf(es), depthOf: map[int]int{}}
	x := &Exprs{src: src, exprs: es, nodes: c.exprs(es)}
	x.kernel = !c.failed
	x.run.locals, x.run.limit = c.locals, batch.MaxData
	for _, e := range es {
		x.rows = append(x.rows, expr.CompileExpr(env.rows, e))
	}
	return x
}

// localsOf returns how many slots expressions use that come without a list of them.
func localsOf(es []plan.Expr) int {
	n := 0
	plan.Visitor{Expr: func(e plan.Expr) bool {
		switch e := e.(type) {
		case *plan.Local:
			n = max(n, e.Slot+1)
		case *plan.Comp:
			n = max(n, e.Slot+1)
		case *plan.Try:
			n = max(n, e.Slot+1)
		case *plan.OrExit:
			n = max(n, e.Slot+1)
		}
		return true
	}}.WalkAll(es)
	return n
}

// Eval computes the expressions for all rows of a batch and returns a column for each, with a slot for each row.
//
// The columns may be handed on; they may share memory with those of the batch. A row for which one of the expressions
// has no value is in errs, ascending, with the first expression's error, and its slots hold anything. The slices
// themselves are valid until the next call.
func (x *Exprs) Eval(in *batch.Batch) (cols []batch.Col, errs []RowError) {
	x.cols, x.errs = x.cols[:0], x.errs[:0]
	x.run.now, x.frame.Now = x.Now, x.Now
	if in.N == 0 {
		return make([]batch.Col, len(x.nodes)), nil
	}
	if x.kernel && x.columns(in) {
		return x.cols, x.errs
	}
	x.byRow(in)
	return x.cols, x.errs
}

// columns computes by columns; it returns false where that does not do.
func (x *Exprs) columns(in *batch.Batch) bool {
	r := &x.run
	r.begin(in)
	var s []int32
	vs := make([]*vec, len(x.nodes))
	for i, n := range x.nodes {
		vs[i], s = n.eval(r, &r.root, s)
	}
	if r.full {
		return false
	}
	for _, v := range vs {
		r.keep(v)
		x.cols = append(x.cols, batch.Slice(v.Col, 0, in.N))
	}
	slices.Sort(r.redoRows)
	for _, i := range r.redoRows {
		x.row = in.AppendRow(x.row[:0], int(i))
		x.src.set(&x.frame, x.row)
		err := x.firstError()
		if err == nil {
			return false // The row has values, which only exec/expr finds: an `else` reads the error.
		}
		x.errs = append(x.errs, RowError{int(i), err})
	}
	return true
}

// firstError returns the error of the row in the frame, or nil.
func (x *Exprs) firstError() *expr.Error {
	for _, e := range x.rows {
		if _, err := e.Eval(&x.frame); err != nil {
			return err
		}
	}
	return nil
}

// byRow computes row by row.
func (x *Exprs) byRow(in *batch.Batch) {
	x.cols, x.errs = x.cols[:0], x.errs[:0]
	fill := make([]filler, len(x.exprs))
	for k, e := range x.exprs {
		fill[k] = newFiller(e.Type())
	}
	for i := range in.N {
		x.row = in.AppendRow(x.row[:0], i)
		x.src.set(&x.frame, x.row)
		for k, e := range x.rows {
			v, err := e.Eval(&x.frame)
			if err != nil {
				x.errs = append(x.errs, RowError{i, err})
				break
			}
			fill[k].at(i).Append(v)
		}
	}
	for _, w := range fill {
		x.cols = append(x.cols, w.finish(in.N))
	}
}
