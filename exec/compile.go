package exec

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/exec/kernel"
	"github.com/pipec/pipec/exec/state"
	"github.com/pipec/pipec/exec/task"
	"github.com/pipec/pipec/lang/types"
)

// programs makes what nodes run: bodies and expressions by columns (exec/kernel), state row by row (exec/state),
// aggregates by tables (exec/agg).
type programs struct {
	rows *expr.Env
	cols *kernel.Env
}

func newCompiler(p *plan.Plan, lib expr.Funcs) *programs {
	return &programs{rows: expr.NewEnv(p.Funcs, lib), cols: kernel.NewEnv(p.Funcs, lib)}
}

// Body implements task.Compiler.
func (c *programs) Body(n *plan.Node) task.Program {
	return &bodyProgram{prog: kernel.Compile(c.cols, n.Body, n.In, n.Outs)}
}

// bodyProgram is a stateless body.
type bodyProgram struct {
	prog *kernel.Program
	conv converted
}

// Run implements task.Program.
func (p *bodyProgram) Run(now int64, in *batch.Batch, parents bool) task.Result {
	p.prog.Now = now
	r := p.prog.Run(in, parents)
	return p.conv.result(r.Outs, r.Dropped, r.Failed, nil)
}

// Reuse implements task.Program.
func (p *bodyProgram) Reuse() { p.prog.Reuse() }

// converted keeps the slices of results in the engine's form.
type converted struct{ res task.Result }

func (c *converted) result(outs []kernel.Out, drops []kernel.Dropped, failed, errored []kernel.RowError) task.Result {
	r := &c.res
	r.Outs, r.Dropped = r.Outs[:0], r.Dropped[:0]
	for _, o := range outs {
		r.Outs = append(r.Outs, task.Output{Out: o.Output, Batch: o.Batch, Parents: o.Parent, Unanchored: o.Unanchored})
	}
	for _, d := range drops {
		r.Dropped = append(r.Dropped, task.Drop{Name: d.Name, N: len(d.Rows)})
	}
	r.Failed = failures(r.Failed[:0], failed)
	r.Errored = failures(r.Errored[:0], errored)
	return *r
}

func failures(dst []task.Failure, list []kernel.RowError) []task.Failure {
	for _, x := range list {
		dst = append(dst, task.Failure{
			Row: int32(x.Row), Code: x.Err.Code, Message: x.Err.Message, Place: x.Err.Place, Fault: x.Err.Fault,
		})
	}
	return dst
}

// Keyed implements task.Compiler.
func (c *programs) Keyed(n *plan.Node) task.Program {
	return &keyedProgram{state: state.NewKeyed(n, c.rows, c.cols)}
}

type keyedProgram struct {
	state *state.Keyed
	conv  converted
}

// Run implements task.Program.
func (p *keyedProgram) Run(now int64, in *batch.Batch, parents bool) task.Result {
	r := p.state.Run(now, in, parents)
	return p.conv.result(r.Outs, r.Dropped, r.Failed, r.Errored)
}

// Reuse implements task.Program.
func (p *keyedProgram) Reuse() {}

// Each implements task.Compiler.
func (c *programs) Each(n *plan.Node) task.Exprs {
	var list []plan.Expr
	for _, e := range n.Connector.Each {
		list = append(list, e.Expr)
	}
	if codec := n.Connector.Codec; codec != nil {
		for _, e := range codec.Each {
			list = append(list, e.Expr)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &exprs{kernel.CompileExprs(c.cols, list, n.In), nil}
}

type exprs struct {
	x    *kernel.Exprs
	errs []task.Failure
}

// Eval implements task.Exprs.
func (e *exprs) Eval(now int64, in *batch.Batch) ([]batch.Col, []task.Failure) {
	e.x.Now = now
	cols, errs := e.x.Eval(in)
	e.errs = failures(e.errs[:0], errs)
	return cols, e.errs
}

// Keys implements task.Compiler.
func (c *programs) Keys(e *plan.Edge, in batch.Layout) task.Keys {
	k := &keys{x: kernel.CompileExprs(c.cols, e.Keys, in)}
	for _, x := range e.Keys {
		k.types = append(k.types, x.Type())
	}
	return k
}

type keys struct {
	x     *kernel.Exprs
	types []types.Type
}

// Hash implements task.Keys. A row whose key fails has some hash: the node behind computes the key again and settles it.
func (k *keys) Hash(dst []uint64, in *batch.Batch) []uint64 {
	cols, bad := k.x.Eval(in)
	if len(bad) == 0 {
		return batch.Hash(dst, cols, k.types, in.N)
	}
	from := len(dst)
	dst = append(dst, make([]uint64, in.N)...)
	for i := range in.N {
		if len(bad) > 0 && bad[0].Row == i {
			bad = bad[1:]
			continue
		}
		one := make([]batch.Col, len(cols))
		for c := range cols {
			one[c] = batch.Slice(cols[c], i, i+1)
		}
		dst = batch.Hash(dst[:from+i], one, k.types, 1)[:from+i+1]
	}
	return dst[:from+in.N]
}
