package expr

import (
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Ints are most of what rows compute with. Sums, products and comparisons of them, and of the numbers that times and
// durations are, pass plain numbers from closure to closure; a value is made only where one is wanted.

// intEval computes an int, or the nanoseconds of a time or duration.
type intEval func(f *Frame) (int64, *Error)

// isInt reports whether e is an operation on two ints that gives an int.
func isInt(e *plan.Binary) bool {
	return e.T == types.Int && types.Bare(e.Left.Type()) == types.Int && types.Bare(e.Right.Type()) == types.Int
}

// int compiles an expression whose values are 64-bit numbers.
func (c *compiler) int(e plan.Expr) intEval {
	switch e := e.(type) {
	case *plan.Const:
		n := e.Value.Int()
		return func(*Frame) (int64, *Error) { return n, nil }
	case *plan.Input:
		i := e.Field
		return func(f *Frame) (int64, *Error) { return f.Input[i].Int(), nil }
	case *plan.Local:
		i := e.Slot
		return func(f *Frame) (int64, *Error) { return f.locals[i].Int(), nil }
	case *plan.State:
		i := e.Slot
		return func(f *Frame) (int64, *Error) { return f.State[i].Int(), nil }
	case *plan.Binary:
		if isInt(e) {
			return c.intArith(e)
		}
	}
	v := c.expr(e)
	return func(f *Frame) (int64, *Error) {
		x, err := v(f)
		return x.Int(), err
	}
}

func (c *compiler) intArith(e *plan.Binary) intEval {
	left, right, op := c.int(e.Left), c.int(e.Right), intOp(e.Op)
	return func(f *Frame) (int64, *Error) {
		a, err := left(f)
		if err != nil {
			return 0, err
		}
		b, err := right(f)
		if err != nil {
			return 0, err
		}
		n, why := op(a, b)
		if why != value.OK {
			return 0, arithError(e.Op, value.OfInt(a), value.OfInt(b), why, e.At)
		}
		return n, nil
	}
}

func intOp(op plan.Op) func(a, b int64) (int64, value.Err) {
	switch op {
	case plan.Add:
		return value.AddInt
	case plan.Sub:
		return value.SubInt
	case plan.Mul:
		return value.MulInt
	case plan.Div:
		return value.DivInt
	case plan.Mod:
		return value.ModInt
	default:
		bug.Panicf("expr: operator %d does not compute", op)
		return nil
	}
}

func (c *compiler) compareInts(e *plan.Binary) cond {
	left, right := c.int(e.Left), c.int(e.Right)
	// What is wanted of the order of the two: less, equal, greater.
	less := e.Op == plan.Lt || e.Op == plan.Le || e.Op == plan.Ne
	equal := e.Op == plan.Eq || e.Op == plan.Le || e.Op == plan.Ge
	greater := e.Op == plan.Gt || e.Op == plan.Ge || e.Op == plan.Ne
	return func(f *Frame) (bool, *Error) {
		a, err := left(f)
		if err != nil {
			return false, err
		}
		b, err := right(f)
		if err != nil {
			return false, err
		}
		if a == b {
			return equal, nil
		}
		if a < b {
			return less, nil
		}
		return greater, nil
	}
}
