package kernel

import (
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// inputNode reads a column of the input.
type inputNode struct{ field int }

func (n *inputNode) eval(r *run, d *domain, s []int32) (*vec, []int32) { return d.input(r, n.field), s }

// localNode reads a slot.
type localNode struct{ slot int }

func (n *localNode) eval(_ *run, d *domain, s []int32) (*vec, []int32) { return d.local(n.slot), s }

// constNode is a constant. Its column is made once, as long as the longest domain, and never changed; results share it.
type constNode struct {
	typ   types.Type
	value value.Value
	n     int
	col   *vec
}

func newConst(e *plan.Const) node { return &constNode{typ: e.T, value: e.Value} }

func (n *constNode) eval(_ *run, d *domain, s []int32) (*vec, []int32) {
	if n.col == nil || n.n < d.n {
		n.n = max(d.n, 2*n.n)
		n.col = &vec{Col: constant(n.typ, n.value, n.n), foreign: true}
	}
	return n.col, s
}

// constant returns a column of n equal values; strings share their bytes.
func constant(t types.Type, v value.Value, n int) batch.Col {
	b := batch.NewColBuilder(t)
	if batch.KindOf(t) == batch.KindNone {
		for range n {
			b.AppendNone()
		}
		return b.Take()
	}
	b.Append(v)
	one := b.Take()
	return batch.Gather(one, make([]int32, n))
}

type notNode struct {
	operand node
	out     vec
}

func (n *notNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := n.out.start().bools(d.n)
	if s == nil {
		for i, b := range v.Bool[:d.n] {
			out[i] = !b
		}
	}
	for _, i := range s {
		out[i] = !v.Bool[i]
	}
	return &n.out, s
}

// logicNode is && or ||; the right side is computed for the rows that it decides.
type logicNode struct {
	or          bool
	left, right node
	out         vec
}

func (n *logicNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.left.eval(r, d, s)
	decided, open := r.split(d, s, v.Bool)
	if !n.or {
		decided, open = open, decided
	}
	if d.count(open) == 0 {
		return v, s
	}
	w, open := n.right.eval(r, d, open)
	if d.count(decided) == 0 {
		return w, open
	}
	out := n.out.start().bools(d.n)
	put(out, v.Bool, decided)
	put(out, w.Bool, open)
	return &n.out, r.union(d, decided, open)
}

type ifNode struct {
	typ               types.Type
	cond, then, other node
	out               vec
}

func (n *ifNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.cond.eval(r, d, s)
	yes, no := r.split(d, s, v.Bool)
	if d.count(no) == 0 {
		return n.then.eval(r, d, yes)
	}
	if d.count(yes) == 0 {
		return n.other.eval(r, d, no)
	}
	a, yes := n.then.eval(r, d, yes)
	b, no := n.other.eval(r, d, no)
	return r.merge(&n.out, d, n.typ, a, yes, b, no), r.union(d, yes, no)
}

// coalesceNode is an optional with a value for where there is none.
type coalesceNode struct {
	typ            types.Type
	operand, other node
	out, bare      vec
}

func (n *coalesceNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	if v.Valid == nil {
		return v, s
	}
	has, no := r.split(d, s, v.Valid)
	if !batch.IsOptional(n.typ) {
		v = bare(&n.bare, v)
	}
	if d.count(no) == 0 {
		return v, s
	}
	w, no := n.other.eval(r, d, no)
	return r.merge(&n.out, d, n.typ, v, has, w, no), r.union(d, has, no)
}

// bare returns the column of an optional type as one of the type that it is an option of.
func bare(out, v *vec) *vec {
	if v.Valid == nil {
		return v
	}
	col := v.Col
	col.Valid = nil
	return out.view(col, v)
}

// try evaluates an operand; it returns the rows that have a value, and those that failed.
func (r *run) try(operand node, d *domain, s []int32) (v *vec, ok, failed []int32) {
	outer, was := r.catch, r.catching
	r.catch, r.catching = []int32{}, true // nil would be all rows
	v, ok = operand.eval(r, d, s)
	failed = r.catch
	r.catch, r.catching = outer, was
	// Different operators of the operand may have failed, each for rows of its own.
	slices.Sort(failed)
	return v, ok, failed
}

// tryNode is `operand else other`. Where the other side reads the error, failed rows are done again by exec/expr.
type tryNode struct {
	typ            types.Type
	operand, other node
	bySlot         bool
	out            vec
}

func (n *tryNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, ok, failed := r.try(n.operand, d, s)
	if len(failed) == 0 {
		return v, ok
	}
	if n.bySlot {
		for _, i := range failed {
			r.again(d, i)
		}
		return v, ok
	}
	w, failed := n.other.eval(r, d, failed)
	return r.merge(&n.out, d, n.typ, v, ok, w, failed), r.union(d, ok, failed)
}

// exitNode is `operand else` and a way out of the flow.
type exitNode struct {
	optional bool
	operand  node
	exit     []stmt
	bySlot   bool
	out      vec
}

func (n *exitNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, ok, failed := r.try(n.operand, d, s)
	if n.optional && v.Valid != nil {
		has, no := r.split(d, ok, v.Valid)
		if d.count(no) > 0 {
			ok, failed = has, r.union(d, failed, d.list(r, no))
		}
		v = bare(&n.out, v)
	}
	if d.count(failed) == 0 {
		return v, ok
	}
	if n.bySlot {
		againStmt{}.exec(r, d, failed)
		return v, ok
	}
	r.exec(n.exit, d, failed)
	return v, ok
}

// memberNode reads a field of a record.
type memberNode struct {
	operand  node
	field    int
	typ      types.Type
	optional bool
	out      vec
}

func (n *memberNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	col := v.Sub[n.field]
	if !n.optional || v.Valid == nil {
		return n.out.view(col, v), s
	}
	// No value of the record, no value of the field.
	valid := make([]bool, d.n)
	if s == nil {
		for i := range valid {
			valid[i] = v.Valid[i] && col.Has(i)
		}
	}
	for _, i := range s {
		valid[i] = v.Valid[i] && col.Has(int(i))
	}
	col.Valid = valid
	return n.out.view(col, v), s
}

// recordNode makes a record of its fields.
type recordNode struct {
	fields []node
	out    vec
}

func (n *recordNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	n.out.start()
	n.out.foreign = true
	n.out.Sub = make([]batch.Col, len(n.fields))
	for i, f := range n.fields {
		var v *vec
		v, s = f.eval(r, d, s)
		n.out.Sub[i] = v.Col
		n.out.deps = append(n.out.deps, v)
	}
	return &n.out, s
}

// letNode puts arguments into slots and evaluates the body of a function.
type letNode struct {
	args []node
	sets []setLocal
	body node
}

func (n *letNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	for i, a := range n.args {
		var v *vec
		v, s = a.eval(r, d, s)
		r.setLocal(&n.sets[i].out, d, &n.sets[i], v, s)
	}
	return n.body.eval(r, d, s)
}
