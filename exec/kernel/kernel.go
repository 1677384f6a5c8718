// Package kernel runs stateless bodies and single expressions over the columns of a batch.
//
// What a body means is defined by exec/expr, which runs it row by row. A Program gives the same results, in the same
// order, for a whole batch at once: each operator is one loop over columns, without a call, a branch on types or an
// allocation for a row.
//
// How it works. A body is compiled into a tree of nodes. A node computes its column for the rows of a selection (an
// ascending list of row numbers; nil stands for all rows) and leaves the other slots of the column undefined, so that
// the branches of an `if` work on disjoint selections of the same rows. It returns the selection of the rows that have
// a value: an operator that fails for a row takes it out, and whoever settles failures (`else`) takes it from there.
// Statements work alike: they are given the rows that arrive and return the rows that go on.
//
// A loop over a list makes a domain: the elements of all lists of the rows, one behind the other, are the rows of the
// loop's body. What the body reads from outside is gathered by the parent of each element.
//
// Rows that go wrong. Kernels make no errors. A row that fails unsettled, faults, or meets anything rare is taken out
// of the whole run with all that it emitted (a body is atomic), and is then run by exec/expr alone, which gives its
// emits, its error or its fate; the results are merged in the order of rows. This is right because a stateless body has
// no effects to take back, and it keeps the kernels to what is common.
//
// Bodies that no loop over columns can run (a loop with `break`, or one that carries a value from one element to the
// next; changes of elements; emits to one output from different loops) are run by exec/expr as a whole. Expressions
// that have no node of their own are run by exec/expr value by value in the midst of a column program.
//
// Invariant: each node is evaluated at most once in a run. So the column that it returned stays as it is until the
// next run, and nodes can reuse their memory; what is handed on in a result is not touched again (see vec).
package kernel

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/value"
)

// Env is what the code of a plan shares: the functions of the program and of the library. It is immutable.
type Env struct {
	funcs []plan.Func
	lib   expr.Funcs
	rows  *expr.Env
}

// NewEnv compiles the functions of a program.
func NewEnv(funcs []plan.Func, lib expr.Funcs) *Env {
	return &Env{funcs: funcs, lib: lib, rows: expr.NewEnv(funcs, lib)}
}

// Result is what a run made. Its slices are valid until the next run of the program; the batches are immutable and
// may be handed on.
type Result struct {
	// Outs are the rows for the outputs, in the order in which the body emits them. An output occurs several times
	// only where a column would exceed batch.MaxData, or where anchored and unanchored emits alternate.
	Outs []Out
	// Dropped are the rows that ended by a drop, by name, in the order of the names' first rows.
	Dropped []Dropped
	// Failed are the rows that failed or faulted (Err.Fault: they are dead at once), in order.
	Failed []RowError
}

// Out is rows for an output.
type Out struct {
	Output     int
	Unanchored bool
	Batch      *batch.Batch // N, Layout and Cols alone are set
	// Parent holds for each row of Batch the row of the input that it comes from, ascending. It is nil if parents were
	// not wanted, and if row i comes from row i.
	Parent []int32
}

// Dropped is rows that ended under one name.
type Dropped struct {
	Name string
	Rows []int32
}

// RowError is a row that ended by an error.
type RowError struct {
	Row int
	Err *expr.Error
}

// Program is a compiled body. It keeps memory from run to run and belongs to one goroutine.
type Program struct {
	// Now is the time that `now()` gives, in nanoseconds since the Unix epoch. The caller sets it before a run.
	Now int64

	outs   []plan.Out
	stmts  []stmt
	kernel bool
	run    run
	rows   *rowRunner
	res    Result
}

// Compile compiles a stateless body over rows of layout in.
func Compile(env *Env, b *plan.Body, in batch.Layout, outs []plan.Out) *Program {
	return compileBody(env, b, &source{in: in}, outs)
}

// CompilePane compiles the body that runs when the windows of an aggregate fire. Its input are rows of PaneLayout.
func CompilePane(env *Env, n *plan.Node) *Program {
	return compileBody(env, n.Body, &source{in: PaneLayout(n), pane: true, keys: len(n.Keys), aggs: len(n.Agg.Calls)}, n.Outs)
}

func compileBody(env *Env, b *plan.Body, src *source, outs []plan.Out) *Program {
	p := &Program{outs: outs, rows: newRowRunner(env, b, src, outs)}
	c := &compiler{env: env, src: src, outs: outs, locals: len(b.Locals), types: slices.Clone(b.Locals), depthOf: map[int]int{}}
	p.stmts = c.stmts(b.Stmts)
	p.kernel = !c.failed && len(b.State) == 0
	p.run.locals, p.run.limit = c.locals, batch.MaxData
	p.run.names = c.names
	return p
}

// Kernel reports whether the body runs as kernels, and not row by row as a whole.
func (p *Program) Kernel() bool { return p.kernel }

// Run runs the body over all rows of a batch.
func (p *Program) Run(in *batch.Batch, needParents bool) Result {
	p.res = Result{Outs: p.res.Outs[:0], Dropped: p.res.Dropped[:0], Failed: p.res.Failed[:0]}
	p.rows.frame.Now, p.run.now = p.Now, p.Now
	p.run.kept = p.run.kept[:0]
	if in.N > 0 {
		p.part(in, 0, needParents)
	}
	return p.res
}

// Reuse says that nobody looks at the batches of the last result any more: the next run may write into their memory.
// Behind a body that feeds a table, this saves an allocation of all that the body makes.
func (p *Program) Reuse() {
	for _, v := range p.run.kept {
		v.kept = false
	}
}

// part runs a batch that begins at row base of the whole. When a column would become too large, it runs the halves.
func (p *Program) part(in *batch.Batch, base int, needParents bool) {
	if !p.kernel {
		p.rows.all(in, base, needParents, &p.res)
		return
	}
	r := &p.run
	r.begin(in)
	r.exec(p.stmts, &r.root, nil)
	if !r.full && p.finish(in, base, needParents || base > 0) {
		return
	}
	if in.N == 1 {
		p.rows.all(in, base, needParents, &p.res)
		return
	}
	half := in.N / 2
	p.part(in.Slice(0, half), base, needParents)
	p.part(in.Slice(half, in.N), base+half, needParents)
}

// source says where the leaves of expressions are read from: the columns of a batch. In the body of an aggregate that
// fires these are the keys, the results of the calls, and the bounds of the window.
type source struct {
	in         batch.Layout
	pane       bool // rows are of PaneLayout
	keys, aggs int  // how many, of a pane
}

// leaf returns the column that an expression reads, or false if it is no read of the input.
func (s *source) leaf(e plan.Expr) (int, bool) {
	switch e := e.(type) {
	case *plan.Input:
		return e.Field, true
	case *plan.Key:
		return e.Index, true
	case *plan.AggResult:
		return s.keys + e.Index, true
	case *plan.Bound:
		if e.End {
			return s.keys + s.aggs + 1, true
		}
		return s.keys + s.aggs, true
	}
	return 0, false
}

// set gives a frame of exec/expr the row in hand.
func (s *source) set(f *expr.Frame, row []value.Value) {
	if !s.pane {
		f.Input = row
		return
	}
	f.Keys, f.Aggs = row[:s.keys], row[s.keys:s.keys+s.aggs]
	f.Start, f.End = row[s.keys+s.aggs].Int(), row[s.keys+s.aggs+1].Int()
}
