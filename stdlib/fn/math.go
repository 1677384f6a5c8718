package fn

import (
	stdmath "math"
	"strconv"

	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/value"
)

func math() []expr.Func {
	return []expr.Func{
		faulting("math.abs", abs),
		pure("math.min", func(args []value.Value) value.Value { return lesser(args[0], args[1]) }),
		pure("math.max", func(args []value.Value) value.Value { return greater(args[0], args[1]) }),
		ofFloat("math.floor", stdmath.Floor),
		ofFloat("math.ceil", stdmath.Ceil),
		ofFloat("math.round", stdmath.Round),
		ofFloat("math.sqrt", stdmath.Sqrt),
		ofFloat("math.log", stdmath.Log),
		faulting("math.pow", func(args []value.Value) (value.Value, error) {
			return finite("math.pow", stdmath.Pow(args[0].Float(), args[1].Float()), args)
		}),
		pure("math.fixed", func(args []value.Value) value.Value {
			digits := min(max(args[1].Int(), 0), 20)
			return value.OfString(strconv.FormatFloat(args[0].Float(), 'f', int(digits), 64))
		}),
	}
}

func abs(args []value.Value) (value.Value, error) {
	if args[0].Kind() == value.Float {
		return value.OfFloat(stdmath.Abs(args[0].Float())), nil
	}
	if args[0].Int() >= 0 {
		return args[0], nil
	}
	v, why := value.Neg(args[0])
	if why != value.OK {
		return value.Value{}, overflow("math.abs(" + args[0].String() + ")")
	}
	return v, nil
}

func lesser(a, b value.Value) value.Value {
	if value.Compare(b, a) < 0 {
		return b
	}
	return a
}

func greater(a, b value.Value) value.Value {
	if value.Compare(b, a) > 0 {
		return b
	}
	return a
}

// ofFloat makes a library function of a function of one float.
func ofFloat(name string, of func(float64) float64) expr.Func {
	return faulting(name, func(args []value.Value) (value.Value, error) {
		return finite(name, of(args[0].Float()), args)
	})
}

func finite(name string, f float64, args []value.Value) (value.Value, error) {
	f, why := value.Finite(f)
	if why != value.OK {
		return value.Value{}, expr.Faultf(diag.NotFinite, "%s%v: %v", name, value.OfRecord(args), why)
	}
	return value.OfFloat(f), nil
}
