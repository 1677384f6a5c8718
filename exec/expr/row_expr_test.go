package expr_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

func TestExpressions(t *testing.T) {
	none := V{}
	point := record(field("x", types.Int), field("y", opt(types.Int)))
	boom := quotient(ints(1), ints(0))
	fault := add(ints(math.MaxInt64), ints(1))
	truth := value.OfBool
	hole := func(e plan.Expr) plan.Expr { return convert(e, types.String) }
	interp := func(parts ...plan.Expr) plan.Expr { return &plan.Interp{X: x(types.String), Parts: parts} }
	index := func(e, k plan.Expr, t types.Type) plan.Expr { return &plan.Index{X: x(t), Operand: e, Key: k} }
	try := func(e, other plan.Expr, slot int) plan.Expr {
		return &plan.Try{X: x(other.Type()), Operand: e, Else: other, Slot: slot}
	}
	call := func(name string, t types.Type, args ...plan.Expr) plan.Expr {
		return &plan.Call{X: x(t), Func: name, Args: args}
	}
	fn := func(n int, args ...plan.Expr) plan.Expr { return &plan.CallFn{X: x(types.Int), Index: n, Args: args} }
	big := strings.Repeat("x", value.MaxSize/2+1)
	counts := konst(value.OfMap(vs{s("a"), s("b")}, vs{i(1), i(2)}), mapOf(types.String, types.Int))
	threeInts := makeList(types.Int, ints(5), ints(6), ints(7))
	enum := &types.Enum{Name: "Level", Members: []string{"info", "warn"}}

	tests := []struct {
		name  string
		e     plan.Expr
		want  V
		code  diag.Code
		fault bool
	}{
		{name: "const", e: ints(3), want: i(3)},
		{name: "input", e: in(1, types.String), want: s("in")},
		{name: "key", e: &plan.Key{X: x(types.String)}, want: s("key")},
		{name: "state", e: state(0, types.Int), want: i(70)},
		{name: "aggregate", e: &plan.AggResult{X: x(types.Int), Index: 1}, want: i(81)},
		{name: "window start", e: &plan.Bound{X: x(types.Time)}, want: value.OfTime(100)},
		{name: "window end", e: &plan.Bound{X: x(types.Time), End: true}, want: value.OfTime(200)},

		{name: "minus", e: &plan.Unary{X: x(types.Int), Op: plan.Neg, Operand: ints(3)}, want: i(-3)},
		{name: "minus least", e: &plan.Unary{X: x(types.Int), Op: plan.Neg, Operand: ints(math.MinInt64)},
			code: diag.IntOverflow, fault: true},
		{name: "minus of what fails", e: &plan.Unary{X: x(types.Int), Op: plan.Neg, Operand: boom},
			code: diag.DivisionByZero},
		{name: "not", e: &plan.Unary{X: x(types.Bool), Op: plan.Not, Operand: boolean(false)}, want: truth(true)},

		{name: "sum", e: add(in(0, types.Int), ints(1)), want: i(41)},
		{name: "sum over", e: fault, code: diag.IntOverflow, fault: true},
		{name: "difference", e: bin(plan.Sub, ints(1), ints(3), types.Int), want: i(-2)},
		{name: "product", e: bin(plan.Mul, ints(7), ints(3), types.Int), want: i(21)},
		{name: "quotient", e: quotient(ints(-7), ints(2)), want: i(-3)},
		{name: "quotient by zero", e: boom, code: diag.DivisionByZero},
		{name: "rest", e: bin(plan.Mod, ints(-7), ints(2), types.Int), want: i(-1)},
		{name: "rest by zero", e: bin(plan.Mod, ints(-7), ints(0), types.Int), code: diag.DivisionByZero},
		{name: "float by zero", e: bin(plan.Div, konst(f(1), types.Float), konst(f(0), types.Float), types.Float),
			code: diag.NotFinite, fault: true},
		{name: "time and duration", e: bin(plan.Add, konst(value.OfTime(5), types.Time),
			konst(value.OfDuration(2), types.Duration), types.Time), want: value.OfTime(7)},
		{name: "times apart", e: bin(plan.Sub, konst(value.OfTime(5), types.Time),
			konst(value.OfTime(7), types.Time), types.Duration), want: value.OfDuration(-2)},
		{name: "right side fails", e: add(ints(1), boom), code: diag.DivisionByZero},

		{name: "int order", e: bin(plan.Lt, ints(1), ints(2), types.Bool), want: truth(true)},
		{name: "int order at the same", e: bin(plan.Le, ints(2), ints(2), types.Bool), want: truth(true)},
		{name: "int order the other way", e: bin(plan.Ge, ints(1), ints(2), types.Bool), want: truth(false)},
		{name: "string order", e: bin(plan.Gt, str("b"), str("ab"), types.Bool), want: truth(true)},
		{name: "string equality", e: bin(plan.Ne, str("b"), str("b"), types.Bool), want: truth(false)},
		{name: "float order", e: bin(plan.Ge, konst(f(0.5), types.Float), konst(f(0.25), types.Float), types.Bool),
			want: truth(true)},
		{name: "a value is not none", e: bin(plan.Ne, in(0, opt(types.Int)), konst(none, types.None), types.Bool),
			want: truth(true)},
		{name: "none is none", e: bin(plan.Eq, in(2, opt(types.Int)), konst(none, types.None), types.Bool),
			want: truth(true)},
		{name: "list equality", e: bin(plan.Eq, threeInts, threeInts, types.Bool), want: truth(true)},
		{name: "in a list", e: bin(plan.In, ints(6), threeInts, types.Bool), want: truth(true)},
		{name: "not in a list", e: bin(plan.In, ints(8), threeInts, types.Bool), want: truth(false)},
		{name: "key in a map", e: bin(plan.In, str("b"), counts, types.Bool), want: truth(true)},
		{name: "not key in a map", e: bin(plan.In, str("c"), counts, types.Bool), want: truth(false)},
		{name: "and", e: bin(plan.And, boolean(true), boolean(true), types.Bool), want: truth(true)},
		{name: "and leaves the right side alone", e: bin(plan.And, boolean(false), call("fails", types.Bool, str("")),
			types.Bool), want: truth(false)},
		{name: "and with a right side that fails", e: bin(plan.And, boolean(true),
			call("fails", types.Bool, str("")), types.Bool), code: diag.UnreadableNumber},
		{name: "or leaves the right side alone", e: bin(plan.Or, boolean(true), call("fails", types.Bool, str("")),
			types.Bool), want: truth(true)},
		{name: "or", e: bin(plan.Or, boolean(false), boolean(false), types.Bool), want: truth(false)},

		{name: "if", e: &plan.If{X: x(types.Int), Cond: boolean(true), Then: ints(1), Else: boom}, want: i(1)},
		{name: "if not", e: &plan.If{X: x(types.Int), Cond: boolean(false), Then: boom, Else: ints(2)}, want: i(2)},
		{name: "default not needed", e: &plan.Coalesce{X: x(types.Int), Operand: in(0, opt(types.Int)), Else: boom},
			want: i(40)},
		{name: "default", e: &plan.Coalesce{X: x(types.Int), Operand: in(2, opt(types.Int)), Else: ints(2)}, want: i(2)},
		{name: "settled", e: try(boom, ints(2), -1), want: i(2)},
		{name: "nothing to settle", e: try(ints(1), ints(2), -1), want: i(1)},
		{name: "a fault cannot be settled", e: try(fault, ints(2), -1), code: diag.IntOverflow, fault: true},
		{name: "error record", e: try(boom, local(0, expr.ErrorType()), 0),
			want: value.OfRecord(vs{s("X0203"), s("1 / 0: division by zero"), s("t.pipe:2:3")})},

		{name: "member", e: &plan.Member{X: x(types.Int), Operand: konst(value.OfRecord(vs{i(1), i(2)}), point), Field: 1},
			want: i(2)},
		{name: "member of none", e: &plan.Member{X: x(opt(types.Int)), Operand: konst(none, opt(point)), Field: 1,
			Optional: true}, want: none},
		{name: "optional member of a record", e: &plan.Member{X: x(opt(types.Int)), Optional: true,
			Operand: konst(value.OfRecord(vs{i(1), none}), opt(point)), Field: 0}, want: i(1)},
		{name: "element", e: index(threeInts, ints(2), types.Int), want: i(7)},
		{name: "element behind the end", e: index(threeInts, ints(3), types.Int), code: diag.IndexOutOfRange},
		{name: "element before the start", e: index(threeInts, ints(-1), types.Int), code: diag.IndexOutOfRange},
		{name: "entry", e: index(counts, str("b"), opt(types.Int)), want: i(2)},
		{name: "no entry", e: index(counts, str("c"), opt(types.Int)), want: none},

		{name: "record", e: &plan.MakeRecord{X: x(point), Fields: []plan.Expr{ints(1), in(2, opt(types.Int))}},
			want: value.OfRecord(vs{i(1), none})},
		{name: "list that fails", e: makeList(types.Int, ints(1), boom), code: diag.DivisionByZero},
		{name: "map with a repeated key", e: &plan.MakeMap{X: x(mapOf(types.String, types.Int)),
			Keys: []plan.Expr{str("a"), str("b"), str("a")}, Elems: []plan.Expr{ints(1), ints(2), ints(3)}},
			want: value.OfMap(vs{s("a"), s("b")}, vs{i(3), i(2)})},
		{name: "comprehension", e: &plan.Comp{X: x(list(types.Int)), Slot: 0, In: threeInts,
			Cond:  bin(plan.Gt, local(0, types.Int), ints(5), types.Bool),
			Value: add(local(0, types.Int), ints(1))}, want: value.OfList(vs{i(7), i(8)})},
		{name: "comprehension over keys", e: &plan.Comp{X: x(list(types.String)), Slot: 0, In: counts,
			Value: local(0, types.String)}, want: value.OfList(vs{s("a"), s("b")})},
		{name: "comprehension that grows", e: &plan.Comp{X: x(list(types.String)), Slot: 0, In: threeInts,
			Value: str(big)}, code: diag.ValueTooLarge, fault: true},
		{name: "comprehension that fails", e: &plan.Comp{X: x(list(types.Int)), Slot: 0, In: threeInts,
			Value: quotient(ints(1), bin(plan.Sub, local(0, types.Int), ints(6), types.Int))}, code: diag.DivisionByZero},

		{name: "string with holes", e: interp(str("n="), hole(in(0, types.Int)), str(" f="),
			hole(konst(f(2), types.Float)), str(" l="), hole(threeInts)), want: s("n=40 f=2.0 l=[5,6,7]")},
		{name: "string in a string", e: interp(str("<"), interp(str("a"), hole(ints(1))), str(">")), want: s("<a1>")},
		{name: "hole with an enum", e: interp(str("-"), convert(konst(s("info"), enum), types.String)), want: s("-info")},
		{name: "string that fails", e: interp(str("a"), hole(boom)), code: diag.DivisionByZero},
		{name: "string in a string that fails and is settled", e: interp(str("a"),
			try(interp(str("b"), hole(boom)), str("x"), -1)), want: s("ax")},
		{name: "string over the limit", e: interp(str(big), str(big)), code: diag.ValueTooLarge, fault: true},
		{name: "hole over the limit", e: interp(hole(makeList(types.String, str(big), str(big)))),
			code: diag.ValueTooLarge, fault: true},

		{name: "int to float", e: convert(ints(2), types.Float), want: f(2)},
		{name: "int to optional float", e: convert(ints(2), opt(types.Float)), want: f(2)},
		{name: "none to optional float", e: convert(konst(none, opt(types.Int)), opt(types.Float)), want: none},
		{name: "none", e: convert(konst(none, types.None), opt(types.Float)), want: none},
		{name: "optional that is known", e: convert(in(0, opt(types.Int)), types.Int), want: i(40)},
		{name: "enum to string", e: convert(konst(s("info"), enum), types.String), want: s("info")},
		{name: "string to enum", e: convert(str("warn"), enum), want: s("warn")},
		{name: "string to another enum", e: convert(str("loud"), enum), code: diag.NotInEnum},
		{name: "narrower record", e: convert(
			konst(value.OfRecord(vs{s("n"), i(1), i(2)}), record(field("name", types.String), field("y", opt(types.Int)),
				field("x", types.Int))), point), want: value.OfRecord(vs{i(2), i(1)})},
		{name: "list of wider records", e: convert(
			konst(value.OfList(vs{value.OfRecord(vs{i(1), none, s("z")})}),
				list(record(field("x", types.Int), field("y", opt(types.Int)), field("z", types.String)))),
			list(point)), want: value.OfList(vs{value.OfRecord(vs{i(1), none})})},
		{name: "list of ints as floats", e: convert(threeInts, list(types.Float)), want: value.OfList(vs{f(5), f(6), f(7)})},
		{name: "map of ints as floats", e: convert(counts, mapOf(types.String, types.Float)),
			want: value.OfMap(vs{s("a"), s("b")}, vs{f(1), f(2)})},
		{name: "empty list", e: convert(konst(value.OfList(nil), list(types.Never)), list(types.Float)),
			want: value.OfList(nil)},
		{name: "time as string", e: hole(konst(value.OfTime(0), types.Time)), want: s("1970-01-01T00:00:00Z")},
		{name: "duration as string", e: hole(konst(value.OfDuration(90*time.Second), types.Duration)), want: s("1m30s")},
		{name: "optional as string", e: hole(konst(none, opt(types.Int))), want: s("none")},

		{name: "call", e: add(call("twice", types.Int, ints(4)), call("twice", types.Int, call("twice", types.Int, ints(1)))),
			want: i(12)},
		{name: "call that fails", e: call("fails", types.Int, str("this")), code: diag.UnreadableNumber},
		{name: "call with an argument that fails", e: call("twice", types.Int, boom), code: diag.DivisionByZero},
		{name: "clock", e: call("now", types.Time), want: value.OfTime(300)},
		{name: "bound to types", e: call("kind", types.String, in(0, list(types.Int))), want: s("[int] -> string")},
		{name: "bound to a constant", e: call("kind", types.String, ints(3)), want: s("int -> string of 3")},

		{name: "function", e: fn(0, ints(3), ints(4)), want: i(10)},
		{name: "function in its argument", e: fn(0, fn(0, ints(1), ints(1)), ints(1)), want: i(3)},
		{name: "function that calls and loops", e: fn(1, threeInts), want: i(36)},
		{name: "function that fails is settled", e: try(fn(2, ints(0)), ints(9), -1), want: i(9)},
		{name: "fail in a function is a failure of the call", e: try(fn(2, ints(1)), ints(8), -1), want: i(8)},
		{name: "function that fails", e: fn(2, ints(1)), code: diag.FailStatement},
		{name: "function that returns early", e: fn(2, ints(2)), want: i(-1)},
		{name: "function with a value", e: fn(2, ints(5)), want: i(2)},
	}

	env := expr.NewEnv([]plan.Func{
		// fn(a, b) = a + b + b - 1
		{Params: []types.Type{types.Int, types.Int}, Locals: 2, Value: bin(plan.Sub,
			add(add(local(0, types.Int), local(1, types.Int)), local(1, types.Int)), ints(1), types.Int)},
		// fn(xs) { let sum = 0; for x in xs { sum = sum + first(x, 1) }; return sum + 15 }
		{Params: []types.Type{list(types.Int)}, Locals: 3, Body: []plan.Stmt{
			setLocal(1, ints(0)),
			&plan.For{S: at(), Slot: 2, Slot2: -1, In: local(0, list(types.Int)), Body: []plan.Stmt{
				setLocal(1, add(local(1, types.Int), fn(0, local(2, types.Int), ints(1)))),
			}},
			&plan.Return{S: at(), Value: add(local(1, types.Int), ints(15))},
		}},
		// fn(n) { if n == 1 { fail "one" }; let q = 12 / n; let r = q / (q - 6) else return -1; return r + 12 / n - 2 }
		{Params: []types.Type{types.Int}, Locals: 3, Fallible: true, Body: []plan.Stmt{
			&plan.IfStmt{S: at(), Cond: bin(plan.Eq, local(0, types.Int), ints(1), types.Bool),
				Then: []plan.Stmt{&plan.Fail{S: at(), Message: str("one")}}},
			setLocal(1, quotient(ints(12), local(0, types.Int))),
			setLocal(2, &plan.OrExit{X: x(types.Int), Slot: -1,
				Operand: quotient(local(1, types.Int), bin(plan.Sub, local(1, types.Int), ints(6), types.Int)),
				Exit:    []plan.Stmt{&plan.Return{S: at(), Value: ints(-1)}}}),
			&plan.Return{S: at(), Value: add(local(2, types.Int), quotient(ints(12), local(0, types.Int)))},
		}},
	}, lib())

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			frame := &expr.Frame{
				Input: vs{i(40), s("in"), none}, Keys: vs{s("key")}, State: vs{i(70)}, Aggs: vs{i(80), i(81)},
				Start: 100, End: 200, Now: 300,
			}
			code := expr.CompileExpr(env, tt.e)
			got, err := code.Eval(frame)
			check(t, got, err, tt.want, tt.code, tt.fault)
			// A frame that has been used is as good as a new one.
			got, err = code.Eval(frame)
			check(t, got, err, tt.want, tt.code, tt.fault)
		})
	}
}

func TestComparisons(t *testing.T) {
	chains := map[types.Type]vs{
		types.Int:                     {i(-1), i(0), i(7)},
		types.Time:                    {value.OfTime(-1), value.OfTime(5)},
		types.String:                  {s(""), s("a"), s("b")},
		types.Float:                   {f(-0.5), f(0), f(1)},
		types.Bool:                    {value.OfBool(false), value.OfBool(true)},
		opt(types.Int):                {{}, i(1), i(2)},
		types.Bytes:                   {value.OfBytes("a"), value.OfBytes("b")},
		list(types.Int):               {value.OfList(vs{i(1)}), value.OfList(vs{i(2)})},
		record(field("x", types.Int)): {value.OfRecord(vs{i(1)}), value.OfRecord(vs{i(2)})},
	}
	env := expr.NewEnv(nil, nil)
	for typ, chain := range chains {
		for m, a := range chain {
			for n, b := range chain {
				want := map[plan.Op]bool{
					plan.Eq: m == n, plan.Ne: m != n, plan.Lt: m < n, plan.Le: m <= n, plan.Gt: m > n, plan.Ge: m >= n,
				}
				for op, holds := range want {
					e := bin(op, konst(a, typ), konst(b, typ), types.Bool)
					got, err := expr.CompileExpr(env, e).Eval(&expr.Frame{})
					if err != nil || got.Bool() != holds {
						t.Errorf("%s: %v and %v by operator %d: %v (%v)", typ, a, b, op, got, err)
					}
				}
			}
		}
	}
}

func TestAnErrorThatIsSharedHasThePlaceOfTheCall(t *testing.T) {
	shared := expr.Failf(diag.UnreadableNumber, "always")
	env := expr.NewEnv(nil, expr.Funcs{"fails": {Name: "fails", Row: func([]V) (V, error) { return V{}, shared }}})
	other := place
	other.Start, other.End = 0, 1
	first := expr.CompileExpr(env, &plan.Call{X: x(types.Int), Func: "fails"})
	second := expr.CompileExpr(env, &plan.Call{X: plan.X{T: types.Int, At: other}, Func: "fails"})
	_, a := first.Eval(&expr.Frame{})
	_, b := second.Eval(&expr.Frame{})
	if a.Place != place || b.Place != other {
		t.Errorf("%v, %v", a, b)
	}
}
