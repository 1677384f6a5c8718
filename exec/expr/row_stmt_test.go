package expr_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// outcome writes what a run did, as `kind name code; emits; state`.
func outcome(f *expr.Frame, o expr.Outcome) string {
	kinds := [...]string{"ok", "dropped", "failed", "faulted", "errored"}
	var b strings.Builder
	b.WriteString(kinds[o.Kind])
	if o.Name != "" {
		b.WriteString(" " + o.Name)
	}
	if o.Err != nil {
		b.WriteString(" " + string(o.Err.Code) + " " + o.Err.Message)
	}
	b.WriteString(";")
	for _, e := range f.Emits {
		fmt.Fprintf(&b, " %d", e.Output)
		if e.Unanchored {
			b.WriteString("?")
		}
		b.WriteString(value.OfRecord(e.Fields).String())
	}
	fmt.Fprintf(&b, "; %v", value.OfList(f.State))
	if f.Changed {
		b.WriteString(" changed")
	}
	return b.String()
}

func TestBodies(t *testing.T) {
	boom := quotient(ints(1), ints(0))
	fault := add(ints(math.MaxInt64), ints(1))
	when := func(c plan.Expr, then ...plan.Stmt) plan.Stmt { return &plan.IfStmt{S: at(), Cond: c, Then: then} }
	drop := &plan.Drop{S: at(), Name: "why"}
	ret := &plan.Return{S: at()}
	orExit := func(e plan.Expr, exit ...plan.Stmt) plan.Expr {
		return &plan.OrExit{X: x(types.Int), Operand: e, Exit: exit, Slot: -1}
	}
	loop := func(slot, slot2 int, in plan.Expr, stmts ...plan.Stmt) plan.Stmt {
		return &plan.For{S: at(), Slot: slot, Slot2: slot2, In: in, Body: stmts}
	}
	three := makeList(types.Int, ints(5), ints(6), ints(7))
	counts := konst(value.OfMap(vs{s("a"), s("b")}, vs{i(1), i(2)}), mapOf(types.String, types.Int))
	is := func(slot int, n int64) plan.Expr { return bin(plan.Eq, local(slot, types.Int), ints(n), types.Bool) }

	tests := []struct {
		name string
		body *plan.Body
		want string
	}{
		{"nothing", body(0, 0), "ok;; [70, none]"},
		{"emits in order", body(0, 0, emit(0, ints(1), ints(2)), emit(1), emit(0, ints(3))),
			"ok; 0(1, 2) 1() 0(3); [70, none]"},
		{"unanchored", body(0, 0, &plan.Emit{S: at(), Unanchored: true, Fields: []plan.Expr{ints(1)}}),
			"ok; 0?(1); [70, none]"},
		{"locals", body(0, 1, setLocal(0, ints(1)), setLocal(0, add(local(0, types.Int), ints(1))),
			emit(0, local(0, types.Int))), "ok; 0(2); [70, none]"},
		{"state", body(0, 0, setState(0, add(state(0, types.Int), in(0, types.Int))), emit(0, state(0, types.Int))),
			"ok; 0(110); [110, none] changed"},
		{"return keeps what was before it", body(0, 0, emit(0, ints(1)), setState(0, ints(1)), ret, emit(0, ints(2))),
			"ok; 0(1); [1, none] changed"},
		{"drop discards", body(0, 0, emit(0, ints(1)), setState(0, ints(1)), drop), "dropped why;; [70, none]"},
		{"fail discards", body(0, 0, emit(0, ints(1)), setState(0, ints(1)), &plan.Fail{S: at(), Message: str("no")}),
			"failed X0401 no;; [70, none]"},
		{"fault discards", body(plan.PolicyDrop, 0, emit(0, ints(1)), setState(0, ints(1)), emit(0, fault)),
			"faulted X0201 9223372036854775807 + 1: the result does not fit into 64 bits;; [70, none]"},
		{"errors drop", body(plan.PolicyDrop, 0, setState(0, ints(1)), emit(0, boom)),
			"dropped errors X0203 1 / 0: division by zero;; [70, none]"},
		{"errors fail", body(plan.PolicyFail, 0, emit(0, ints(1)), emit(0, boom)),
			"failed X0203 1 / 0: division by zero;; [70, none]"},
		{"errors emit", body(plan.PolicyEmit, 0, emit(0, ints(1)), emit(0, boom)),
			"errored X0203 1 / 0: division by zero;; [70, none]"},
		{"a fail is no matter of errors", body(plan.PolicyEmit, 0, &plan.Fail{S: at(), Message: str("no")}),
			"failed X0401 no;; [70, none]"},
		{"a message that fails is", body(plan.PolicyEmit, 0, &plan.Fail{S: at(),
			Message: &plan.Interp{X: x(types.String), Parts: []plan.Expr{convert(boom, types.String)}}}),
			"errored X0203 1 / 0: division by zero;; [70, none]"},

		{"if", body(0, 0, when(boolean(true), emit(0, ints(1))), when(boolean(false), emit(0, ints(2)))),
			"ok; 0(1); [70, none]"},
		{"else", body(0, 0, &plan.IfStmt{S: at(), Cond: boolean(false), Then: []plan.Stmt{drop},
			Else: []plan.Stmt{emit(0, ints(2)), ret}}, drop), "ok; 0(2); [70, none]"},
		{"if that fails", body(plan.PolicyFail, 0, when(bin(plan.Eq, boom, ints(1), types.Bool), drop)),
			"failed X0203 1 / 0: division by zero;; [70, none]"},

		{"for over a list", body(0, 1, loop(0, -1, three, emit(0, local(0, types.Int)))),
			"ok; 0(5) 0(6) 0(7); [70, none]"},
		{"for over a list with its index", body(0, 2, loop(0, 1, three,
			emit(0, local(0, types.Int), local(1, types.Int)))), "ok; 0(0, 5) 0(1, 6) 0(2, 7); [70, none]"},
		{"for over a map", body(0, 2, loop(0, 1, counts, emit(0, local(0, types.String), local(1, types.Int)))),
			`ok; 0("a", 1) 0("b", 2); [70, none]`},
		{"for over the keys of a map", body(0, 1, loop(0, -1, counts, emit(0, local(0, types.String)))),
			`ok; 0("a") 0("b"); [70, none]`},
		{"break", body(0, 1, loop(0, -1, three, when(is(0, 6), &plan.Break{S: at()}), emit(0, local(0, types.Int))),
			emit(1)), "ok; 0(5) 1(); [70, none]"},
		{"continue", body(0, 1, loop(0, -1, three, when(is(0, 6), &plan.Continue{S: at()}),
			emit(0, local(0, types.Int)))), "ok; 0(5) 0(7); [70, none]"},
		{"break leaves the inner loop", body(0, 2, loop(0, -1, three, loop(1, -1, three,
			when(is(1, 6), &plan.Break{S: at()}), emit(0, local(0, types.Int), local(1, types.Int))))),
			"ok; 0(5, 5) 0(6, 5) 0(7, 5); [70, none]"},
		{"drop out of a loop", body(0, 1, loop(0, -1, three, emit(0, ints(1)), drop)), "dropped why;; [70, none]"},
		{"return out of a loop", body(0, 1, loop(0, -1, three, emit(0, ints(1)), ret), drop), "ok; 0(1); [70, none]"},
		{"fault out of a loop", body(0, 1, loop(0, -1, three, emit(0, quotient(ints(math.MinInt64),
			bin(plan.Sub, local(0, types.Int), ints(7), types.Int))))),
			"faulted X0201 -9223372036854775808 / -1: the result does not fit into 64 bits;; [70, none]"},

		{"else drop", body(0, 0, emit(0, ints(1)), emit(0, add(ints(1), orExit(boom, drop)))), "dropped why;; [70, none]"},
		{"else fail", body(0, 0, emit(0, orExit(boom, &plan.Fail{S: at(), Message: str("no")}))),
			"failed X0401 no;; [70, none]"},
		{"else return", body(0, 0, emit(0, ints(1)), setState(0, add(ints(1), orExit(boom, ret)))),
			"ok; 0(1); [70, none]"},
		{"else emit", body(0, 0, emit(0, ints(1)), emit(0, ints(8), orExit(boom, emit(1, ints(9)), ret)), drop),
			"ok; 0(1) 1(9); [70, none]"},
		{"else continue", body(0, 1, loop(0, -1, three, emit(0, orExit(quotient(ints(42),
			bin(plan.Sub, local(0, types.Int), ints(6), types.Int)), &plan.Continue{S: at()})))),
			"ok; 0(-42) 0(42); [70, none]"},
		{"else break", body(0, 1, loop(0, -1, three, emit(0, orExit(quotient(ints(42),
			bin(plan.Sub, local(0, types.Int), ints(6), types.Int)), &plan.Break{S: at()}))), emit(1)),
			"ok; 0(-42) 1(); [70, none]"},
		{"else with the error", body(0, 1, setLocal(0, &plan.OrExit{X: x(types.Int), Slot: 0, Operand: boom,
			Exit: []plan.Stmt{emit(0, local(0, expr.ErrorType())), ret}})),
			`ok; 0(("X0203", "1 / 0: division by zero", "t.pipe:2:3")); [70, none]`},
		{"else of a value that is there", body(0, 0, emit(0, orExit(ints(4), drop))), "ok; 0(4); [70, none]"},
		{"else does not take a fault", body(0, 0, emit(0, orExit(fault, drop))),
			"faulted X0201 9223372036854775807 + 1: the result does not fit into 64 bits;; [70, none]"},
		{"else of none", body(0, 0, emit(0, &plan.OrExit{X: x(types.Int), Slot: -1, Optional: true,
			Operand: in(2, opt(types.Int)), Exit: []plan.Stmt{drop}})), "dropped why;; [70, none]"},
		{"else of a way that fails itself", body(plan.PolicyFail, 0, emit(0, orExit(boom, emit(1,
			quotient(ints(2), ints(0))), ret))), "failed X0203 2 / 0: division by zero;; [70, none]"},
	}
	env := expr.NewEnv(nil, lib())
	frame := &expr.Frame{} // one for all of them: bodies must not see each other's
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code := expr.CompileBody(env, tt.body)
			for range 2 {
				frame.Input, frame.State = vs{i(40), s("in"), {}}, vs{i(70), {}}
				if got := outcome(frame, code.Run(frame)); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			}
		})
	}
}

func TestErrorsHaveAPlace(t *testing.T) {
	code := expr.CompileBody(expr.NewEnv(nil, nil), body(plan.PolicyFail, 0, emit(0, quotient(ints(1), ints(0)))))
	out := code.Run(&expr.Frame{})
	if out.Err.Place != place || out.Err.Error() != "t.pipe:2:3: 1 / 0: division by zero (X0203)" {
		t.Errorf("%v", out.Err)
	}
}

func TestStateBegins(t *testing.T) {
	b := body(0, 0)
	b.State = []plan.StateVar{
		{Name: "n", Type: types.Int, Init: ints(3)},
		{Name: "k", Type: types.String, Init: &plan.Key{X: x(types.String)}},
	}
	code := expr.CompileBody(expr.NewEnv(nil, nil), b)
	got, err := code.Init(&expr.Frame{Keys: vs{s("a")}}, vs{i(0)})
	if err != nil || !value.Equal(value.OfList(got), value.OfList(vs{i(0), i(3), s("a")})) {
		t.Errorf("%v %v", got, err)
	}
	b.State[1].Init = add(ints(math.MaxInt64), ints(1))
	if _, err := expr.CompileBody(expr.NewEnv(nil, nil), b).Init(&expr.Frame{}, nil); err == nil || !err.Fault {
		t.Errorf("a fault of an initial value is lost: %v", err)
	}
}

// Elements change in the slot alone: whoever has seen the list or map before keeps what he saw.
func TestElementsChange(t *testing.T) {
	counts := mapOf(types.String, types.Int)
	m, l := state(0, counts), local(0, list(types.Int))
	set := func(st bool, key, e plan.Expr) plan.Stmt { return setIndex(st, 0, key, e) }
	entry := func(e plan.Expr, k plan.Expr) plan.Expr {
		return &plan.Coalesce{X: x(types.Int), Else: ints(0), Operand: &plan.Index{X: x(opt(types.Int)), Operand: e, Key: k}}
	}
	three := makeList(types.Int, ints(5), ints(6), ints(7))
	shared := value.OfMap(vs{s("c")}, vs{i(1)})
	tests := []struct {
		name string
		body *plan.Body
		want string
	}{
		{"count", body(0, 0, set(true, str("a"), add(entry(m, str("a")), ints(1))), set(true, str("b"), ints(1)),
			emit(0, m), set(true, str("a"), ints(9)), emit(0, m)),
			`ok; 0(["a": 2, "b": 1]) 0(["a": 9, "b": 1]); [["a": 9, "b": 1]] changed`},
		{"undone", body(0, 0, set(true, str("a"), ints(7)), set(true, str("c"), ints(7)), &plan.Drop{S: at(), Name: "x"}),
			`dropped x;; [["a": 1]]`},
		{"list", body(0, 1, setLocal(0, three), set(false, ints(0), ints(8)), emit(0, l), set(false, ints(1), ints(9)),
			emit(0, l)), `ok; 0([8, 6, 7]) 0([8, 9, 7]); [["a": 1]]`},
		{"a constant stays", body(0, 1, setLocal(0, konst(value.OfList(vs{i(1)}), list(types.Int))),
			set(false, ints(0), add(&plan.Index{X: x(types.Int), Operand: l, Key: ints(0)}, ints(1))), emit(0, l)),
			`ok; 0([2]); [["a": 1]]`},
		{"another name for it", body(0, 2, setLocal(0, three), set(false, ints(0), ints(8)), setLocal(1, l),
			set(false, ints(0), ints(9)), emit(0, l, local(1, list(types.Int)))),
			`ok; 0([9, 6, 7], [8, 6, 7]); [["a": 1]]`},
		{"assigned anew", body(0, 2, setLocal(0, three), set(false, ints(0), ints(8)), setLocal(1, three),
			setLocal(0, local(1, list(types.Int))), set(false, ints(0), ints(9)), emit(0, l, local(1, list(types.Int)))),
			`ok; 0([9, 6, 7], [5, 6, 7]); [["a": 1]]`},
		{"in a loop over itself", body(0, 2, setLocal(0, three),
			&plan.For{S: at(), Slot: 1, Slot2: -1, In: l, Body: []plan.Stmt{
				set(false, ints(2), ints(0)), emit(0, local(1, types.Int)),
			}}, emit(0, l)), `ok; 0(5) 0(6) 0(7) 0([5, 6, 0]); [["a": 1]]`},
		{"the loop's own name", body(0, 1, &plan.For{S: at(), Slot: 0, Slot2: -1,
			In:   konst(value.OfList(vs{value.OfList(vs{i(1)}), value.OfList(vs{i(2)})}), list(list(types.Int))),
			Body: []plan.Stmt{set(false, ints(0), add(ints(5), &plan.Index{X: x(types.Int), Operand: l, Key: ints(0)}))}},
			emit(0, l)), `ok; 0([7]); [["a": 1]]`},
		{"state assigned anew", body(0, 0, set(true, str("b"), ints(1)), setState(0, konst(shared, counts)),
			set(true, str("c"), add(ints(1), entry(m, str("c"))))), `ok;; [["c": 2]] changed`},
		{"state assigned to a local", body(0, 1, set(true, str("a"), ints(2)), setLocal(0, m), set(true, str("a"), ints(3)),
			emit(0, local(0, counts))), `ok; 0(["a": 2]); [["a": 3]] changed`},
		{"behind the end", body(plan.PolicyFail, 1, setLocal(0, three), set(false, ints(3), ints(8))),
			`failed X0204 index 3 is outside of a list of 3;; [["a": 1]]`},
		{"before the start", body(plan.PolicyFail, 1, setLocal(0, three), set(false, ints(-1), ints(8))),
			`failed X0204 index -1 is outside of a list of 3;; [["a": 1]]`},
		{"value that fails", body(plan.PolicyFail, 1, set(true, str("a"), quotient(ints(1), ints(0)))),
			`failed X0203 1 / 0: division by zero;; [["a": 1]]`},
	}
	env := expr.NewEnv(nil, nil)
	frame := &expr.Frame{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code := expr.CompileBody(env, tt.body)
			for range 2 { // the second run finds what the first one may have spoiled
				frame.State = vs{value.OfMap(vs{s("a")}, vs{i(1)})}
				if got := outcome(frame, code.Run(frame)); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			}
		})
	}
}

func TestValuesOverTheLimit(t *testing.T) {
	half := strings.Repeat("x", value.MaxSize/2)
	halves := konst(value.OfList(vs{s(half), s(half)}), list(types.String))
	one := value.OfMap(vs{i(0)}, vs{s(half)})
	tests := []struct {
		name string
		body *plan.Body
	}{
		{"emit", body(0, 0, emit(0, halves))},
		{"state", body(0, 0, setState(0, halves))},
		{"state by elements", body(0, 0, setIndex(true, 0, ints(1), str(half)))},
		{"map with too many entries", body(0, 2, setLocal(0, konst(value.OfMap(nil, nil), mapOf(types.Int, types.Int))),
			&plan.For{S: at(), Slot: 1, Slot2: -1, In: in(0, list(types.Int)), Body: []plan.Stmt{
				setIndex(false, 0, local(1, types.Int), ints(0)),
			}})},
	}
	numbers := make(vs, value.MaxEntries+1)
	for n := range numbers {
		numbers[n] = i(int64(n))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			frame := &expr.Frame{Input: vs{value.OfList(numbers)}, State: vs{one}}
			out := expr.CompileBody(expr.NewEnv(nil, nil), tt.body).Run(frame)
			if out.Kind != expr.Faulted || out.Err.Code != diag.ValueTooLarge || out.Err.Place != place {
				t.Errorf("%v %v", out.Kind, out.Err)
			}
			if !value.Equal(frame.State[0], one) || len(frame.Emits) > 0 {
				t.Error("the row has effects")
			}
		})
	}
}

func TestARowAllocatesNothing(t *testing.T) {
	// n = n + 1; if n > 2 && name != "" { emit (name, n: n, big: n in [1, 2]) }
	n := state(0, types.Int)
	b := body(0, 0, setState(0, add(n, ints(1))),
		&plan.IfStmt{S: at(), Cond: bin(plan.And, bin(plan.Gt, n, ints(2), types.Bool),
			bin(plan.Ne, in(1, types.String), str(""), types.Bool), types.Bool),
			Then: []plan.Stmt{emit(0, in(1, types.String), &plan.Call{X: x(types.Int), Func: "twice", Args: []plan.Expr{n}},
				bin(plan.In, n, konst(value.OfList(vs{i(1), i(2)}), list(types.Int)), types.Bool))}})
	code := expr.CompileBody(expr.NewEnv(nil, lib()), b)
	frame := &expr.Frame{Input: vs{i(40), s("in")}, State: vs{i(7)}}
	allocs := testing.AllocsPerRun(100, func() {
		if out := code.Run(frame); out.Kind != expr.OK || len(frame.Emits) != 1 {
			t.Fatal("the row did not end well")
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a row", allocs)
	}
}

func BenchmarkRow(b *testing.B) {
	// state n; n = n + 1; emit (word, n)
	n := state(0, types.Int)
	count := expr.CompileBody(expr.NewEnv(nil, nil), body(0, 0, setState(0, add(n, ints(1))), emit(0, in(1, types.String), n)))
	// (a * 3 + b) % 7 < 5 && a > b: 11 nodes
	a, c := in(0, types.Int), in(2, types.Int)
	where := expr.CompileExpr(expr.NewEnv(nil, nil), bin(plan.And,
		bin(plan.Lt, bin(plan.Mod, add(bin(plan.Mul, a, ints(3), types.Int), c), ints(7), types.Int), ints(5), types.Bool),
		bin(plan.Gt, a, c, types.Bool), types.Bool))
	frame := &expr.Frame{Input: vs{i(40), s("in"), i(3)}, State: vs{i(7)}}
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			count.Run(frame)
		}
	})
	b.Run("where", func(b *testing.B) {
		for b.Loop() {
			if _, err := where.Eval(frame); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A function's slots are not those of its caller, although they have the same numbers.
func TestElementsChangeInFunctions(t *testing.T) {
	type stmts = []plan.Stmt
	xs := list(types.Int)
	l := local(0, xs)
	// fn(xs) { xs[0] = xs[0] + 1; return xs[0] }
	first := &plan.Index{X: x(types.Int), Operand: l, Key: ints(0)}
	env := expr.NewEnv([]plan.Func{{Params: []types.Type{xs}, Locals: 1, Body: stmts{
		setIndex(false, 0, ints(0), add(first, ints(1))), &plan.Return{S: at(), Value: first},
	}}}, nil)
	call := func(arg plan.Expr) plan.Expr { return &plan.CallFn{X: x(types.Int), Args: []plan.Expr{arg}} }
	constant := konst(value.OfList(vs{i(40)}), xs)
	code := expr.CompileBody(env, body(0, 2,
		setLocal(0, makeList(types.Int, ints(5), ints(6))),
		setIndex(false, 0, ints(0), ints(8)), // the body owns its list now
		emit(0, call(constant), call(constant), call(l)),
		setLocal(1, l), // and now it does not
		setIndex(false, 0, quotient(call(constant), ints(50)), ints(9)),
		emit(0, l, local(1, xs)),
	))
	for range 2 {
		frame := &expr.Frame{}
		if got := outcome(frame, code.Run(frame)); got != "ok; 0(41, 41, 9) 0([9, 6], [8, 6]); []" {
			t.Error(got)
		}
	}
}
