package kernel

import (
	"bytes"
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// compare compiles a comparison. Greater is less with the sides exchanged, and equality looks at the bytes of strings
// only where their lengths agree.
func (c *compiler) compare(e *plan.Binary) node {
	t := e.Left.Type()
	left, right := c.expr(e.Left), c.expr(e.Right)
	n := &compareNode{left: left, right: right, op: e.Op, lt: t, rt: e.Right.Type()}
	if types.IsOptional(t) || types.IsOptional(n.rt) {
		return n
	}
	n.kind = batch.KindOf(t)
	if batch.KindOf(n.rt) != n.kind {
		n.kind = batch.KindNone
	}
	return n
}

// compareNode compares two columns. Kinds without a loop of their own go by values; kind is KindNone then.
type compareNode struct {
	op          plan.Op
	kind        batch.Kind
	lt, rt      types.Type
	left, right node
	out         vec
}

func (n *compareNode) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.left.eval(r, d, s)
	w, s := n.right.eval(r, d, s)
	out := n.out.start().bools(d.n)
	switch n.kind {
	case batch.KindInt:
		compareNumbers(n.op, out, v.Int, w.Int, s)
	case batch.KindFloat:
		compareNumbers(n.op, out, v.Float, w.Float, s)
	case batch.KindStr:
		compareStrings(n.op, out, v, w, d.list(r, s))
	default:
		n.values(out, v, w, d.list(r, s))
	}
	return &n.out, s
}

func compareNumbers[T int64 | float64](op plan.Op, out []bool, a, b []T, s []int32) {
	a, b = a[:len(out)], b[:len(out)]
	switch op {
	case plan.Gt:
		a, b, op = b, a, plan.Lt
	case plan.Ge:
		a, b, op = b, a, plan.Le
	}
	switch {
	case op == plan.Lt && s == nil:
		for i := range out {
			out[i] = a[i] < b[i]
		}
	case op == plan.Lt:
		for _, i := range s {
			out[i] = a[i] < b[i]
		}
	case op == plan.Le && s == nil:
		for i := range out {
			out[i] = a[i] <= b[i]
		}
	case op == plan.Le:
		for _, i := range s {
			out[i] = a[i] <= b[i]
		}
	case s == nil:
		ne := op == plan.Ne
		for i := range out {
			out[i] = (a[i] == b[i]) != ne
		}
	default:
		ne := op == plan.Ne
		for _, i := range s {
			out[i] = (a[i] == b[i]) != ne
		}
	}
}

func compareStrings(op plan.Op, out []bool, v, w *vec, s []int32) {
	if op == plan.Eq || op == plan.Ne {
		ne := op == plan.Ne
		for _, i := range s {
			x, y := v.Str[i], w.Str[i]
			same := x.Len == y.Len && string(v.Data[x.Off:x.Off+x.Len]) == string(w.Data[y.Off:y.Off+y.Len])
			out[i] = same != ne
		}
		return
	}
	for _, i := range s {
		out[i] = holds(op, bytes.Compare(v.Bytes(int(i)), w.Bytes(int(i))))
	}
}

// holds reports whether an operator holds for the order of two values.
func holds(op plan.Op, order int) bool {
	switch op {
	case plan.Eq:
		return order == 0
	case plan.Ne:
		return order != 0
	case plan.Lt:
		return order < 0
	case plan.Le:
		return order <= 0
	case plan.Gt:
		return order > 0
	default:
		return order >= 0
	}
}

func (n *compareNode) values(out []bool, v, w *vec, s []int32) {
	if types.Equal(n.lt, n.rt) {
		for _, i := range s {
			out[i] = holds(n.op, batch.Compare(&v.Col, int(i), &w.Col, int(i), n.lt))
		}
		return
	}
	for _, i := range s {
		x, y := batch.ValueAt(&v.Col, n.lt, int(i)), batch.ValueAt(&w.Col, n.rt, int(i))
		out[i] = holds(n.op, value.Compare(x, y))
	}
}

// in compiles `element in list` and `key in map`. Lists of constants are searched without making values.
func (c *compiler) in(e *plan.Binary) node {
	all, ok := constants(e.Right)
	if !ok || types.IsOptional(e.Left.Type()) {
		return c.inAny(e)
	}
	switch batch.KindOf(e.Left.Type()) {
	case batch.KindInt:
		n := &inInts{operand: c.expr(e.Left)}
		for _, v := range all {
			n.all = append(n.all, v.Int())
		}
		return n
	case batch.KindStr:
		return inTexts(c.expr(e.Left), all)
	}
	return c.inAny(e)
}

func inTexts(operand node, all []value.Value) node {
	few, many := &inStrings{operand: operand}, &inMap{operand: operand, all: map[string]bool{}}
	long := len(all) > 8
	for _, v := range all {
		text := []byte(v.Str())
		many.all[v.Str()] = true
		if long = long || len(text) > 16; !long {
			a, b := batch.Short(text, 0, uint32(len(text)))
			few.all = append(few.all, shortText{a, b, uint32(len(text))})
		}
	}
	if long {
		return many
	}
	return few
}

func (c *compiler) inAny(e *plan.Binary) node {
	_, isMap := types.Bare(e.Right.Type()).(*types.Map)
	return c.values(e.T, false, func(args []value.Value) (value.Value, error) {
		if isMap {
			_, ok := args[1].Lookup(args[0])
			return value.OfBool(ok), nil
		}
		return value.OfBool(slices.ContainsFunc(args[1].Elems(), func(v value.Value) bool {
			return value.Equal(v, args[0])
		})), nil
	}, e.Left, e.Right)
}

// constants returns the elements of a list of constants that are not none.
func constants(e plan.Expr) ([]value.Value, bool) {
	if t, ok := e.Type().(*types.List); !ok || types.IsOptional(t.Elem) {
		return nil, false
	}
	switch e := e.(type) {
	case *plan.Const:
		return e.Value.Elems(), true
	case *plan.MakeList:
		var out []value.Value
		for _, x := range e.Elems {
			k, ok := x.(*plan.Const)
			if !ok {
				return nil, false
			}
			out = append(out, k.Value)
		}
		return out, true
	}
	return nil, false
}

type inInts struct {
	operand node
	all     []int64
	out     vec
}

func (n *inInts) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := n.out.start().bools(d.n)
	for _, i := range d.list(r, s) {
		out[i] = slices.Contains(n.all, v.Int[i])
	}
	return &n.out, s
}

// inStrings looks for a string among a few of at most 16 bytes, which are compared as two words each: without a branch,
// since nobody can foretell which one it is.
type inStrings struct {
	operand node
	all     []shortText
	out     vec
}

// shortText is a string of at most 16 bytes; see batch.Short.
type shortText struct {
	a, b uint64
	n    uint32
}

func (n *inStrings) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := n.out.start().bools(d.n)
	for _, i := range d.list(r, s) {
		x := v.Str[i]
		a, b := batch.Short(v.Data, x.Off, min(x.Len, 16))
		found := 0
		for _, one := range n.all {
			found |= bit(one.a^a|one.b^b|uint64(one.n^x.Len) == 0)
		}
		out[i] = found != 0
	}
	return &n.out, s
}

// inMap looks for a string among many, or long ones.
type inMap struct {
	operand node
	all     map[string]bool
	out     vec
}

func (n *inMap) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := n.out.start().bools(d.n)
	for _, i := range d.list(r, s) {
		out[i] = n.all[string(v.Bytes(int(i)))]
	}
	return &n.out, s
}
