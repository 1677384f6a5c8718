package expr

import (
	"fmt"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

func (c *compiler) unary(e *plan.Unary) eval {
	if e.Op == plan.Not {
		return boxed(c.cond(e))
	}
	operand, at := c.expr(e.Operand), e.At
	return func(f *Frame) (value.Value, *Error) {
		v, err := operand(f)
		if err != nil {
			return value.Value{}, err
		}
		n, why := value.Neg(v)
		if why != value.OK {
			return value.Value{}, &Error{
				Code: codeOf(why), Message: fmt.Sprintf("-(%v): %v", v, why), Place: at, Fault: why.Fault(),
			}
		}
		return n, nil
	}
}

func (c *compiler) binary(e *plan.Binary) eval {
	switch e.Op {
	case plan.Or, plan.And, plan.Eq, plan.Ne, plan.Lt, plan.Le, plan.Gt, plan.Ge, plan.In:
		return boxed(c.cond(e))
	}
	if isInt(e) {
		n := c.int(e)
		return func(f *Frame) (value.Value, *Error) {
			x, err := n(f)
			if err != nil {
				return value.Value{}, err
			}
			return value.OfInt(x), nil
		}
	}
	left, right := c.expr(e.Left), c.expr(e.Right)
	op := valueOp(e.Op)
	return func(f *Frame) (value.Value, *Error) {
		a, err := left(f)
		if err != nil {
			return value.Value{}, err
		}
		b, err := right(f)
		if err != nil {
			return value.Value{}, err
		}
		v, why := op(a, b)
		if why != value.OK {
			return value.Value{}, arithError(e.Op, a, b, why, e.At)
		}
		return v, nil
	}
}

func valueOp(op plan.Op) func(a, b value.Value) (value.Value, value.Err) {
	switch op {
	case plan.Add:
		return value.Add
	case plan.Sub:
		return value.Sub
	case plan.Mul:
		return value.Mul
	case plan.Div:
		return value.Div
	case plan.Mod:
		return value.Mod
	default:
		bug.Panicf("expr: operator %d does not compute", op)
		return nil
	}
}

// arithError returns the error of an operation that has no result.
func arithError(op plan.Op, a, b value.Value, why value.Err, at source.Span) *Error {
	signs := map[plan.Op]string{plan.Add: "+", plan.Sub: "-", plan.Mul: "*", plan.Div: "/", plan.Mod: "%"}
	return &Error{
		Code: codeOf(why), Message: fmt.Sprintf("%v %s %v: %v", a, signs[op], b, why), Place: at, Fault: why.Fault(),
	}
}

func codeOf(why value.Err) diag.Code {
	switch why {
	case value.Overflow:
		return diag.IntOverflow
	case value.NotFinite:
		return diag.NotFinite
	case value.DivByZero:
		return diag.DivisionByZero
	default:
		bug.Panicf("expr: no code for %v", why)
		return ""
	}
}

// boxed makes a value of a condition.
func boxed(test cond) eval {
	return func(f *Frame) (value.Value, *Error) {
		ok, err := test(f)
		if err != nil {
			return value.Value{}, err
		}
		return value.OfBool(ok), nil
	}
}

// cond compiles a condition; what compares or combines needs no value in between.
func (c *compiler) cond(e plan.Expr) cond {
	switch e := e.(type) {
	case *plan.Unary:
		if e.Op == plan.Not {
			test := c.cond(e.Operand)
			return func(f *Frame) (bool, *Error) {
				ok, err := test(f)
				return !ok, err
			}
		}
	case *plan.Binary:
		switch e.Op {
		case plan.Or:
			left, right := c.cond(e.Left), c.cond(e.Right)
			return func(f *Frame) (bool, *Error) {
				if ok, err := left(f); ok || err != nil {
					return ok, err
				}
				return right(f)
			}
		case plan.And:
			left, right := c.cond(e.Left), c.cond(e.Right)
			return func(f *Frame) (bool, *Error) {
				if ok, err := left(f); !ok || err != nil {
					return false, err
				}
				return right(f)
			}
		case plan.In:
			return c.in(e)
		case plan.Eq, plan.Ne, plan.Lt, plan.Le, plan.Gt, plan.Ge:
			return c.compare(e)
		}
	}
	test := c.expr(e)
	return func(f *Frame) (bool, *Error) {
		v, err := test(f)
		return v.Bool(), err
	}
}

// compare compiles a comparison. Values that are 64-bit numbers, and strings, which are nearly all, have forms of
// their own.
func (c *compiler) compare(e *plan.Binary) cond {
	t := e.Left.Type()
	same := types.Equal(t, e.Right.Type())
	if same && (t == types.Int || t == types.Time || t == types.Duration) {
		return c.compareInts(e)
	}
	holds := compareAny(e.Op)
	if same && types.IsString(t) {
		holds = compareStrings(e.Op)
	}
	left, right := c.peek(e.Left), c.peek(e.Right)
	return func(f *Frame) (bool, *Error) {
		a, err := left(f)
		if err != nil {
			return false, err
		}
		b, err := right(f)
		if err != nil {
			return false, err
		}
		return holds(a, b), nil
	}
}

func compareStrings(op plan.Op) func(a, b value.Value) bool {
	switch op {
	case plan.Eq:
		return func(a, b value.Value) bool { return a.Str() == b.Str() }
	case plan.Ne:
		return func(a, b value.Value) bool { return a.Str() != b.Str() }
	case plan.Lt:
		return func(a, b value.Value) bool { return a.Str() < b.Str() }
	case plan.Le:
		return func(a, b value.Value) bool { return a.Str() <= b.Str() }
	case plan.Gt:
		return func(a, b value.Value) bool { return a.Str() > b.Str() }
	default:
		return func(a, b value.Value) bool { return a.Str() >= b.Str() }
	}
}

func compareAny(op plan.Op) func(a, b value.Value) bool {
	switch op {
	case plan.Eq:
		return value.Equal
	case plan.Ne:
		return func(a, b value.Value) bool { return !value.Equal(a, b) }
	case plan.Lt:
		return func(a, b value.Value) bool { return value.Compare(a, b) < 0 }
	case plan.Le:
		return func(a, b value.Value) bool { return value.Compare(a, b) <= 0 }
	case plan.Gt:
		return func(a, b value.Value) bool { return value.Compare(a, b) > 0 }
	default:
		return func(a, b value.Value) bool { return value.Compare(a, b) >= 0 }
	}
}

// in compiles `element in list` and `key in map`.
func (c *compiler) in(e *plan.Binary) cond {
	left, right := c.peek(e.Left), c.peek(e.Right)
	_, isMap := types.Bare(e.Right.Type()).(*types.Map)
	return func(f *Frame) (bool, *Error) {
		x, err := left(f)
		if err != nil {
			return false, err
		}
		all, err := right(f)
		if err != nil {
			return false, err
		}
		if isMap {
			_, ok := all.Lookup(x)
			return ok, nil
		}
		for _, v := range all.Elems() {
			if value.Equal(v, x) {
				return true, nil
			}
		}
		return false, nil
	}
}
