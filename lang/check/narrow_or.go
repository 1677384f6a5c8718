package check

import (
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/value"
)

// `x == none || x == ""` is what one writes first for an optional text, and it tells the checker nothing. So each `||`
// with a test for none is kept by what it tests, and where that may be none later, the message says why and how the
// test is written so that it tells something: `(x else "") == ""`, or as an `if` of its own.

// ored is an `||` one of whose sides tests for none.
type ored struct {
	e     *ast.BinaryExpr
	fixed bool // the mend was offered
}

// noteOr keeps an `||` of which one side holds values where it is false.
func (c *checker) noteOr(e *ast.BinaryExpr, no []factKey) {
	for _, k := range no {
		if c.ored[k] == nil || c.ored[k].e.Span().Start != e.Span().Start {
			c.ored[k] = &ored{e: e}
		}
	}
}

// explainOr adds to a message that e may be none why an `||` before it did not rule that out, and reports whether there
// is one.
func (c *checker) explainOr(r *report, e ast.Expr) bool {
	k, ok := c.pathOf(e)
	if !ok || c.ored[k] == nil {
		return false
	}
	or := c.ored[k]
	r.related(or.e.Span(), "this test tells nothing of it")
	r.note("The checker follows single tests and `&&`, but not `||`.")
	same, text := c.oneTest(k, or.e)
	if !same {
		r.note("Test it for none by an `if` of its own before: `if %s == none { … }`.", shown(e))
		return true
	}
	r.note("Write it as one test: `%s`.", text)
	if !or.fixed {
		or.fixed = true
		r.fix("write one test", replace(or.e.Span(), text))
	}
	return true
}

// oneTest returns what `x == none || x == c` is as one test, if e is of that form for the path k and a constant c.
func (c *checker) oneTest(k factKey, e *ast.BinaryExpr) (bool, string) {
	x, okX := e.X.(*ast.BinaryExpr)
	y, okY := e.Y.(*ast.BinaryExpr)
	if e.Op != "||" || !okX || !okY || x.Op != "==" || y.Op != "==" {
		return false, ""
	}
	if !isNone(x.Y) {
		x, y = y, x
	}
	kx, okX := c.pathOf(x.X)
	ky, okY := c.pathOf(y.X)
	if !okX || !okY || kx != k || ky != k || !isNone(x.Y) || isNone(y.Y) || !isLiteral(y.Y) {
		return false, ""
	}
	path, value := y.X.Span().Text(), y.Y.Span().Text()
	return true, "(" + path + " else " + value + ") == " + value
}

func isNone(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == ast.NoneLit
}

func isLiteral(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.StrLit:
		return isPlain(e)
	}
	return false
}

// elseFact returns the path x where e is `x else c` for a constant c that equals other: compared with it, e differs
// only where x holds a value.
func (c *checker) elseFact(e, other ast.Expr) (factKey, bool) {
	for {
		p, ok := e.(*ast.ParenExpr)
		if !ok {
			break
		}
		e = p.X
	}
	x, ok := e.(*ast.ElseExpr)
	if !ok || x.Value == nil {
		return factKey{}, false
	}
	a, okA := c.constValue(x.Value)
	b, okB := c.constValue(other)
	if !okA || !okB || a.Kind() != b.Kind() || !value.Equal(a, b) {
		return factKey{}, false
	}
	return c.pathOf(x.X)
}
