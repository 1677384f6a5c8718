package kernel_test

import (
	"slices"
	"strings"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch/batchtest"
	"github.com/pipec/pipec/lang/types"
)

// basic draws an operator or a call with a result of a basic type.
func (g *gen) basic(t types.Basic, depth int) plan.Expr {
	e := func(t types.Type) plan.Expr { return g.expr(t, depth) }
	switch t {
	case types.Bool:
		return g.boolean(depth)
	case types.Int:
		switch g.n(0, 5) {
		case 0:
			return &plan.Unary{X: g.x(t), Op: plan.Neg, Operand: e(t)}
		case 1:
			return g.call(t, "int", e(types.String))
		case 2:
			return g.call(t, "len", e(types.String))
		case 3:
			return g.call(t, "len", e(&types.List{Elem: types.Int}))
		}
		return g.bin(t, e(t), e(t), plan.Add, plan.Sub, plan.Mul, plan.Div, plan.Mod)
	case types.Float:
		switch g.n(0, 4) {
		case 0:
			return &plan.Convert{X: g.x(t), Operand: e(types.Int)}
		case 1:
			return g.call(t, "float", e(types.String))
		case 2:
			return &plan.Unary{X: g.x(t), Op: plan.Neg, Operand: e(t)}
		case 3:
			return g.bin(t, e(types.Duration), e(types.Duration), plan.Div)
		}
		return g.bin(t, e(t), e(t), plan.Add, plan.Sub, plan.Mul, plan.Div, plan.Mod)
	case types.Time:
		if g.n(0, 3) == 0 {
			return g.call(t, "now")
		}
		return g.bin(t, e(types.Time), e(types.Duration), plan.Add, plan.Sub)
	case types.Duration:
		switch g.n(0, 4) {
		case 0:
			return g.bin(t, e(types.Time), e(types.Time), plan.Sub)
		case 1:
			return g.bin(t, e(types.Duration), e(types.Float), plan.Mul, plan.Div)
		case 2:
			return g.bin(t, e(types.Duration), e(types.Int), plan.Mul, plan.Div)
		case 3:
			return g.bin(t, e(types.Int), e(types.Duration), plan.Mul)
		}
		return g.bin(t, e(t), e(t), plan.Add, plan.Sub, plan.Mod)
	case types.String:
		return g.text(depth)
	default:
		return g.leaf(t)
	}
}

func (g *gen) boolean(depth int) plan.Expr {
	e := func(t types.Type) plan.Expr { return g.expr(t, depth) }
	switch g.n(0, 8) {
	case 0:
		return &plan.Unary{X: g.x(types.Bool), Op: plan.Not, Operand: e(types.Bool)}
	case 1, 2:
		return g.bin(types.Bool, e(types.Bool), e(types.Bool), plan.And, plan.Or)
	case 3:
		t := batchtest.Scalar(g.t)
		return g.bin(types.Bool, e(t), e(&types.List{Elem: t}), plan.In)
	case 4:
		list := &plan.MakeList{X: g.x(&types.List{Elem: types.String})}
		for range []int{0, 2, 9}[g.n(0, 2)] {
			list.Elems = append(list.Elems, g.constant(types.String))
		}
		return g.bin(types.Bool, e(types.String), list, plan.In)
	case 5:
		return g.call(types.Bool, []string{"contains", "text.starts_with", "text.ends_with"}[g.n(0, 2)],
			e(types.String), e(types.String))
	case 6:
		t := g.typ()
		return g.bin(types.Bool, e(t), e(t), plan.Eq, plan.Ne)
	}
	t := batchtest.Scalar(g.t)
	if !types.IsOrdered(t) {
		return g.bin(types.Bool, e(t), e(t), plan.Eq, plan.Ne)
	}
	return g.bin(types.Bool, e(t), e(t), plan.Eq, plan.Ne, plan.Lt, plan.Le, plan.Gt, plan.Ge)
}

func (g *gen) text(depth int) plan.Expr {
	e := func(t types.Type) plan.Expr { return g.expr(t, depth) }
	t := types.String
	switch g.n(0, 5) {
	case 0:
		return g.call(t, []string{"lower", "upper", "trim", "text.trim", "text.lower"}[g.n(0, 4)], e(t))
	case 1:
		from := g.typ()
		if types.IsOptional(from) && types.IsString(types.Bare(from)) {
			from = types.Bare(from) // The checker lets only what holds a value through.
		}
		return &plan.Convert{X: g.x(t), Operand: e(from)}
	case 2:
		return &plan.Convert{X: g.x(t), Operand: e(batchtest.Colour())}
	case 3:
		return g.call(t, "string", e(g.typ()))
	}
	p := &plan.Interp{X: g.x(t)}
	for range g.n(1, 4) {
		p.Parts = append(p.Parts, e(t))
	}
	return p
}

// stmts draws statements that follow each other in one scope.
func (g *gen) stmts(depth int) []plan.Stmt {
	scope := g.scope
	g.scope = append([]int{}, scope...)
	var out []plan.Stmt
	for range g.n(0, 4) {
		out = append(out, g.stmt(depth))
	}
	if g.n(0, 2) > 0 {
		out = append(out, g.emit(1))
	}
	g.scope = scope
	return out
}

func (g *gen) stmt(depth int) plan.Stmt {
	s := plan.S{At: g.span()}
	switch k := g.n(0, 17); {
	case k < 4:
		t := g.typ()
		v := g.expr(t, g.n(1, 4))
		slot := g.slot(t)
		g.scope = append(g.scope, slot)
		return &plan.SetLocal{S: s, Slot: slot, Value: v}
	case k >= 14 && len(g.scope) > 0:
		slot := g.scope[g.n(0, len(g.scope)-1)]
		return &plan.SetLocal{S: s, Slot: slot, Value: g.expr(g.locals[slot], 2)}
	case k < 7 && depth > 0:
		return &plan.IfStmt{S: s, Cond: g.expr(types.Bool, 3), Then: g.stmts(depth - 1), Else: g.stmts(depth - 1)}
	case k < 9 && depth > 0:
		return g.forStmt(s, depth)
	case k == 9:
		return &plan.Drop{S: s, Name: []string{"one", "two"}[g.n(0, 1)]}
	case k == 10:
		return &plan.Fail{S: s, Message: g.expr(types.String, 1)}
	case k == 11 && g.loops > 0:
		return &plan.Continue{S: s}
	case k == 12 && g.loops > 0 && g.n(0, 3) == 0:
		return &plan.Break{S: s}
	case k == 13 && g.n(0, 2) == 0:
		return &plan.Return{S: s}
	default:
		return g.emit(2)
	}
}

func (g *gen) forStmt(s plan.S, depth int) plan.Stmt {
	f := &plan.For{S: s, Slot2: -1}
	elem := batchtest.Scalar(g.t)
	scope := g.scope
	g.scope = append([]int{}, scope...)
	if g.n(0, 3) == 0 {
		f.In = g.expr(&types.Map{Key: types.String, Elem: types.Int}, 2)
		f.Slot = g.slot(types.String)
		g.scope = append(g.scope, f.Slot)
		if g.n(0, 1) == 0 {
			f.Slot2 = g.slot(types.Int)
			g.scope = append(g.scope, f.Slot2)
		}
	} else {
		f.In = g.expr(&types.List{Elem: elem}, 2)
		if g.n(0, 1) == 0 {
			f.Slot = g.slot(elem)
		} else {
			f.Slot, f.Slot2 = g.slot(types.Int), g.slot(elem)
			g.scope = append(g.scope, f.Slot2)
		}
		g.scope = append(g.scope, f.Slot)
	}
	g.loops++
	f.Body = g.stmts(depth - 1)
	g.loops--
	g.scope = scope
	return f
}

func (g *gen) emit(depth int) plan.Stmt {
	e := &plan.Emit{S: plan.S{At: g.span()}, Output: g.n(0, len(g.outs)-2), Unanchored: g.n(0, 9) == 0}
	for _, f := range g.outs[e.Output].Layout.Fields {
		e.Fields = append(e.Fields, g.expr(f.Type, depth))
	}
	return e
}

// body draws a body with two outputs and one for errors, which is the last.
func (g *gen) body() *plan.Body {
	g.in = batchtest.Record(g.t, 1)
	for name, t := range map[string]types.Type{
		"i": types.Int, "j": types.Int, "s": types.String, "u": types.String, "f": types.Float, "z": types.Bool,
		"l": &types.List{Elem: types.Int}, "w": &types.List{Elem: types.String}, "o": &types.Optional{Elem: types.Int},
		"e": &types.Optional{Elem: types.String},
	} {
		g.in.Fields = append(g.in.Fields, types.Field{Name: name, Type: t})
	}
	slices.SortFunc(g.in.Fields, func(a, b types.Field) int { return strings.Compare(a.Name, b.Name) })
	for _, name := range []string{"", "more"} {
		out := &types.Record{}
		for i := range g.n(1, 2) {
			out.Fields = append(out.Fields, types.Field{Name: string(rune('p' + i)), Type: g.typ()})
		}
		g.outs = append(g.outs, plan.Out{Name: name, Layout: out})
	}
	g.outs = append(g.outs, plan.Out{Name: "errors", Layout: &types.Record{Fields: []types.Field{
		{Name: "input", Type: g.in}, {Name: "error", Type: errorType()},
	}}})
	g.exits = true
	b := &plan.Body{Errors: []plan.Policy{plan.PolicyDrop, plan.PolicyFail, plan.PolicyEmit}[g.n(0, 2)]}
	b.Stmts = g.stmts(3)
	b.Locals = g.locals
	return b
}

// dump returns a body as text.
func (g *gen) dump(b *plan.Body) string {
	return plan.Dump(&plan.Plan{Funcs: g.funcs, Nodes: []*plan.Node{{Name: "n", Kind: plan.KindBody, In: g.in, Outs: g.outs, Body: b}}})
}
