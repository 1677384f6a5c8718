package kernel

import (
	"math"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// intOp is checked arithmetic of ints, times and durations. The loops compute all rows and gather, without a branch,
// whether any overflowed; only then the rows are looked for.
type intOp struct {
	op          plan.Op
	left, right node
	out         vec
}

func (n *intOp) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.left.eval(r, d, s)
	w, s := n.right.eval(r, d, s)
	out := n.out.start().ints(d.n)
	a, b := v.Int[:d.n], w.Int[:d.n]
	bad := false
	switch n.op {
	case plan.Add:
		bad = addInts(out, a, b, s)
	case plan.Sub:
		bad = subInts(out, a, b, s)
	case plan.Mul:
		bad = mulInts(out, a, b, s)
	case plan.Div:
		return &n.out, n.divide(r, d, s, a, b, value.DivInt)
	case plan.Mod:
		return &n.out, n.divide(r, d, s, a, b, value.ModInt)
	default:
		bug.Panicf("exec/kernel: operator %d does not compute", n.op)
	}
	if bad {
		s = n.overflown(r, d, s, a, b)
	}
	return &n.out, s
}

func addInts(out, a, b []int64, s []int32) bool {
	over := int64(0)
	if s == nil {
		for i := range out {
			x, y := a[i], b[i]
			z := x + y
			out[i] = z
			over |= (x ^ z) & (y ^ z)
		}
	}
	for _, i := range s {
		x, y := a[i], b[i]
		z := x + y
		out[i] = z
		over |= (x ^ z) & (y ^ z)
	}
	return over < 0
}

func subInts(out, a, b []int64, s []int32) bool {
	over := int64(0)
	if s == nil {
		for i := range out {
			x, y := a[i], b[i]
			z := x - y
			out[i] = z
			over |= (x ^ y) & (x ^ z)
		}
	}
	for _, i := range s {
		x, y := a[i], b[i]
		z := x - y
		out[i] = z
		over |= (x ^ y) & (x ^ z)
	}
	return over < 0
}

func mulInts(out, a, b []int64, s []int32) bool {
	bad := value.OK
	if s == nil {
		for i := range out {
			z, e := value.MulInt(a[i], b[i])
			out[i] = z
			bad |= e
		}
	}
	for _, i := range s {
		z, e := value.MulInt(a[i], b[i])
		out[i] = z
		bad |= e
	}
	return bad != value.OK
}

// overflown takes the rows out whose sum, difference or product overflowed.
func (n *intOp) overflown(r *run, d *domain, s []int32, a, b []int64) []int32 {
	op := value.AddInt
	switch n.op {
	case plan.Sub:
		op = value.SubInt
	case plan.Mul:
		op = value.MulInt
	}
	bad := r.bad[:0]
	for _, i := range d.list(r, s) {
		if _, e := op(a[i], b[i]); e != value.OK {
			bad = append(bad, i)
		}
	}
	r.bad = bad
	return r.failed(d, s, bad, true)
}

// divide computes a division, which can fail as well as fault.
func (n *intOp) divide(r *run, d *domain, s []int32, a, b []int64, op func(a, b int64) (int64, value.Err)) []int32 {
	fails, faults := r.bad[:0], []int32(nil)
	one := func(i int32) {
		z, e := op(a[i], b[i])
		n.out.Int[i] = z
		if e == value.DivByZero {
			fails = append(fails, i)
		} else if e != value.OK {
			faults = append(faults, i)
		}
	}
	if s == nil {
		for i := range int32(d.n) {
			one(i)
		}
	}
	for _, i := range s {
		one(i)
	}
	r.bad = fails
	s = r.failed(d, s, fails, false)
	return r.failed(d, s, faults, true)
}

// floatOp is arithmetic of floats. A result that is not finite is a fault: x - x is 0 for finite x and else NaN, which
// makes the sum of all of them tell whether there is one.
type floatOp struct {
	op          plan.Op
	left, right node
	out         vec
}

func (n *floatOp) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.left.eval(r, d, s)
	w, s := n.right.eval(r, d, s)
	out := n.out.start().floats(d.n)
	a, b := v.Float[:d.n], w.Float[:d.n]
	sum := 0.0
	switch n.op {
	case plan.Add:
		if s == nil {
			for i := range out {
				z := a[i] + b[i]
				out[i] = z
				sum += z - z
			}
		}
		for _, i := range s {
			z := a[i] + b[i]
			out[i] = z
			sum += z - z
		}
	case plan.Sub:
		if s == nil {
			for i := range out {
				z := a[i] - b[i]
				out[i] = z
				sum += z - z
			}
		}
		for _, i := range s {
			z := a[i] - b[i]
			out[i] = z
			sum += z - z
		}
	case plan.Mul:
		if s == nil {
			for i := range out {
				z := a[i] * b[i]
				out[i] = z
				sum += z - z
			}
		}
		for _, i := range s {
			z := a[i] * b[i]
			out[i] = z
			sum += z - z
		}
	case plan.Div:
		for _, i := range d.list(r, s) {
			z := a[i] / b[i]
			out[i] = z
			sum += z - z
		}
	default:
		bug.Panicf("exec/kernel: operator %d does not compute", n.op)
	}
	if sum != 0 { // true for NaN
		s = r.finite(d, s, out)
	}
	return &n.out, s
}

// finite takes the rows out that are not finite.
func (r *run) finite(d *domain, s []int32, x []float64) []int32 {
	bad := r.bad[:0]
	for _, i := range d.list(r, s) {
		if math.IsInf(x[i], 0) || math.IsNaN(x[i]) {
			bad = append(bad, i)
		}
	}
	r.bad = bad
	return r.failed(d, s, bad, true)
}

type negInt struct {
	operand node
	out     vec
}

func (n *negInt) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := n.out.start().ints(d.n)
	bad := r.bad[:0]
	for _, i := range d.list(r, s) {
		z, e := value.NegInt(v.Int[i])
		out[i] = z
		if e != value.OK {
			bad = append(bad, i)
		}
	}
	r.bad = bad
	return &n.out, r.failed(d, s, bad, true)
}

type negFloat struct {
	operand node
	out     vec
}

func (n *negFloat) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.operand.eval(r, d, s)
	out := n.out.start().floats(d.n)
	for _, i := range d.list(r, s) {
		out[i] = -v.Float[i]
	}
	return &n.out, s
}

// valueOp is arithmetic that is too rare for loops of its own: it goes by values.
type valueOp struct {
	op          plan.Op
	typ, lt, rt types.Type
	left, right node
	out         vec
}

func (n *valueOp) eval(r *run, d *domain, s []int32) (*vec, []int32) {
	v, s := n.left.eval(r, d, s)
	w, s := n.right.eval(r, d, s)
	op := map[plan.Op]func(a, b value.Value) (value.Value, value.Err){
		plan.Add: value.Add, plan.Sub: value.Sub, plan.Mul: value.Mul, plan.Div: value.Div, plan.Mod: value.Mod,
	}[n.op]
	out := newFiller(n.typ)
	var fails, faults []int32
	for _, i := range d.list(r, s) {
		z, e := op(batch.ValueAt(&v.Col, n.lt, int(i)), batch.ValueAt(&w.Col, n.rt, int(i)))
		switch {
		case e == value.OK:
			out.at(int(i)).Append(z)
		case e.Fault():
			faults = append(faults, i)
		default:
			fails = append(fails, i)
		}
	}
	s = r.failed(d, r.failed(d, s, fails, false), faults, true)
	return n.out.view(out.finish(d.n)), s
}
