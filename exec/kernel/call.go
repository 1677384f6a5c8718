package kernel

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// call compiles a call of a library function: to a kernel where there is one for these types, and else to the
// function's own implementation, row by row.
func (c *compiler) call(e *plan.Call) node {
	if n := c.textCall(e); n != nil {
		return n
	}
	lib, ok := c.env.lib[e.Func]
	if !ok {
		bug.Panicf("exec/kernel: there is no library function %q", e.Func)
	}
	sig := expr.Sig{Result: e.T, Consts: make([]*value.Value, len(e.Args))}
	for i, a := range e.Args {
		sig.Args = append(sig.Args, a.Type())
		if k, ok := a.(*plan.Const); ok {
			sig.Consts[i] = &k.Value
		}
	}
	return c.values(e.T, lib.Clock, lib.Of(sig), e.Args...)
}

// values compiles a function of values to a node. Constants stay values: there is no column of a regular expression.
func (c *compiler) values(t types.Type, clock bool, fn expr.RowFunc, args ...plan.Expr) node {
	n := &valuesNode{typ: t, fn: fn, clock: clock, row: make([]value.Value, len(args))}
	for i, a := range args {
		if k, ok := a.(*plan.Const); ok {
			n.row[i] = k.Value
			continue
		}
		n.args = append(n.args, c.expr(a))
		n.types = append(n.types, a.Type())
		n.at = append(n.at, i)
	}
	if clock {
		n.row = append(n.row, value.Value{})
	}
	return n
}

// valuesNode computes a function row by row. It is the way of whatever has no loop over columns of its own. row holds
// the arguments of the row in hand; those that are constants are there from the start, and argument k of args has its
// place at[k] in it.
type valuesNode struct {
	typ   types.Type
	types []types.Type
	args  []node
	at    []int
	fn    expr.RowFunc
	clock bool
	row   []value.Value
	cols  []*vec
	out   vec
}

func (n *valuesNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	n.cols = n.cols[:0]
	for _, a := range n.args {
		var v *vec
		v, s = a.eval(r, d, s)
		n.cols = append(n.cols, v)
	}
	return r.rows(&n.out, n.typ, d, s, func(i int) (value.Value, error) {
		for k, v := range n.cols {
			n.row[n.at[k]] = batch.ValueAt(&v.Col, n.types[k], i)
		}
		if n.clock {
			n.row[len(n.row)-1] = value.OfTime(r.now)
		}
		return n.fn(n.row)
	})
}

// rows fills a column of type t by calling fn for each row. An error of fn is an *expr.Error.
func (r *run) rows(out *vec, t types.Type, d *domain, s []int32, fn func(i int) (value.Value, error)) (*vec, []int32) {
	w := newFiller(t)
	var fails, faults []int32
	for _, i := range d.list(r, s) {
		v, err := fn(int(i))
		if err == nil {
			w.at(int(i)).Append(v)
			if w.b.Full() {
				r.full = true
				break
			}
			continue
		}
		e, ok := err.(*expr.Error)
		if !ok {
			bug.Panicf("exec/kernel: a function returned %T (%v), which is no *expr.Error", err, err)
		}
		if e.Fault {
			faults = append(faults, i)
		} else {
			fails = append(fails, i)
		}
	}
	s = r.failed(d, r.failed(d, s, fails, false), faults, true)
	return out.view(w.finish(d.n)), s
}

// composite compiles what looks into lists and maps or makes them.
func (c *compiler) composite(e plan.Expr) node {
	switch e := e.(type) {
	case *plan.MakeList:
		return c.values(e.T, false, func(args []value.Value) (value.Value, error) {
			return value.OfList(append([]value.Value(nil), args...)), nil
		}, e.Elems...)
	case *plan.MakeMap:
		var entries []plan.Expr
		for i, k := range e.Keys {
			entries = append(entries, k, e.Elems[i])
		}
		return c.values(e.T, false, func(args []value.Value) (value.Value, error) {
			m := value.NewMap(nil, nil)
			for i := 0; i < len(args); i += 2 {
				m.SetEntry(args[i], args[i+1])
			}
			return m, nil
		}, entries...)
	case *plan.Index:
		if _, ok := types.Bare(e.Operand.Type()).(*types.Map); ok {
			return c.values(e.T, false, func(args []value.Value) (value.Value, error) {
				v, _ := args[0].Lookup(args[1])
				return v, nil
			}, e.Operand, e.Key)
		}
		return &indexNode{typ: e.T, operand: c.expr(e.Operand), key: c.expr(e.Key)}
	default:
		bug.Panicf("exec/kernel: unhandled expression %T", e)
		return nil
	}
}

// indexNode reads an element of a list.
type indexNode struct {
	typ          types.Type
	operand, key node
	out          vec
}

func (n *indexNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	k, s := n.key.eval(r, d, s)
	bad := r.bad[:0]
	elems := make([]int32, d.n)
	some := int32(-1)
	for _, i := range d.list(r, s) {
		lo, hi := v.Offs[i], v.Offs[i+1]
		if x := k.Int[i]; x < 0 || x >= int64(hi-lo) {
			bad = append(bad, i)
		} else {
			some = int32(lo) + int32(x)
			elems[i] = some
		}
	}
	r.bad = bad
	s = r.failed(d, s, bad, false)
	if some < 0 {
		return n.out.view(newFiller(n.typ).finish(d.n)), s
	}
	if lo := v.Offs[0]; lo > 0 && d.count(s) < d.n {
		// Element 0, which the rows that nobody looks at have got, may lie outside of a column that was cut.
		s = d.list(r, s)
		all := make([]int32, d.n)
		for i := range all {
			all[i] = some
		}
		elems = put(all, elems, s)
	}
	return n.out.view(batch.Gather(v.Sub[0], elems), v), s
}

// callFn compiles a call of a function of the program. A function that is a single expression is put in place of the
// call, with its parameters in slots of their own; any other is run by exec/expr.
func (c *compiler) callFn(e *plan.CallFn) node {
	fn := &c.env.funcs[e.Index]
	const most = 500 // nodes, so that functions of functions do not grow without bounds
	size := 0
	plan.Visitor{Expr: func(plan.Expr) bool { size++; return true }}.Walk(fn.Value)
	if fn.Value == nil || c.inline+size > most {
		return c.callRow(e)
	}
	c.inline += size
	n := &letNode{args: c.exprs(e.Args)}
	base := c.locals
	c.locals += max(fn.Locals, len(fn.Params))
	for i, t := range fn.Params {
		n.sets = append(n.sets, setLocal{slot: base + i, typ: t})
		c.set(base + i)
	}
	n.body = c.expr(moved(fn.Value, base))
	return n
}

// moved returns an expression with its slots moved up.
func moved(e plan.Expr, by int) plan.Expr {
	return plan.Rewriter{Expr: func(e plan.Expr) plan.Expr {
		switch e := e.(type) {
		case *plan.Local:
			out := *e
			out.Slot += by
			return &out
		case *plan.Comp:
			out := *e
			out.Slot += by
			return &out
		case *plan.Try:
			if e.Slot >= 0 {
				out := *e
				out.Slot += by
				return &out
			}
		case *plan.OrExit:
			if e.Slot >= 0 {
				out := *e
				out.Slot += by
				return &out
			}
		}
		return e
	}}.Rewrite(e)
}

// callRow compiles a call that exec/expr runs: the arguments are its input.
func (c *compiler) callRow(e *plan.CallFn) node {
	call := *e
	call.Args = make([]plan.Expr, len(e.Args))
	for i, a := range e.Args {
		call.Args[i] = &plan.Input{X: plan.X{T: a.Type(), At: a.Origin()}, Field: i}
	}
	return c.rowExpr(&call, e.Args)
}

// bridge compiles an expression that exec/expr evaluates as a whole. What it reads from outside becomes its input.
func (c *compiler) bridge(e plan.Expr) node {
	own := map[int]bool{} // slots that the expression sets itself
	plan.Visitor{Expr: func(e plan.Expr) bool {
		switch e := e.(type) {
		case *plan.Comp:
			own[e.Slot] = true
		case *plan.Try:
			own[e.Slot] = true
		case *plan.OrExit:
			c.no() // A way out of the flow leads to statements, which are columns' business.
		}
		return true
	}}.Walk(e)
	var args []plan.Expr
	read := func(e plan.Expr) plan.Expr {
		args = append(args, e)
		return &plan.Input{X: plan.X{T: e.Type(), At: e.Origin()}, Field: len(args) - 1}
	}
	whole := plan.Rewriter{Expr: func(e plan.Expr) plan.Expr {
		if _, ok := c.src.leaf(e); ok {
			return read(e)
		}
		if l, ok := e.(*plan.Local); ok && !own[l.Slot] {
			return read(e)
		}
		return e
	}}.Rewrite(e)
	if c.failed {
		return nil
	}
	return c.rowExpr(whole, args)
}

// rowExpr compiles an expression over arguments for exec/expr.
func (c *compiler) rowExpr(e plan.Expr, args []plan.Expr) node {
	n := &rowNode{typ: e.Type(), args: c.exprs(args), expr: expr.CompileExpr(c.env.rows, e)}
	for _, a := range args {
		n.types = append(n.types, a.Type())
	}
	return n
}

// rowNode evaluates an expression by exec/expr.
type rowNode struct {
	typ   types.Type
	types []types.Type
	args  []node
	expr  *expr.Expr
	frame expr.Frame
	cols  []*vec
	out   vec
}

func (n *rowNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	n.cols = n.cols[:0]
	for _, a := range n.args {
		var v *vec
		v, s = a.eval(r, d, s)
		n.cols = append(n.cols, v)
	}
	n.frame.Now = r.now
	return r.rows(&n.out, n.typ, d, s, func(i int) (value.Value, error) {
		n.frame.Input = n.frame.Input[:0]
		for k, v := range n.cols {
			n.frame.Input = append(n.frame.Input, batch.ValueAt(&v.Col, n.types[k], i))
		}
		v, err := n.expr.Eval(&n.frame)
		if err != nil {
			return v, err // as an error, which a nil *expr.Error must not become
		}
		return v, nil
	})
}
