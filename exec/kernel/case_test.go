package kernel_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/compiler/plan/plantest"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/batch/batchtest"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/exec/kernel"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
	"github.com/pipec/pipec/stdlib/fn"
)

// caseIn is the input of the hand-written bodies below.
func caseIn() *types.Record {
	return plantest.Record(
		plantest.F("i", types.Int), plantest.F("j", types.Int), plantest.F("s", types.String), plantest.F("z", types.Bool),
		plantest.F("l", &types.List{Elem: types.Int}), plantest.F("o", &types.Optional{Elem: types.String}),
	)
}

// caseRows returns rows in which every other thing goes wrong.
func caseRows() *batch.Batch {
	b := batch.NewBuilder(caseIn())
	ints := []int64{0, 3, -4, 7, math.MaxInt64, math.MinInt64, 1}
	for k, s := range batchtest.Strings() {
		var list []value.Value
		for n := range k % 4 {
			list = append(list, value.OfInt(int64(n*k)))
		}
		o := value.OfString(s)
		if k%3 == 0 {
			o = value.Value{}
		}
		b.Append([]value.Value{
			value.OfInt(ints[k%len(ints)]), value.OfInt(ints[k%5]), value.OfString(s), value.OfBool(k%2 == 0),
			value.OfList(list), o,
		})
	}
	return b.Finish()
}

func in(name string) plan.Expr { return plantest.In(caseIn(), name) }

func bin(t types.Type, l plan.Expr, op plan.Op, r plan.Expr) plan.Expr {
	return plantest.Bin(t, op, l, r)
}

func try(e, other plan.Expr) plan.Expr {
	return &plan.Try{X: plan.X{T: other.Type()}, Operand: e, Else: other, Slot: -1}
}

func set(slot int, e plan.Expr) plan.Stmt { return &plan.SetLocal{Slot: slot, Value: e} }

func when(c plan.Expr, then ...plan.Stmt) *plan.IfStmt { return &plan.IfStmt{Cond: c, Then: then} }

func intLocal(slot int) plan.Expr { return plantest.Local(types.Int, slot, "l") }

// TestCases runs bodies for what random ones seldom meet.
func TestCases(t *testing.T) {
	one, str, i := plantest.Int(1), types.String, types.Int
	emit := func(e plan.Expr) plan.Stmt { return plantest.Emit(e) }
	orExit := func(e plan.Expr, exit ...plan.Stmt) plan.Expr {
		return &plan.OrExit{X: plan.X{T: e.Type()}, Operand: e, Exit: exit, Slot: -1}
	}
	div := func(a, b string) plan.Expr { return bin(i, in(a), plan.Div, in(b)) }
	mod := func(e plan.Expr) plan.Expr { return bin(i, e, plan.Mod, plantest.Int(9)) }
	for _, c := range []struct {
		name   string
		result types.Type
		locals []types.Type
		stmts  []plan.Stmt
		rows   bool // no kernel
	}{
		{"assignment to some rows", i, []types.Type{i}, []plan.Stmt{
			set(0, in("i")), when(in("z"), set(0, in("j"))), emit(intLocal(0)),
		}, false},
		{"assignment of a text to some rows", str, []types.Type{str}, []plan.Stmt{
			set(0, in("s")), when(in("z"), set(0, plantest.Str("made"))), emit(plantest.Local(str, 0, "t")),
		}, false},
		{"loop over the lists of some rows", i, []types.Type{i}, []plan.Stmt{when(in("z"), &plan.For{
			Slot: 0, Slot2: -1, In: in("l"), Body: []plan.Stmt{emit(bin(i, intLocal(0), plan.Add, in("i")))},
		})}, false},
		{"failures of different operators, out of order, and faults", i, nil, []plan.Stmt{emit(try(
			bin(i, mod(bin(i, div("i", "j"), plan.Add, bin(i, in("i"), plan.Add, in("i")))), plan.Add, mod(div("j", "i"))), one),
		)}, false},
		{"a fault in what is tried", i, nil, []plan.Stmt{emit(try(bin(i, in("i"), plan.Add, div("i", "j")), one))}, false},
		{"emits of one output in one loop", i, []types.Type{i}, []plan.Stmt{&plan.For{
			Slot: 0, Slot2: -1, In: in("l"), Body: []plan.Stmt{emit(intLocal(0)), when(in("z"), emit(one)), emit(in("i"))},
		}}, false},
		{"emits of one output in different loops", i, []types.Type{i}, []plan.Stmt{
			emit(one), &plan.For{Slot: 0, Slot2: -1, In: in("l"), Body: []plan.Stmt{emit(intLocal(0))}}, emit(in("j")),
		}, true},
		{"a sum over a loop", i, []types.Type{i, i}, []plan.Stmt{
			set(0, one), &plan.For{Slot: 1, Slot2: -1, In: in("l"), Body: []plan.Stmt{set(0, bin(i, intLocal(0), plan.Add, intLocal(1)))}},
			emit(intLocal(0)),
		}, true},
		{"drop after emit", i, nil, []plan.Stmt{emit(in("i")), when(in("z"), &plan.Drop{Name: "late"}), emit(in("j"))}, false},
		{"fault after emit", i, nil, []plan.Stmt{emit(in("i")), emit(bin(i, in("i"), plan.Mul, in("j")))}, false},
		{"fault in a loop", i, []types.Type{i}, []plan.Stmt{emit(one), &plan.For{
			Slot: 0, Slot2: -1, In: in("l"), Body: []plan.Stmt{set(0, bin(i, intLocal(0), plan.Add, in("j")))},
		}}, false},
		{"drop in a loop", i, []types.Type{i}, []plan.Stmt{&plan.For{Slot: 0, Slot2: -1, In: in("l"), Body: []plan.Stmt{
			emit(intLocal(0)), when(bin(types.Bool, intLocal(0), plan.Gt, plantest.Int(9)), &plan.Drop{Name: "big"}),
		}}}, false},
		{"exits", i, []types.Type{i}, []plan.Stmt{
			set(0, orExit(plantest.Call(i, "int", in("s")), &plan.Drop{Name: "no number"})),
			emit(bin(i, intLocal(0), plan.Add, orExit(div("i", "j"), emit(one), &plan.Return{}))),
		}, false},
		{"words", str, []types.Type{str}, []plan.Stmt{when(in("z"), &plan.For{
			Slot: 0, Slot2: -1, In: plantest.Call(&types.List{Elem: str}, "words", plantest.Call(str, "lower", in("s"))),
			Body: []plan.Stmt{emit(plantest.Local(str, 0, "w"))},
		})}, false},
		{"a text of an optional", str, nil, []plan.Stmt{emit(&plan.Coalesce{X: plan.X{T: str}, Operand: in("o"), Else: in("s")})}, false},
		{"a pattern, of which there is no column", str, nil, []plan.Stmt{emit(plantest.Call(str, "text.replace_all",
			in("s"), &plan.Const{X: plan.X{T: types.Regex}, Value: value.OfString("[a-z]+")}, plantest.Str("<$0>")),
		)}, false},
		{"a column as it is", str, nil, []plan.Stmt{emit(in("s"))}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := &plan.Body{Locals: c.locals, Stmts: c.stmts, Errors: plan.PolicyFail}
			outs := []plan.Out{{Layout: plantest.Record(plantest.F("x", c.result))}}
			p := kernel.Compile(kernel.NewEnv(nil, fn.Table()), body, caseIn(), outs)
			if p.Kernel() == c.rows {
				t.Fatalf("kernel: %v", p.Kernel())
			}
			rapid.Check(t, func(t *rapid.T) {
				b := caseRows().Gather(batchtest.Sel(t, len(batchtest.Strings())))
				want := byRow(expr.NewEnv(nil, fn.Table()), body, outs, b, true).String()
				got, _ := byColumn(t, p, outs, b, true)
				if got.String() != want {
					t.Fatalf("by columns:\n%s\nrow by row:\n%s", got, want)
				}
			})
		})
	}
}
