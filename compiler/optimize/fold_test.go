package optimize_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pipec/pipec/compiler/optimize"
	"github.com/pipec/pipec/compiler/plan"
	. "github.com/pipec/pipec/compiler/plan/plantest"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// TestFoldKeepsMeaning makes random expressions over constants and a row, and evaluates each as it is and folded: the
// same value, or the same error at the same place.
func TestFoldKeepsMeaning(t *testing.T) {
	g := &exprGen{r: rand.New(rand.NewPCG(7, 11)), file: source.NewFile("random.pipe", strings.Repeat("x", 1<<16))}
	env := expr.NewEnv(nil, nil)
	smaller, failed := 0, 0
	for range 30_000 {
		e := g.expr(g.any(), 5)
		folded := optimize.Fold(e)
		frame := &expr.Frame{Input: []value.Value{
			value.OfInt(g.int()), value.OfString(g.text()), value.OfBool(g.r.IntN(2) == 0), g.optional(), value.OfFloat(g.float()),
		}}
		want, wantErr := expr.CompileExpr(env, e).Eval(frame)
		got, gotErr := expr.CompileExpr(env, folded).Eval(frame)
		switch {
		case (wantErr == nil) != (gotErr == nil), wantErr != nil && (wantErr.Code != gotErr.Code || wantErr.Place != gotErr.Place):
			t.Fatalf("%s\nfolded %s\nerror %v, want %v", plan.ExprString(e), plan.ExprString(folded), gotErr, wantErr)
		case wantErr == nil && !value.Equal(got, want):
			t.Fatalf("%s\nfolded %s\nvalue %v, want %v", plan.ExprString(e), plan.ExprString(folded), got, want)
		}
		if wantErr != nil {
			failed++
		}
		if len(plan.ExprString(folded)) < len(plan.ExprString(e)) {
			smaller++
		}
	}
	if smaller < 10_000 || failed < 1000 {
		t.Errorf("of 30,000 expressions %d got smaller and %d failed: the test has lost its point", smaller, failed)
	}
}

var (
	optInt  = &types.Optional{Elem: types.Int}
	intList = &types.List{Elem: types.Int}
	intMap  = &types.Map{Key: types.String, Elem: types.Int}
	pair    = Record(F("a", types.Int), F("b", types.String))
	row     = Record(F("n", types.Int), F("s", types.String), F("y", types.Bool), F("o", optInt), F("f", types.Float))
)

// exprGen makes random expressions. Each has a place of its own, so that errors can be told apart.
type exprGen struct {
	r    *rand.Rand
	file *source.File
	next int
}

func (g *exprGen) any() types.Type {
	return []types.Type{types.Int, types.Bool, types.String, types.Float, optInt, intList, pair}[g.r.IntN(7)]
}

func (g *exprGen) int() int64 {
	return []int64{0, 1, -1, 2, 3, math.MaxInt64, math.MinInt64, g.r.Int64()}[g.r.IntN(8)]
}

func (g *exprGen) float() float64 {
	return []float64{0, 1, -1.5, 1e308, 2.25, math.Copysign(0, -1)}[g.r.IntN(6)]
}

func (g *exprGen) text() string { return []string{"", "a", "b", "{x}", "ä"}[g.r.IntN(5)] }

func (g *exprGen) optional() value.Value {
	if g.r.IntN(2) == 0 {
		return value.Value{}
	}
	return value.OfInt(g.int())
}

func (g *exprGen) x(t types.Type) plan.X {
	g.next = (g.next + 1) % (1 << 16)
	return plan.X{T: t, At: source.Span{File: g.file, Start: g.next, End: g.next + 1}}
}

func (g *exprGen) expr(t types.Type, depth int) plan.Expr {
	if depth == 0 || g.r.IntN(8) == 0 {
		return g.leaf(t)
	}
	depth--
	sub := func(t types.Type) plan.Expr { return g.expr(t, depth) }
	switch g.r.IntN(6) {
	case 0:
		return &plan.If{X: g.x(t), Cond: sub(types.Bool), Then: sub(t), Else: sub(t)}
	case 1:
		if t != types.Type(optInt) {
			return &plan.Try{X: g.x(t), Operand: sub(t), Else: sub(t), Slot: -1}
		}
	}
	switch t {
	case types.Int:
		return g.intExpr(sub)
	case types.Float:
		if g.r.IntN(3) == 0 {
			return &plan.Convert{X: g.x(t), Operand: sub(types.Int)}
		}
		op := []plan.Op{plan.Add, plan.Sub, plan.Mul, plan.Div}[g.r.IntN(4)]
		return &plan.Binary{X: g.x(t), Op: op, Left: sub(t), Right: sub(t)}
	case types.Bool:
		return g.boolExpr(sub)
	case types.String:
		return g.textExpr(sub)
	case types.Type(optInt):
		if g.r.IntN(2) == 0 {
			return &plan.Convert{X: g.x(t), Operand: sub(types.Int)}
		}
		m := &plan.MakeMap{X: g.x(intMap)}
		for range g.r.IntN(3) {
			m.Keys, m.Elems = append(m.Keys, sub(types.String)), append(m.Elems, sub(types.Int))
		}
		return &plan.Index{X: g.x(t), Operand: m, Key: sub(types.String)}
	case types.Type(intList):
		l := &plan.MakeList{X: g.x(t)}
		for range g.r.IntN(3) {
			l.Elems = append(l.Elems, sub(types.Int))
		}
		return l
	default:
		return &plan.MakeRecord{X: g.x(t), Fields: []plan.Expr{sub(types.Int), sub(types.String)}}
	}
}

func (g *exprGen) leaf(t types.Type) plan.Expr {
	if i := g.r.IntN(len(row.Fields)); types.Equal(row.Fields[i].Type, t) {
		return &plan.Input{X: g.x(t), Field: i, Name: row.Fields[i].Name}
	}
	var v value.Value
	switch t {
	case types.Int:
		v = value.OfInt(g.int())
	case types.Float:
		v = value.OfFloat(g.float())
	case types.Bool:
		v = value.OfBool(g.r.IntN(2) == 0)
	case types.String:
		v = value.OfString(g.text())
	case types.Type(optInt):
		v = g.optional()
	case types.Type(intList):
		v = value.OfList([]value.Value{value.OfInt(g.int())})
	default:
		v = value.OfRecord([]value.Value{value.OfInt(g.int()), value.OfString(g.text())})
	}
	return &plan.Const{X: g.x(t), Value: v}
}

func (g *exprGen) intExpr(sub func(types.Type) plan.Expr) plan.Expr {
	switch g.r.IntN(6) {
	case 0:
		return &plan.Unary{X: g.x(types.Int), Op: plan.Neg, Operand: sub(types.Int)}
	case 1:
		return &plan.Coalesce{X: g.x(types.Int), Operand: sub(optInt), Else: sub(types.Int)}
	case 2:
		return &plan.Index{X: g.x(types.Int), Operand: sub(intList), Key: sub(types.Int)}
	case 3:
		return &plan.Member{X: g.x(types.Int), Operand: sub(pair), Field: 0, Name: "a"}
	}
	op := []plan.Op{plan.Add, plan.Sub, plan.Mul, plan.Div, plan.Mod}[g.r.IntN(5)]
	return &plan.Binary{X: g.x(types.Int), Op: op, Left: sub(types.Int), Right: sub(types.Int)}
}

func (g *exprGen) boolExpr(sub func(types.Type) plan.Expr) plan.Expr {
	switch g.r.IntN(4) {
	case 0:
		return &plan.Unary{X: g.x(types.Bool), Op: plan.Not, Operand: sub(types.Bool)}
	case 1:
		op := []plan.Op{plan.And, plan.Or}[g.r.IntN(2)]
		return &plan.Binary{X: g.x(types.Bool), Op: op, Left: sub(types.Bool), Right: sub(types.Bool)}
	case 2:
		return &plan.Binary{X: g.x(types.Bool), Op: plan.In, Left: sub(types.Int), Right: sub(intList)}
	}
	t := []types.Type{types.Int, types.Float, types.String}[g.r.IntN(3)]
	op := []plan.Op{plan.Eq, plan.Ne, plan.Lt, plan.Le, plan.Gt, plan.Ge}[g.r.IntN(6)]
	return &plan.Binary{X: g.x(types.Bool), Op: op, Left: sub(t), Right: sub(t)}
}

func (g *exprGen) textExpr(sub func(types.Type) plan.Expr) plan.Expr {
	if g.r.IntN(3) == 0 {
		return &plan.Member{X: g.x(types.String), Operand: sub(pair), Field: 1, Name: "b"}
	}
	e := &plan.Interp{X: g.x(types.String)}
	for range g.r.IntN(4) {
		if g.r.IntN(2) == 0 {
			e.Parts = append(e.Parts, sub(types.String))
		} else {
			hole := []types.Type{types.Int, types.Float, types.Bool, intList, pair}[g.r.IntN(5)]
			e.Parts = append(e.Parts, &plan.Convert{X: g.x(types.String), Operand: sub(hole)})
		}
	}
	return e
}
