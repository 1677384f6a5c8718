package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// Fallibility. Each expression that can fail is a place; places collect in the body until an `else` to their right
// takes all that came up inside of it, or the end of the body finds them: then the bolt's `errors` clause or the
// function's `!` takes them, or they are told, all in one diagnostic.

// place is an expression that can fail.
type place struct {
	node ast.Expr
	why  string
	// clauseOnly: no `else` can stand behind it, as in `xs[i] = v`.
	clauseOnly bool
}

// failures are the places that nothing has settled yet.
type failures struct{ places []place }

// fails notes that an expression can fail.
func (c *checker) fails(sc *scope, e ast.Expr, why string) {
	b := sc.body
	b.failures.places = append(b.failures.places, place{node: e, why: why})
}

// fault notes that an expression can end the body by a fault, which needs no handling.
func (c *checker) fault(sc *scope) { sc.body.canFail = true }

// endBody tells what is unsettled in a step or constant, and which names are unused.
func (c *checker) endBody(sc *scope) { c.settle(sc.body, nil) }

// settleHere tells what is unsettled since the given failures, in a part whose failures no clause can take: it is
// computed before or after the body.
func (c *checker) settleHere(b *body, outer *failures, what string) {
	inner := b.failures
	b.failures = outer
	if len(inner.places) > 0 {
		c.unsettled(inner.places, what)
	}
}

// settle ends a body. mends are ways to settle all of its places at once.
func (c *checker) settle(b *body, whole func(*report)) {
	if len(b.failures.places) == 0 {
		return
	}
	r := c.unsettled(b.failures.places, b.what)
	if whole != nil {
		whole(r)
	}
	b.failures.places = nil
}

// unsettled tells places that nothing settles, at the first of them.
func (c *checker) unsettled(places []place, what string) *report {
	first := places[0]
	var r *report
	if len(places) == 1 {
		r = c.errorf(diag.Unsettled, first.node.Span(), "this can fail, and %s does not say what happens then", what)
	} else {
		r = c.errorf(diag.Unsettled, first.node.Span(), "%d places can fail, and %s does not say what happens then", len(places), what)
	}
	r.label("%s", first.why)
	for _, p := range places[1:] {
		r.related(p.node.Span(), "%s", p.why)
	}
	if e := first.node; !first.clauseOnly {
		text := shown(e)
		if needsParens(e) {
			text = "(" + text + ")"
		}
		r.note("Settle it where it stands: `%s else %s` gives a default, `%s else drop \"why\"` or `else fail \"why\"` gives the tuple up.",
			text, c.defaultOf(e), text)
	}
	return r
}

// defaultOf returns a default for an expression, for messages.
func (c *checker) defaultOf(e ast.Expr) string { return defaultFor(c.info.Types[e]) }

func defaultFor(t types.Type) string {
	switch t {
	case types.Int:
		return "0"
	case types.Float:
		return "0.0"
	case types.Bool:
		return "false"
	case types.String:
		return `""`
	}
	return "…"
}

// settleEach are the edits that drop the tuple at each place that is not part of another.
func settleEach(places []place) []diag.Edit {
	var edits []diag.Edit
	covered := -1
	for _, p := range outermost(places) {
		e := p.node
		if p.clauseOnly || e.Span().Start < covered {
			continue
		}
		covered = e.Span().End
		edits = append(edits, elseEdits(e, `drop "cannot be computed"`)...)
	}
	return edits
}

// outermost sorts places by their start, an outer one before those inside of it.
func outermost(places []place) []place {
	sorted := slices.Clone(places)
	slices.SortStableFunc(sorted, func(a, b place) int {
		x, y := a.node.Span(), b.node.Span()
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End))
	})
	return sorted
}

// elseExpr checks `x else arm`. The arm takes the failures of everything in x, and its none.
func (c *checker) elseExpr(sc *scope, e *ast.ElseExpr, want expect) types.Type {
	b := sc.body
	outer := b.failures
	b.failures = &failures{}
	var hint types.Type
	if want.t != nil {
		hint = types.Opt(want.t)
	}
	got := c.infer(sc, e.X, hint)
	canFail := len(b.failures.places) > 0
	b.failures = outer
	canNone := types.IsOptional(got)
	c.info.Settles[e] = Settles{Fails: canFail, None: canNone}

	arm := sc.inner()
	if canFail || types.IsInvalid(got) {
		c.declareError(arm)
	}
	if !canFail && !canNone && !types.IsInvalid(got) {
		c.needlessElse(e)
	}
	var t types.Type
	if e.Exit != nil {
		c.exit(arm, e.Exit)
		t = types.Bare(got)
		if t == types.None {
			t = c.typed(e.X, t)
		}
		if k, ok := c.pathOf(e.X); ok && canNone && !types.IsInvalid(got) {
			b.facts.set(k, true)
		}
		c.setType(e, t)
		t = c.convert(sc, e, t, orSame(want, t))
	} else {
		if t = c.elseValue(arm, e, got, want); !canFail && !canNone && !types.IsInvalid(t) {
			c.copyConst(e, e.X) // so a divisor `5 else 1` is known not to be 0
		}
	}
	if obj := arm.own("error"); obj != nil && obj.Used {
		c.info.Errors[e] = obj.Index
	}
	return t
}

// orSame returns want, or t where nothing is wanted.
func orSame(want expect, t types.Type) expect {
	if want.t == nil {
		want.t = t
	}
	return want
}

// elseValue checks the value right of an `else`, and gives both sides one type.
func (c *checker) elseValue(sc *scope, e *ast.ElseExpr, got types.Type, want expect) types.Type {
	left := types.Bare(got)
	var right types.Type
	if want.t != nil {
		right = c.exprFor(sc, e.Value, want)
		wantLeft := want
		if types.IsOptional(got) {
			wantLeft.t = types.Opt(want.t)
		}
		if !types.IsInvalid(right) && !types.Assignable(got, wantLeft.t) && !c.isConst(e.X) {
			if !types.IsInvalid(got) {
				c.mismatch(e.X, got, want)
			}
			left = types.Invalid
		} else {
			left = c.convert(sc, e.X, got, wantLeft)
		}
		if types.IsInvalid(left) || types.IsInvalid(right) {
			c.setType(e, types.Invalid)
			return types.Invalid
		}
		c.setType(e, want.t)
		return want.t
	}
	right = c.infer(sc, e.Value, left)
	if types.IsInvalid(left) || types.IsInvalid(right) {
		return types.Invalid
	}
	t, ok := c.joinOf(e.X, left, e.Value, right)
	if !ok {
		c.errorf(diag.NoCommonType, e.Value.Span(), "the default is %s, the value left of `else` %s", aType(right), aType(left)).
			label("this is %s", aType(right)).related(e.X.Span(), "this is %s", aType(left))
		return types.Invalid
	}
	c.converted(e.Value, t)
	if types.IsOptional(got) {
		c.converted(e.X, types.Opt(t))
	} else {
		c.converted(e.X, t)
	}
	c.setType(e, t)
	return t
}

func (c *checker) needlessElse(e *ast.ElseExpr) {
	at := e.Span()
	at.Start = e.X.Span().End
	r := c.warnf(diag.NeedlessHandling, at, "%s cannot fail and is never none", subject(e.X)).label("not needed")
	r.fix("take the `else` out", replace(at, ""))
	c.needless[e] = r
}

// looseElse returns a hint for a division that can fail and seems settled: in `a / b else 0` the `else` is that of b.
// The warning that it is not needed there is withdrawn.
func (c *checker) looseElse(e *ast.BinaryExpr) string {
	arm, ok := e.Y.(*ast.ElseExpr)
	r := c.needless[arm]
	if !ok || r == nil {
		return ""
	}
	r.withdrawn = true
	return "; `else` binds tighter than `" + e.Op + "`: write `(" + shown(e.X) + " " + e.Op + " " + shown(arm.X) + ") else …`"
}

// declareError makes the predeclared `error` known right of an `else`.
func (c *checker) declareError(sc *scope) {
	obj := &Object{Kind: ObjError, Name: "error", Type: errorType(), Index: -1, inAgg: sc.body.inAgg}
	sc.set(obj)
}

// errorSlot gives the record `error` a local slot when it is first read.
func (c *checker) errorSlot(sc *scope, obj *Object) {
	if obj.Kind == ObjError && obj.Index < 0 {
		obj.Index = len(sc.body.locals)
		sc.body.locals = append(sc.body.locals, obj.Type)
	}
}

// exit checks what stands right of an `else` instead of a value. Only the body of a bolt can end so.
func (c *checker) exit(sc *scope, s ast.Stmt) {
	b := sc.body
	if !b.exits(s) {
		c.errorf(diag.EffectPlace, s.Span(), "only the body of a bolt can `%s`", firstWord(s.Span())).
			note("Give a value as default instead: `else 0`.")
		if emit, ok := s.(*ast.EmitStmt); ok {
			c.infer(sc, emit.Value, types.Invalid)
		}
		return
	}
	flow := &path{silent: b.silent}
	c.stmt(sc, s, flow)
}

// exits reports whether a statement may end a body right of an `else`: in a bolt any, in a step that looks at rows one
// by one those that give the row up.
func (b *body) exits(s ast.Stmt) bool {
	if b.inAgg || b.inInit {
		return false
	}
	switch s.(type) {
	case *ast.DropStmt, *ast.FailStmt:
		return b.kind == boltBody || b.kind == stepBody && b.rowwise
	}
	return b.kind == boltBody
}

func firstWord(at source.Span) string {
	word, _, _ := strings.Cut(at.Text(), " ")
	return word
}

// unsettledBolt ends the body of a bolt: its `errors` clause takes what is unsettled, or it is told.
func (c *checker) unsettledBolt(b *body, d *ast.BoltDecl) {
	places := b.failures.places
	if d.Errors != nil {
		for _, p := range places {
			c.info.Fallible[p.node] = true
		}
		if len(places) == 0 && !c.broken(b) && (d.Window == nil || d.Errors.Value != "emit") {
			at := d.Errors.Span()
			r := c.warnf(diag.NeedlessHandling, at, "nothing in %s can fail that is not settled", b.what).label("not needed")
			if d.Errors.Value != "emit" {
				r.fix("take the clause out", replace(withBlanksBefore(at), ""))
			}
		}
		return
	}
	c.settle(b, func(r *report) {
		r.note("Or let a clause of the bolt take all of them: `errors drop`, `errors fail`, or `errors emit` to the output `.errors`.")
		if d.Body != nil {
			r.fix("let the tuple fail", before(d.Body.Span(), "errors fail "))
			if edits := settleEach(b.failures.places); len(edits) > 0 {
				r.fix("or drop it, under a name for each place", edits...)
			}
		}
	})
}

// withBlanksBefore widens a span to the left over blanks.
func withBlanksBefore(at source.Span) source.Span {
	text := at.File.Text()
	for at.Start > 0 && (text[at.Start-1] == ' ' || text[at.Start-1] == '\t') {
		at.Start--
	}
	return at
}

// unsettledFn ends the body of a function: its `!` takes what is unsettled, or it is told.
func (c *checker) unsettledFn(b *body, d *ast.FnDecl) {
	if d.Fallible {
		for _, p := range b.failures.places {
			c.info.Fallible[p.node] = true
		}
		if len(b.failures.places) == 0 && !c.broken(b) {
			at := d.Result.Span()
			at.Start, at.End = at.End, at.End+1
			r := c.warnf(diag.NeedlessHandling, at, "%s cannot fail", b.what).label("not needed")
			if at.Text() == "!" {
				r.fix("take the `!` out", replace(at, ""))
			}
		}
		return
	}
	c.settle(b, func(r *report) {
		r.note("Or let the callers settle it: `-> %s!`.", d.Result.Span().Text())
		r.fix(fmt.Sprintf("write `%s!`", d.Result.Span().Text()), behind(d.Result.Span(), "!"))
	})
}
