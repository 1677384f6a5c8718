package expr_test

import (
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Short names for hand-built plans.

type (
	V  = value.Value
	vs = []value.Value
)

var (
	i = value.OfInt
	f = value.OfFloat
	s = value.OfString
)

// place is where all hand-built code seems to stand: t.pipe:2:3.
var place = source.Span{File: source.NewFile("t.pipe", "a\nxxy\n"), Start: 4, End: 5}

func x(t types.Type) plan.X { return plan.X{T: t, At: place} }

func at() plan.S { return plan.S{At: place} }

func ints(n int64) plan.Expr { return konst(i(n), types.Int) }

func str(text string) plan.Expr { return konst(s(text), types.String) }

func boolean(b bool) plan.Expr { return konst(value.OfBool(b), types.Bool) }

func konst(v V, t types.Type) plan.Expr { return &plan.Const{X: x(t), Value: v} }

func in(field int, t types.Type) plan.Expr { return &plan.Input{X: x(t), Field: field} }

func local(slot int, t types.Type) plan.Expr { return &plan.Local{X: x(t), Slot: slot} }

func state(slot int, t types.Type) plan.Expr { return &plan.State{X: x(t), Slot: slot} }

func bin(op plan.Op, l, r plan.Expr, t types.Type) plan.Expr {
	return &plan.Binary{X: x(t), Op: op, Left: l, Right: r}
}

func add(l, r plan.Expr) plan.Expr { return bin(plan.Add, l, r, types.Int) }

// quotient is an int division: the shortest expression that can fail.
func quotient(l, r plan.Expr) plan.Expr { return bin(plan.Div, l, r, types.Int) }

func convert(e plan.Expr, t types.Type) plan.Expr { return &plan.Convert{X: x(t), Operand: e} }

func list(t types.Type) *types.List { return &types.List{Elem: t} }

func opt(t types.Type) types.Type { return &types.Optional{Elem: t} }

func mapOf(k, v types.Type) *types.Map { return &types.Map{Key: k, Elem: v} }

func record(fields ...types.Field) *types.Record { return &types.Record{Fields: fields} }

func field(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }

func makeList(t types.Type, elems ...plan.Expr) plan.Expr {
	return &plan.MakeList{X: x(list(t)), Elems: elems}
}

func setLocal(slot int, e plan.Expr) plan.Stmt { return &plan.SetLocal{S: at(), Slot: slot, Value: e} }

func setState(slot int, e plan.Expr) plan.Stmt { return &plan.SetState{S: at(), Slot: slot, Value: e} }

func setIndex(st bool, slot int, key, e plan.Expr) plan.Stmt {
	return &plan.SetIndex{S: at(), State: st, Slot: slot, Key: key, Value: e}
}

func emit(output int, fields ...plan.Expr) plan.Stmt {
	return &plan.Emit{S: at(), Output: output, Fields: fields}
}

func body(errors plan.Policy, locals int, stmts ...plan.Stmt) *plan.Body {
	return &plan.Body{Locals: make([]types.Type, locals), Errors: errors, Stmts: stmts, CanFail: true}
}

// lib is a small library for tests of calls.
func lib() expr.Funcs {
	return expr.Funcs{
		"twice": {Name: "twice", Row: func(args []V) (V, error) { return i(2 * args[0].Int()), nil }},
		"fails": {Name: "fails", Fallible: true, Row: func(args []V) (V, error) {
			return V{}, expr.Failf(diag.UnreadableNumber, "not %s", args[0].Str())
		}},
		"now": {Name: "now", Clock: true, Row: func(args []V) (V, error) { return args[0], nil }},
		"kind": {Name: "kind", Bind: func(c expr.Sig) expr.RowFunc {
			text := c.Args[0].String() + " -> " + c.Result.String()
			if c.Consts[0] != nil {
				text += " of " + c.Consts[0].String()
			}
			return func([]V) (V, error) { return s(text), nil }
		}},
	}
}

// check compares the outcome of an expression with a value, or a code where fails is not "".
func check(t *testing.T, got V, err *expr.Error, want V, code diag.Code, fault bool) {
	t.Helper()
	if code == "" {
		if err != nil || !value.Equal(got, want) || got.Kind() != want.Kind() {
			t.Fatalf("got %v (%v), want %v", got, err, want)
		}
		return
	}
	if err == nil || err.Code != code || err.Fault != fault || err.Place != place || err.Message == "" {
		t.Fatalf("got %v (%+v), want %s, a fault: %v", got, err, code, fault)
	}
}
