package check

import (
	"strings"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// Expressions are checked in two directions. exprFor pushes the type that a place wants down to where it can be met or
// missed: into the branches of an `if`, the fields of a record literal, the elements of a list, so that a mismatch is
// told at the smallest part that has to change. What has a type of its own is inferred from its parts upwards, and
// then converted: convert is the one place that knows the implicit conversions.
//
// Invariant: after either, Info.Types has a type for the expression and all its parts.

// expect is the type that a place wants, and why: of is what wants it, as "the parameter `sep` of `join`" or "", at the
// declaration that says so, if there is one.
type expect struct {
	t  types.Type
	of string
	at source.Span
}

// expr checks an expression; want nil: no expectation. It returns the type after the conversion to want, or
// types.Invalid if something was told.
func (c *checker) expr(sc *scope, e ast.Expr, want types.Type) types.Type {
	return c.exprFor(sc, e, expect{t: want})
}

// exprFor is expr with a reason for messages.
func (c *checker) exprFor(sc *scope, e ast.Expr, want expect) types.Type {
	if want.t == nil {
		return c.infer(sc, e, nil)
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		t := c.exprFor(sc, x.X, want)
		c.setType(e, t)
		c.copyConst(e, x.X)
		return t
	case *ast.IfExpr:
		return c.ifExpr(sc, x, want)
	case *ast.ElseExpr:
		return c.elseExpr(sc, x, want)
	case *ast.RecordExpr:
		if r, ok := isRecord(types.Bare(want.t)); ok {
			return c.convert(sc, e, c.recordFor(sc, x, r, want), want)
		}
	case *ast.ListExpr:
		if l, ok := types.Bare(want.t).(*types.List); ok {
			return c.convert(sc, e, c.listFor(sc, x, l, want), want)
		}
	case *ast.CompExpr:
		if l, ok := types.Bare(want.t).(*types.List); ok {
			return c.convert(sc, e, c.comprehension(sc, x, l, want), want)
		}
	case *ast.MapExpr:
		if m, ok := types.Bare(want.t).(*types.Map); ok {
			return c.convert(sc, e, c.mapFor(sc, x, m, want), want)
		}
	}
	return c.convert(sc, e, c.infer(sc, e, want.t), want)
}

// infer returns the type that an expression has by itself. The hint, which may be nil, says what the place would like:
// it decides only what the text leaves open (the type of `[]`, a string that may be an enum's member).
func (c *checker) infer(sc *scope, e ast.Expr, hint types.Type) types.Type {
	t := c.inferNew(sc, e, hint)
	if t == types.Invalid {
		sc.body.poisoned = true
	}
	if c.info.Types[e] == nil {
		c.setType(e, t)
	}
	return t
}

func (c *checker) inferNew(sc *scope, e ast.Expr, hint types.Type) types.Type {
	switch e := e.(type) {
	case *ast.BasicLit:
		return c.basicLit(sc, e, hint)
	case *ast.StrLit:
		return c.strLit(sc, e, hint)
	case *ast.NameExpr:
		return c.name(sc, e, hint)
	case *ast.MemberExpr:
		return c.memberExpr(sc, e)
	case *ast.IndexExpr:
		return c.index(sc, e)
	case *ast.CallExpr:
		return c.call(sc, e)
	case *ast.ParenExpr:
		t := c.infer(sc, e.X, hint)
		c.copyConst(e, e.X)
		return t
	case *ast.RecordExpr:
		return c.recordLit(sc, e)
	case *ast.ListExpr:
		return c.listLit(sc, e, hint)
	case *ast.MapExpr:
		return c.mapLit(sc, e, hint)
	case *ast.CompExpr:
		return c.comprehension(sc, e, nil, expect{})
	case *ast.IfExpr:
		return c.ifExpr(sc, e, expect{})
	case *ast.UnaryExpr:
		return c.unary(sc, e, hint)
	case *ast.BinaryExpr:
		return c.binary(sc, e)
	case *ast.ElseExpr:
		return c.elseExpr(sc, e, expect{})
	case *ast.BadExpr:
		c.haze(everyName)
		return types.Invalid
	case *ast.StrText:
		return types.String
	default:
		bug.Panicf("check: expression %T", e)
		return nil
	}
}

func (c *checker) setType(e ast.Expr, t types.Type) {
	if t == nil {
		t = types.Invalid
	}
	c.info.Types[e] = t
}

// typed returns the type of a value whose place says nothing of it, after telling if the value does not either.
func (c *checker) typed(e ast.Expr, t types.Type) types.Type {
	if types.Has(t, func(t types.Type) bool { return t == types.None }) {
		c.errorf(diag.NeedsType, e.Span(), "`none` says nothing of its type").
			note("Write the type where the value is declared, as in `let x: string? = none`.")
		return types.Invalid
	}
	return t
}

// convert makes a value of type got fit a place that wants another type, or tells why it cannot. It returns the wanted
// type, or types.Invalid if there was something to tell, now or before.
func (c *checker) convert(sc *scope, e ast.Expr, got types.Type, want expect) types.Type {
	switch {
	case types.IsInvalid(got) || types.IsInvalid(want.t):
		return types.Invalid
	case types.Equal(got, want.t):
		return want.t
	case types.Assignable(got, want.t):
		return c.converted(e, want.t)
	case types.Bare(want.t) == types.Float && got == types.Int && c.isConst(e):
		if !c.exactFloat(e) {
			return types.Invalid
		}
		return c.converted(e, want.t)
	case types.IsOptional(got) && got != types.None && types.Assignable(types.Bare(got), want.t):
		c.mayBeNone(e, got, want)
		return types.Invalid
	}
	c.mismatch(e, got, want)
	return types.Invalid
}

// converted notes an implicit conversion. The place of a narrowed optional that wants the optional needs none.
func (c *checker) converted(e ast.Expr, to types.Type) types.Type {
	if types.Equal(c.info.Types[e], to) {
		delete(c.info.Wants, e)
	} else {
		c.info.Wants[e] = to
	}
	return to
}

func (c *checker) mismatch(e ast.Expr, got types.Type, want expect) {
	var r *report
	if want.of != "" {
		r = c.errorf(diag.Mismatch, e.Span(), "%s wants %s, found %s", want.of, aType(want.t), aType(got))
	} else {
		r = c.errorf(diag.Mismatch, e.Span(), "wanted %s, found %s", aType(want.t), aType(got))
	}
	r.label("this is %s", aType(got)).related(want.at, "wanted by this")
	c.wrongAgain(r, e)
	c.mend(r, e, got, types.Bare(want.t))
}

// mend adds how a value of type got becomes one of type want.
func (c *checker) mend(r *report, e ast.Expr, got, want types.Type) {
	text := shown(e)
	enum, isEnum := want.(*types.Enum)
	wantRecord, wr := isRecord(want)
	gotRecord, gr := isRecord(got)
	switch {
	case want == types.Float && got == types.Int:
		r.fix("convert it to a float", wrap(e.Span(), "float(", ")")...)
	case want == types.Int && got == types.Float:
		r.note("`int(…)` cuts a float towards zero.").fix("convert it to an int", wrap(e.Span(), "int(", ")")...)
	case want == types.String && types.IsOptional(got):
		r.note("Give it a default first: `%s else …`.", text)
	case want == types.String && got != types.None:
		r.fix("write it into a string", wrap(e.Span(), `"{`, `}"`)...)
	case got == types.String && (want == types.Int || want == types.Float || want == types.Bool):
		r.note("`%s(%s)` reads it, and can fail: settle it with `else`, as in `%s(%s) else %s`.", want, text, want, text, defaultFor(want))
	case got == types.String && isEnum && enum.Name != "":
		r.note("`%s(%s)` checks that it is a member, and can fail: settle it with `else`.", enum.Name, text)
	case wr && gr:
		for _, f := range wantRecord.Fields {
			i := gotRecord.Index(f.Name)
			switch {
			case i < 0:
				r.note("It has no field `%s`.", f.Name)
			case !types.Equal(gotRecord.Fields[i].Type, f.Type):
				r.note("Its field `%s` is %s, wanted %s.", f.Name, aType(gotRecord.Fields[i].Type), aType(f.Type))
			}
		}
		r.note("A record that is not a literal is never converted field by field: build it, as in `(..%s, field: …)`.", text)
	}
}

func (c *checker) mayBeNone(e ast.Expr, got types.Type, want expect) {
	of := want.of
	if of == "" {
		of = "the place"
	}
	r := c.errorf(diag.MayBeNone, e.Span(), "%s may be none, and %s wants %s", subject(e), of, aType(want.t)).
		label("this is %s", aType(got)).related(want.at, "wanted by this")
	if !c.explainOr(r, e) {
		r.note("Give a default, `%s else …`, or test it before: `if %s != none { … }`.", shown(e), shown(e))
	}
}

// shown returns the text of an expression for messages, or "x" where it is long.
func shown(e ast.Expr) string {
	text := e.Span().Text()
	if len(text) > 40 || strings.ContainsAny(text, "\n`") {
		return "x"
	}
	return text
}

// subject returns the text of an expression in backquotes, or "this" where it is long.
func subject(e ast.Expr) string {
	if text := shown(e); text != "x" || e.Span().Text() == "x" {
		return "`" + text + "`"
	}
	return "this"
}

func (c *checker) basicLit(sc *scope, e *ast.BasicLit, hint types.Type) types.Type {
	v, t, ok := catalog.BasicLit(e)
	switch {
	case t == types.Regex && hint != types.Regex && hint != types.Invalid:
		c.errorf(diag.RegexPlace, e.Span(), "a regular expression stands only as an argument of a function, or in a `let` of the file")
		return types.Invalid
	case !ok:
		if e.Kind == ast.TimeLit {
			c.badTime(e)
		}
		return types.Invalid
	}
	c.setConst(e, v)
	return t
}

func (c *checker) strLit(sc *scope, e *ast.StrLit, hint types.Type) types.Type {
	if enum, ok := bareHint(hint).(*types.Enum); ok && isPlain(e) {
		return c.enumMember(e, enum)
	}
	for _, p := range e.Parts {
		if _, text := p.(*ast.StrText); text {
			c.setType(p, types.String)
			continue
		}
		c.hole(sc, p)
	}
	c.foldString(sc, e)
	return types.String
}

// bareHint returns a hint, which may be nil, without its optionality.
func bareHint(hint types.Type) types.Type {
	if hint == nil {
		return nil
	}
	return types.Bare(hint)
}

// isPlain reports whether a string has no holes.
func isPlain(e *ast.StrLit) bool {
	for _, p := range e.Parts {
		if _, text := p.(*ast.StrText); !text {
			return false
		}
	}
	return true
}

// enumMember checks a string literal where an enum is wanted or compared.
func (c *checker) enumMember(e *ast.StrLit, enum *types.Enum) types.Type {
	text := catalog.Text(e)
	for _, p := range e.Parts {
		c.setType(p, types.String)
	}
	for _, m := range enum.Members {
		if m == text {
			c.setConstText(e, text)
			return enum
		}
	}
	name := "one of the members"
	if enum.Name != "" {
		name = "a member of `" + enum.Name + "`"
	}
	inner := e.Span()
	inner.Start, inner.End = inner.Start+1, max(inner.Start+1, inner.End-1)
	c.errorf(diag.NotAMember, e.Span(), "%q is not %s", text, name).suggest(inner, text, enum.Members, "The members are")
	return types.Invalid
}

// hole checks a hole of a string: a value that has a text.
func (c *checker) hole(sc *scope, e ast.Expr) {
	t := c.infer(sc, e, nil)
	switch t {
	case types.Bool, types.Int, types.Float, types.Time, types.Duration:
	default:
		c.fault(sc) // the text may be too large
	}
	if types.IsOptional(t) {
		r := c.errorf(diag.MayBeNone, e.Span(), "%s may be none, which has no text", subject(e)).
			label("this is %s", aType(t)).
			note("Say what to write then: `{%s else \"…\"}`.", shown(e))
		if types.Bare(t) == types.String {
			r.fix("write nothing where it is none", elseEdits(e, `""`)...)
		}
	}
}

// elseEdits are the edits that put an `else` behind an expression.
func elseEdits(e ast.Expr, arm string) []diag.Edit {
	if needsParens(e) {
		return wrap(e.Span(), "(", ") else "+arm)
	}
	return []diag.Edit{behind(e.Span(), " else "+arm)}
}

// needsParens reports whether `else` behind an expression would bind to a part of it.
func needsParens(e ast.Expr) bool {
	switch e.(type) {
	case *ast.BinaryExpr, *ast.ElseExpr, *ast.IfExpr:
		return true
	}
	return false
}
