package kernel

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
)

// node computes a column. eval is given the rows s of d that need a value and returns the column, and the rows that
// have one; the others have been taken out (run.failed). It is called at most once in a run.
type node interface {
	eval(r *run, d *domain, s []int32) (*vec, []int32)
}

// compiler turns a body, or a number of expressions, into nodes.
type compiler struct {
	env    *Env
	src    *source
	outs   []plan.Out
	locals int          // slots, those of functions that were put in place included
	types  []types.Type // of the slots, as far as the body lists them
	names  []string     // of drops
	sites  []site       // by output: where it is emitted to
	failed bool         // the body needs exec/expr as a whole
	inline int          // nodes made of functions' bodies

	// loop is the loop whose body is being compiled, with its number; 0 is outside of all. depthOf tells for each slot
	// that is in scope in which loop it was set first.
	loop, loops int
	depthOf     map[int]int
}

// site is where an output is emitted to, as far as it matters for order.
type site struct{ seen, unanchored, loop int }

// no notes that no column program does what the body does.
func (c *compiler) no() node {
	c.failed = true
	return nil
}

func (c *compiler) exprs(es []plan.Expr) []node {
	out := make([]node, len(es))
	for i, e := range es {
		out[i] = c.expr(e)
	}
	return out
}

// expr compiles an expression.
func (c *compiler) expr(e plan.Expr) node {
	if col, ok := c.src.leaf(e); ok {
		return &inputNode{col}
	}
	switch e := e.(type) {
	case *plan.Const:
		return newConst(e)
	case *plan.Local:
		return &localNode{e.Slot}
	case *plan.Unary:
		return c.unary(e)
	case *plan.Binary:
		return c.binary(e)
	case *plan.If:
		return &ifNode{typ: e.T, cond: c.expr(e.Cond), then: c.expr(e.Then), other: c.expr(e.Else)}
	case *plan.Coalesce:
		return &coalesceNode{typ: e.T, operand: c.expr(e.Operand), other: c.expr(e.Else)}
	case *plan.Try:
		n := &tryNode{typ: e.T, operand: c.expr(e.Operand), bySlot: e.Slot >= 0}
		if !n.bySlot {
			n.other = c.expr(e.Else)
		}
		return n
	case *plan.OrExit:
		n := &exitNode{optional: e.Optional, operand: c.expr(e.Operand), bySlot: e.Slot >= 0}
		if !n.bySlot {
			n.exit = c.stmts(e.Exit)
		}
		return n
	case *plan.Member:
		return c.member(e)
	case *plan.MakeRecord:
		return &recordNode{fields: c.exprs(e.Fields)}
	case *plan.Interp:
		return &interpNode{parts: c.exprs(e.Parts)}
	case *plan.Convert:
		return c.convert(e)
	case *plan.Call:
		return c.call(e)
	case *plan.CallFn:
		return c.callFn(e)
	case *plan.Index, *plan.MakeList, *plan.MakeMap:
		return c.composite(e)
	case *plan.Comp:
		return c.bridge(e)
	default:
		bug.Panicf("exec/kernel: unhandled expression %T", e)
		return nil
	}
}

func (c *compiler) unary(e *plan.Unary) node {
	operand := c.expr(e.Operand)
	switch {
	case e.Op == plan.Not:
		return &notNode{operand: operand}
	case e.T == types.Float:
		return &negFloat{operand: operand}
	default:
		return &negInt{operand: operand}
	}
}

func (c *compiler) binary(e *plan.Binary) node {
	switch e.Op {
	case plan.And, plan.Or:
		return &logicNode{or: e.Op == plan.Or, left: c.expr(e.Left), right: c.expr(e.Right)}
	case plan.In:
		return c.in(e)
	case plan.Eq, plan.Ne, plan.Lt, plan.Le, plan.Gt, plan.Ge:
		return c.compare(e)
	}
	l, r := e.Left.Type(), e.Right.Type()
	kl, kr := batch.KindOf(l), batch.KindOf(r)
	left, right := c.expr(e.Left), c.expr(e.Right)
	switch {
	case kl == batch.KindFloat && kr == batch.KindFloat && e.Op != plan.Mod:
		return &floatOp{op: e.Op, left: left, right: right}
	case kl == batch.KindInt && kr == batch.KindInt && batch.KindOf(e.T) == batch.KindInt:
		return &intOp{op: e.Op, left: left, right: right}
	default: // a duration and a float; the rest of floats
		return &valueOp{op: e.Op, typ: e.T, lt: l, rt: r, left: left, right: right}
	}
}

func (c *compiler) member(e *plan.Member) node {
	return &memberNode{operand: c.expr(e.Operand), field: e.Field, typ: e.T, optional: e.Optional}
}

// stmts compiles statements that follow each other in one scope.
func (c *compiler) stmts(list []plan.Stmt) []stmt {
	scope := c.depthOf
	c.depthOf = cloned(scope)
	out := make([]stmt, 0, len(list))
	for _, s := range list {
		out = append(out, c.stmt(s))
	}
	c.depthOf = scope
	return out
}

func cloned(m map[int]int) map[int]int {
	out := make(map[int]int, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func (c *compiler) stmt(s plan.Stmt) stmt {
	switch s := s.(type) {
	case *plan.SetLocal:
		st := &setLocal{slot: s.Slot, typ: s.Value.Type(), value: c.expr(s.Value)}
		c.set(s.Slot)
		return st
	case *plan.Emit:
		return c.emit(s)
	case *plan.IfStmt:
		return &ifStmt{cond: c.expr(s.Cond), then: c.stmts(s.Then), other: c.stmts(s.Else)}
	case *plan.For:
		return c.forStmt(s)
	case *plan.Drop:
		at := slices.Index(c.names, s.Name)
		if at < 0 {
			at = len(c.names)
			c.names = append(c.names, s.Name)
		}
		return &dropStmt{name: at}
	case *plan.Fail:
		return &againStmt{} // exec/expr makes the message.
	case *plan.Return:
		if c.loop > 0 || s.Value != nil {
			c.no()
		}
		return &leaveStmt{}
	case *plan.Continue:
		return &leaveStmt{}
	case *plan.Break, *plan.SetState, *plan.SetIndex:
		c.no()
		return &leaveStmt{}
	default:
		bug.Panicf("exec/kernel: unhandled statement %T", s)
		return nil
	}
}

// set notes that a slot is set here. A slot of a loop around must not be: elements would depend on each other.
func (c *compiler) set(slot int) {
	if at, ok := c.depthOf[slot]; ok && at != c.loop {
		c.no()
	}
	c.depthOf[slot] = c.loop
}

func (c *compiler) emit(s *plan.Emit) stmt {
	for len(c.sites) < len(c.outs) {
		c.sites = append(c.sites, site{})
	}
	un := int(bit(s.Unanchored))
	if at := &c.sites[s.Output]; at.seen == 0 {
		*at = site{1, un, c.loop}
	} else if at.unanchored != un || at.loop != c.loop {
		c.no() // The order of rows would have to be found between loops, or the batch cut at each change.
	}
	st := &emitStmt{output: s.Output, unanchored: s.Unanchored, fields: c.exprs(s.Fields), layout: c.outs[s.Output].Layout}
	for i, f := range st.layout.Fields {
		if grows(f.Type) {
			st.big = append(st.big, i)
		}
	}
	return st
}

// grows reports whether values of a type can be of any size although each string in them is within the limit.
func grows(t types.Type) bool {
	return types.Has(t, func(t types.Type) bool {
		switch t.(type) {
		case *types.List, *types.Map:
			return true
		}
		return false
	})
}

func (c *compiler) forStmt(s *plan.For) stmt {
	st := &forStmt{slot: s.Slot, slot2: s.Slot2, in: c.expr(s.In)}
	switch t := batch.Elem(s.In.Type()).(type) {
	case *types.List:
	case *types.Map:
		st.isMap = true
	default:
		bug.Panicf("exec/kernel: a loop over %s", t)
	}
	outer, scope := c.loop, c.depthOf
	c.loops++
	c.loop, c.depthOf = c.loops, cloned(scope)
	delete(c.depthOf, s.Slot)
	delete(c.depthOf, s.Slot2)
	c.set(s.Slot)
	if s.Slot2 >= 0 {
		c.set(s.Slot2)
	}
	st.body = c.stmts(s.Body)
	c.loop, c.depthOf = outer, scope
	return st
}
