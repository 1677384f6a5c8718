package check

import (
	"strconv"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
)

// typeStep checks an inline step over rows of type v.In.
func (g *graph) typeStep(v *vertex) {
	switch s := v.step.(type) {
	case *ast.WhereStep:
		sc := g.stepBody("the `where`", v.In, nil)
		g.cond(sc, s.Cond)
		g.endStep(v, sc)
		v.Outs = []Out{{Type: v.In, At: v.At}}
	case *ast.SelectStep:
		sc := g.stepBody("the `select`", v.In, nil)
		rec := g.record(sc, s.Record, nil)
		g.endStep(v, sc)
		v.Outs = []Out{{Type: rec, At: v.At}}
	case *ast.FlatStep:
		g.typeFlat(v, s)
	case *ast.RouteStep:
		g.typeRoute(v, s)
	case *ast.AggregateStep:
		g.typeAggregate(v, s)
	case *ast.TopStep:
		g.typeTop(v, s)
	default:
		bug.Panicf("check: %T has no types", s)
	}
}

func (g *graph) endStep(v *vertex, sc *scope) {
	g.endBody(sc)
	v.Locals, v.Aggs = sc.body.locals, sc.body.aggs
	v.CanFail = v.CanFail || sc.body.canFail
}

// typeFlat gives a row for each element of a list: the other fields stay, and the element takes its name.
func (g *graph) typeFlat(v *vertex, s *ast.FlatStep) {
	sc := g.stepBody("the `flat`", v.In, nil)
	t := g.expr(sc, s.Value, nil)
	g.endStep(v, sc)
	v.Outs = []Out{{At: v.At}}
	list, ok := t.(*types.List)
	if !ok {
		if !types.IsInvalid(t) {
			g.errorf(diag.FlatWantsList, s.Value.Span(), "`flat` wants a list and gives a row for each element, but this is `%s`", t).
				label("not a list")
		}
		return
	}
	out := &types.Record{}
	done := false
	for _, f := range v.In.Fields {
		if f.Name == s.Name.Name {
			f.Type, done = list.Elem, true
		}
		out.Fields = append(out.Fields, f)
	}
	if !done {
		out.Fields = append(out.Fields, types.Field{Name: s.Name.Name, Type: list.Elem})
	}
	v.Outs[0].Type = out
}

// typeTop keeps the fields of its input.
func (g *graph) typeTop(v *vertex, s *ast.TopStep) {
	v.Outs = []Out{{Type: v.In, At: v.At}}
	if s.Count != nil {
		g.constArg(s.Count, expect{t: types.Int, of: "the number of rows of `top`"})
		if n, ok := g.info.Consts[s.Count]; ok && n.Int() < 1 {
			g.add(BadTopCount(n, s.Count))
		}
	}
	sc := g.stepBody("the `top`", v.In, nil)
	sc.body.rowwise = false
	t := g.expr(sc, s.By, nil)
	g.endStep(v, sc)
	if !types.IsInvalid(t) && !types.IsOrdered(t) {
		r := g.errorf(diag.TopOrder, s.By.Span(), "`top` orders rows by a number, string, time or duration, not by `%s`", t).label("has no order")
		if types.IsOptional(t) && types.IsOrdered(types.Bare(t)) {
			r.note("It may be none; say what counts then, `%s else …`.", s.By.Span().Text())
		}
	}
	if s.Window != nil && !runsWhole(s.Window) {
		v.broken = true
		return
	}
	g.needsEnd(v, stepHead(s), "`top`")
}

// runsWhole reports whether a window is over the whole input. The others cannot be run yet, which fillStep has told.
func runsWhole(w *ast.Window) bool {
	return w.Kind == "whole" && w.On == nil && w.Lag == nil && w.Idle == nil
}

// typeAggregate gives the keys first, then the items.
func (g *graph) typeAggregate(v *vertex, s *ast.AggregateStep) {
	v.Outs = []Out{{At: v.At}}
	var locals []types.Type // of the keys, which the arguments of aggregates may hold
	if s.By != nil {
		sc := g.edgeScope(v.In)
		v.Keys = g.keys(sc, s.By.Keys)
		g.endBody(sc)
		v.CanFail, locals = sc.body.canFail, sc.body.locals
	}
	sc := g.aggregateBody("the `aggregate`", v.In, v.Keys)
	sc.body.locals = locals
	rec := g.record(sc, s.Record, nil)
	g.endStep(v, sc)
	if s.Window == nil || !runsWhole(s.Window) {
		v.broken = true
		return
	}
	if rec != nil {
		out := &types.Record{}
		for _, k := range v.Keys {
			if i := rec.Index(k.Name); i >= 0 {
				g.errorf(diag.KeyRepeated, s.Record.Items[min(i, len(s.Record.Items)-1)].Span(), "`%s` is a key, and comes first by itself", k.Name).
					label("a second `%s`", k.Name).
					note("Leave it out of the `aggregate`, or give it another name.")
				return
			}
			out.Fields = append(out.Fields, types.Field{Name: k.Name, Type: k.Type})
		}
		out.Fields = append(out.Fields, rec.Fields...)
		v.Outs[0].Type = out
	}
	g.needsEnd(v, s.Window.Span(), "`window whole`")
}

// typeRoute gives each case an output of its own.
func (g *graph) typeRoute(v *vertex, s *ast.RouteStep) {
	sc := g.stepBody("the `route`", v.In, nil)
	for i, c := range s.Cases {
		name := "default"
		if c.When != nil {
			g.cond(sc.inner(), c.When)
			name = caseName(i)
		}
		v.Outs = append(v.Outs, Out{Name: name, Type: v.In, At: keyword(c.Span(), "default")})
	}
	g.endStep(v, sc)
	g.checkCases(s)
}

func caseName(i int) string { return "case" + strconv.Itoa(i+1) }

// checkCases tells cases that no row can reach, and rows that no case takes.
//
// A route without `default` is whole if its conditions, all over one field, name every member of an enum or both values
// of a bool. The conditions that are understood are `x == "a"`, `x in ["a", "b"]`, `x`, `!x`, and `||` of such.
func (g *graph) checkCases(s *ast.RouteStep) {
	taken := map[string]*ast.Case{} // member to its case
	subject, understood := "", true
	var of types.Type
	for i, c := range s.Cases {
		if c.When == nil {
			if i < len(s.Cases)-1 {
				g.errorf(diag.DeadCase, s.Cases[i+1].Span(), "no row reaches this case: `default` before it takes all").
					label("never reached").
					related(c.Span(), "takes every row").
					note("Put `default` last.")
			}
			return
		}
		m := g.members(c.When)
		if m == nil || subject != "" && m.subject != subject {
			understood = false
			continue
		}
		subject, of = m.subject, m.of
		fresh := false
		for _, name := range m.names {
			if taken[name] == nil {
				taken[name], fresh = c, true
			}
		}
		if first := taken[firstOf(m.names)]; !fresh && first != nil && first != c {
			g.errorf(diag.DeadCase, c.When.Span(), "no row reaches this case: an earlier one takes `%s`", m.names[0]).
				label("never reached").
				related(first.When.Span(), "takes `%s`", m.names[0])
		}
	}
	g.checkWhole(s, subject, of, taken, understood)
}

func firstOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

func (g *graph) checkWhole(s *ast.RouteStep, subject string, of types.Type, taken map[string]*ast.Case, understood bool) {
	if g.toldIn(s.Span()) {
		return
	}
	for _, c := range s.Cases {
		if types.IsInvalid(g.exprType(c.When)) {
			return
		}
	}
	head := stepHead(s)
	all := allMembers(of)
	var left []string
	for _, m := range all {
		if taken[m] == nil {
			left = append(left, m)
		}
	}
	if understood && len(all) > 0 && len(left) == 0 {
		return
	}
	r := g.errorf(diag.OpenRoute, head, "a row that no case takes would be lost").label("has no `default`")
	if understood && len(all) > 0 {
		r.note("No case takes %s of `%s`.", quoteAll(left), subject)
	}
	r.note("Add `default -> …` as the last case; `default -> null.discard()` throws the rest away on purpose.")
}

func allMembers(t types.Type) []string {
	if e, ok := t.(*types.Enum); ok {
		return e.Members
	}
	if t == types.Bool {
		return []string{"true", "false"}
	}
	return nil
}

// memberTest is a condition that names members of one value: "level" is one of these.
type memberTest struct {
	subject string
	of      types.Type
	names   []string
}

// members returns what a condition tests, or nil if it is of another form.
func (g *graph) members(e ast.Expr) *memberTest {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return g.members(e.X)
	case *ast.NameExpr, *ast.MemberExpr:
		return g.boolTest(e, "true")
	case *ast.UnaryExpr:
		if e.Op == "!" {
			return g.boolTest(e.X, "false")
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case "||":
			a, b := g.members(e.X), g.members(e.Y)
			if a == nil || b == nil || a.subject != b.subject {
				return nil
			}
			return &memberTest{a.subject, a.of, append(a.names, b.names...)}
		case "==":
			if m := g.enumTest(e.X, e.Y); m != nil {
				return m
			}
			return g.enumTest(e.Y, e.X)
		case "in":
			list, ok := e.Y.(*ast.ListExpr)
			if !ok {
				return nil
			}
			return g.enumTest(e.X, list.Elems...)
		}
	}
	return nil
}

func (g *graph) boolTest(e ast.Expr, name string) *memberTest {
	if !isPath(e) || g.exprType(e) != types.Bool {
		return nil
	}
	return &memberTest{e.Span().Text(), types.Bool, []string{name}}
}

func (g *graph) enumTest(subject ast.Expr, members ...ast.Expr) *memberTest {
	enum, ok := g.exprType(subject).(*types.Enum)
	if !ok || !isPath(subject) {
		return nil
	}
	m := &memberTest{subject: subject.Span().Text(), of: enum}
	for _, e := range members {
		s, ok := e.(*ast.StrLit)
		if !ok {
			return nil
		}
		text := ""
		for _, p := range s.Parts {
			part, ok := p.(*ast.StrText)
			if !ok {
				return nil
			}
			text += part.Value
		}
		m.names = append(m.names, text)
	}
	return m
}

// isPath reports whether e is a name or a field of one.
func isPath(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.NameExpr:
		return true
	case *ast.MemberExpr:
		return !e.Optional && isPath(e.X)
	}
	return false
}

// exprType returns the type of an expression that was checked; of one that was not, the poison.
func (g *graph) exprType(e ast.Expr) types.Type {
	if t := g.info.Types[e]; t != nil {
		return t
	}
	return types.Invalid
}
