package check

import (
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// A chain like `a + b + c` is a tree that leans to the left, as deep as the chain is long. It is walked with a loop, so
// that a program of a hundred thousand terms is no deeper than one of two.

// spine returns the binary expressions from e down its left side as long as they are of the family, outermost first.
func spine(e *ast.BinaryExpr, family func(op string) bool) []*ast.BinaryExpr {
	chain := []*ast.BinaryExpr{e}
	for {
		x, ok := chain[len(chain)-1].X.(*ast.BinaryExpr)
		if !ok || !family(x.Op) {
			return chain
		}
		chain = append(chain, x)
	}
}

func isLogical(op string) bool { return op == "&&" || op == "||" }

func isArithmetic(op string) bool {
	switch op {
	case "+", "-", "*", "/", "%":
		return true
	}
	return false
}

// unary checks `-x` and `!x`.
func (c *checker) unary(sc *scope, e *ast.UnaryExpr, hint types.Type) types.Type {
	if isLeastInt(e) {
		c.setType(e.X, types.Int)
		c.setConst(e, value.OfInt(-1<<63))
		return types.Int
	}
	if e.Op == "!" {
		c.condition(sc, e.X)
		return c.unaryType(sc, e, c.effective(e.X))
	}
	return c.unaryType(sc, e, c.infer(sc, e.X, hint))
}

// unaryType is the type of `-x` or `!x` whose x is checked and of type t.
func (c *checker) unaryType(sc *scope, e *ast.UnaryExpr, t types.Type) types.Type {
	switch {
	case types.IsInvalid(t):
	case e.Op == "!" && t == types.Bool:
		c.foldUnary(sc, e)
		c.setType(e, types.Bool)
		return types.Bool
	case e.Op == "-" && (types.IsNumber(t) || t == types.Duration):
		c.fault(sc)
		c.foldUnary(sc, e)
		c.setType(e, t)
		return t
	case e.Op == "-":
		c.badOperand(e.X, t, "-", "a number or a duration")
	}
	c.setType(e, types.Invalid)
	return types.Invalid
}

func (c *checker) foldUnary(_ *scope, e *ast.UnaryExpr) {
	c.fold(e, []ast.Expr{e.X}, func(v []value.Value) (value.Value, bool) {
		if e.Op == "!" {
			return value.OfBool(!v[0].Bool()), true
		}
		result, err := value.Neg(v[0])
		return result, c.foldFault(e, err)
	})
}

// foldFault tells a fault that is known before anything runs.
func (c *checker) foldFault(e ast.Expr, err value.Err) bool {
	if err == value.OK {
		return true
	}
	c.errorf(diag.ConstantFault, e.Span(), "this has no value: %s", err)
	return false
}

// badOperand blames one operand of an operator.
func (c *checker) badOperand(e ast.Expr, t types.Type, op, wanted string) *report {
	if bare := types.Bare(t); types.IsOptional(t) && bare != types.None {
		r := c.errorf(diag.MayBeNone, e.Span(), "%s may be none, and `%s` wants a value", subject(e), op).label("this is %s", aType(t))
		if !c.explainOr(r, e) {
			r.note("Give a default, `(%s else …)`, or test it before: `if %s != none { … }`.", shown(e), shown(e))
		}
		return r
	}
	r := c.errorf(diag.BadOperand, e.Span(), "`%s` wants %s, found %s", op, wanted, aType(t)).label("this is %s", aType(t))
	c.wrongAgain(r, e)
	return r
}

// wrongAgain makes what was told of a variable's type a part of what was told of it before. A variable that has the
// wrong type in one place has it in all of them, and the mistake is where it got its value.
func (c *checker) wrongAgain(r *report, e ast.Expr) {
	name, ok := e.(*ast.NameExpr)
	if !ok {
		return
	}
	obj := c.info.Objects[name.Name]
	if obj == nil || obj.Kind != ObjLocal {
		return
	}
	if first := c.wrongType[obj]; first != nil && !first.withdrawn {
		r.withdrawn = true
		first.andHere(e.Span())
		return
	}
	c.wrongType[obj] = r
}

func (c *checker) binary(sc *scope, e *ast.BinaryExpr) types.Type {
	switch {
	case isLogical(e.Op):
		c.logical(sc, e)
		return c.info.Types[e]
	case isArithmetic(e.Op):
		return c.arithmetic(sc, e)
	case e.Op == "in":
		return c.in(sc, e)
	case e.Op == "==" || e.Op == "!=":
		return c.equality(sc, e)
	case e.Op == "<" || e.Op == "<=" || e.Op == ">" || e.Op == ">=":
		return c.ordering(sc, e)
	}
	bug.Panicf("check: operator %q", e.Op)
	return nil
}

// logical checks `&&` and `||`, and returns the facts that hold where all of a chain of `&&` is true. What the left
// side of `&&` tells holds on its right side.
func (c *checker) logical(sc *scope, e *ast.BinaryExpr) []factKey {
	chain := spine(e, isLogical)
	f := &sc.body.facts
	mark := f.mark()
	yes, no := c.condition(sc, chain[len(chain)-1].X)
	for i := len(chain) - 1; i >= 0; i-- {
		x := chain[i]
		if x.Op == "||" {
			c.noteOr(x, no)
		}
		if x.Op == "&&" {
			f.learn(yes) // those of earlier operands are known already
			more, _ := c.condition(sc, x.Y)
			yes, no = append(yes, more...), nil
		} else {
			f.take(mark)
			yes = nil
			inner := f.mark()
			_, no = c.condition(sc, x.Y)
			f.take(inner)
			c.noteOr(x, no)
		}
		c.logicalType(x)
	}
	f.take(mark)
	return yes
}

func (c *checker) logicalType(e *ast.BinaryExpr) {
	c.setType(e, types.Bool)
	if x, ok := c.constValue(e.X); ok && x.Bool() == (e.Op == "||") {
		if c.isConst(e.Y) {
			c.setConst(e, x)
		}
		return
	}
	c.fold(e, []ast.Expr{e.X, e.Y}, func(v []value.Value) (value.Value, bool) { return v[1], true })
}

// arithmetic checks a chain of `+ - * / %`.
func (c *checker) arithmetic(sc *scope, e *ast.BinaryExpr) types.Type {
	chain := spine(e, isArithmetic)
	t := c.infer(sc, chain[len(chain)-1].X, nil)
	for i := len(chain) - 1; i >= 0; i-- {
		t = c.arithmeticStep(sc, chain[i], t)
		c.setType(chain[i], t)
	}
	return t
}

// arithmeticStep checks one operation whose left side is of type x.
func (c *checker) arithmeticStep(sc *scope, e *ast.BinaryExpr, x types.Type) types.Type {
	y := c.infer(sc, e.Y, nil)
	if types.IsInvalid(x) || types.IsInvalid(y) {
		return types.Invalid
	}
	t := resultOf(e.Op, x, y)
	if t == nil {
		c.badArithmetic(e, x, y)
		return types.Invalid
	}
	if x == types.Int && y == types.Float && !c.widen(e.X) || x == types.Float && y == types.Int && !c.widen(e.Y) {
		return types.Invalid
	}
	if !c.canDivide(sc, e, x, y) {
		return types.Invalid
	}
	c.fold(e, []ast.Expr{e.X, e.Y}, func(v []value.Value) (value.Value, bool) {
		result, err := operate(e.Op, v[0], v[1])
		return result, c.foldFault(e, err)
	})
	return t
}

// widen makes an int operand a float.
func (c *checker) widen(e ast.Expr) bool {
	if !c.exactFloat(e) {
		return false
	}
	c.info.Wants[e] = types.Float
	return true
}

// canDivide checks the divisor of a division, and notes how the operation can go wrong. It reports whether there was
// nothing to tell. A float by zero is not finite, a fault; all else by zero fails, which the text has to settle.
func (c *checker) canDivide(sc *scope, e *ast.BinaryExpr, x, y types.Type) bool {
	v, known := c.constValue(e.Y)
	division := e.Op == "/" || e.Op == "%"
	switch {
	case division && known && (v.Kind() == value.Float && v.Float() == 0 || v.Kind() != value.Float && v.Int() == 0):
		c.errorf(diag.ConstantFault, e.Y.Span(), "the divisor is 0").label("always 0")
		return false
	case division && !known && x != types.Float && y != types.Float:
		c.fails(sc, e, "the divisor may be 0"+c.looseElse(e))
	default:
		c.fault(sc) // an int that overflows, a float that is not finite
	}
	return true
}

// operate computes `x op y` of two constants for the operators of arithmetic.
func operate(op string, x, y value.Value) (value.Value, value.Err) {
	switch op {
	case "+":
		return value.Add(x, y)
	case "-":
		return value.Sub(x, y)
	case "*":
		return value.Mul(x, y)
	case "/":
		return value.Div(x, y)
	case "%":
		return value.Mod(x, y)
	}
	bug.Panicf("check: operator %q is no arithmetic", op)
	return value.Value{}, value.OK
}

// resultOf returns the type of `x op y`, or nil where there is no such operation.
func resultOf(op string, x, y types.Type) types.Type {
	numbers := types.IsNumber(x) && types.IsNumber(y)
	switch {
	case numbers && x == y:
		return x
	case numbers:
		return types.Float
	case x == types.Duration && y == types.Duration:
		switch op {
		case "+", "-", "%":
			return types.Duration
		case "/":
			return types.Float
		}
	case x == types.Time && y == types.Duration && (op == "+" || op == "-"),
		x == types.Duration && y == types.Time && op == "+":
		return types.Time
	case x == types.Time && y == types.Time && op == "-":
		return types.Duration
	case x == types.Duration && types.IsNumber(y) && (op == "*" || op == "/"),
		types.IsNumber(x) && y == types.Duration && op == "*":
		return types.Duration
	}
	return nil
}

// badArithmetic blames the operand that has no place in the operation: the right one if the left one could be in one.
func (c *checker) badArithmetic(e *ast.BinaryExpr, x, y types.Type) {
	countable := func(t types.Type) bool { return types.IsNumber(t) || t == types.Duration || t == types.Time }
	stringy := func(t types.Type) bool { return types.IsString(types.Bare(t)) }
	switch {
	case e.Op == "+" && stringy(x) && !isCollection(y), e.Op == "+" && stringy(y) && !isCollection(x):
		blamed, t := e.X, x
		if !stringy(x) {
			blamed, t = e.Y, y
		}
		r := c.errorf(diag.BadOperand, blamed.Span(), "`+` joins no strings").label("this is %s", aType(t))
		r.note("Write both into one string: `\"%s%s\"`.", holeText(e.X), holeText(e.Y))
		if !types.IsOptional(x) && !types.IsOptional(y) {
			r.fix("write both into one string", replace(e.Span(), `"`+holeText(e.X)+holeText(e.Y)+`"`))
		}
	case !countable(x):
		r := c.badOperand(e.X, x, e.Op, wantedBy(e.Op))
		if _, list := x.(*types.List); list && e.Op == "+" {
			r.note("`list.concat(a, b)` puts one list behind another.")
		}
	case !countable(y):
		c.badOperand(e.Y, y, e.Op, wantedBy(e.Op)).related(e.X.Span(), "this is %s", aType(x))
	default:
		c.errorf(diag.BadOperand, e.OpAt, "there is no %s `%s` %s", x, e.Op, y).
			related(e.X.Span(), "this is %s", aType(x)).related(e.Y.Span(), "this is %s", aType(y))
	}
}

func isCollection(t types.Type) bool {
	switch types.Bare(t).(type) {
	case *types.List, *types.Map, *types.Record:
		return true
	}
	return false
}

// holeText returns what an operand becomes inside a string: the text of a plain string, else a hole.
func holeText(e ast.Expr) string {
	if s, ok := e.(*ast.StrLit); ok {
		text := s.Span().Text()
		if len(text) >= 2 {
			return text[1 : len(text)-1]
		}
	}
	return "{" + e.Span().Text() + "}"
}

func wantedBy(op string) string {
	if op == "+" || op == "-" {
		return "numbers, times or durations"
	}
	return "numbers or durations"
}

// operands infers both sides of a comparison; a string literal takes the enum of the other side, an empty list or map
// its type.
func (c *checker) operands(sc *scope, e *ast.BinaryExpr) (x, y types.Type) {
	if s, ok := e.X.(*ast.StrLit); ok && isPlain(s) || isEmpty(e.X) {
		y = c.infer(sc, e.Y, nil)
		return c.infer(sc, e.X, enumOf(y)), y
	}
	x = c.infer(sc, e.X, nil)
	return x, c.infer(sc, e.Y, enumOf(x))
}

// isEmpty reports whether an expression is `[]` or `[:]`.
func isEmpty(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ListExpr:
		return len(e.Elems) == 0
	case *ast.MapExpr:
		return len(e.Entries) == 0
	}
	return false
}

// enumOf returns the type that is a hint for the other side of a comparison.
func enumOf(t types.Type) types.Type {
	switch types.Bare(t).(type) {
	case *types.Enum, *types.List, *types.Map:
		return t
	}
	return nil
}

// equality checks `==` and `!=`: of any two values of one type.
func (c *checker) equality(sc *scope, e *ast.BinaryExpr) types.Type {
	x, y := c.operands(sc, e)
	if types.IsInvalid(x) || types.IsInvalid(y) {
		return types.Bool
	}
	if x == types.None || y == types.None {
		return c.noneTest(e, x, y)
	}
	if x == types.Regex || y == types.Regex {
		return types.Invalid // told already
	}
	t, ok := c.compared(e, x, y)
	if !ok {
		c.errorf(diag.BadOperand, e.Y.Span(), "`%s` compares %s with %s", e.Op, aType(x), aType(y)).
			label("this is %s", aType(y)).related(e.X.Span(), "this is %s", aType(x))
		return types.Bool
	}
	c.converted(e.X, t)
	c.converted(e.Y, t)
	c.fold(e, []ast.Expr{e.X, e.Y}, func(v []value.Value) (value.Value, bool) {
		return value.OfBool(value.Equal(v[0], v[1]) == (e.Op == "==")), true
	})
	return types.Bool
}

// compared returns the type in which two values are compared: what they have in common, and float for an int and a
// float.
func (c *checker) compared(e *ast.BinaryExpr, x, y types.Type) (types.Type, bool) {
	if bx, by := types.Bare(x), types.Bare(y); types.IsNumber(bx) && types.IsNumber(by) && bx != by {
		if types.IsOptional(x) || types.IsOptional(y) {
			return types.Opt(types.Float), true
		}
		return types.Float, true
	}
	return c.joinOf(e.X, x, e.Y, y)
}

// noneTest checks a comparison with none. The value is taken as it is, not as narrowed.
func (c *checker) noneTest(e *ast.BinaryExpr, x, y types.Type) types.Type {
	tested, none := e.X, e.Y
	if x == types.None {
		tested, none = e.Y, e.X
	}
	t := c.info.Types[tested]
	switch {
	case t == types.None:
		c.errorf(diag.NeedsType, e.Span(), "`none` is compared with itself")
		return types.Invalid
	case !types.IsOptional(t):
		c.warnf(diag.NeedlessHandling, e.Span(), "%s is never none", subject(tested)).
			label("always %v", e.Op == "!=").related(tested.Span(), "this is %s", aType(t))
		// The comparison is of the optional type, so that it has a meaning.
		c.info.Wants[tested], c.info.Wants[none] = types.Opt(t), types.Opt(t)
		return types.Bool
	}
	delete(c.info.Wants, tested)
	c.info.Wants[none] = t
	c.fold(e, []ast.Expr{tested}, func(v []value.Value) (value.Value, bool) {
		return value.OfBool(v[0].IsNone() == (e.Op == "==")), true
	})
	return types.Bool
}

// ordering checks `< <= > >=`.
func (c *checker) ordering(sc *scope, e *ast.BinaryExpr) types.Type {
	x, y := c.infer(sc, e.X, nil), c.infer(sc, e.Y, nil)
	if types.IsInvalid(x) || types.IsInvalid(y) {
		return types.Bool
	}
	ordered := func(t types.Type) bool { return types.IsOrdered(t) || types.IsString(t) }
	const wanted = "numbers, strings, bytes, times or durations"
	t, ok := c.compared(e, x, y)
	switch {
	case !ordered(x):
		c.badOperand(e.X, x, e.Op, wanted)
	case !ordered(y):
		c.badOperand(e.Y, y, e.Op, wanted)
	case !ok:
		c.errorf(diag.BadOperand, e.Y.Span(), "`%s` compares %s with %s", e.Op, aType(x), aType(y)).
			label("this is %s", aType(y)).related(e.X.Span(), "this is %s", aType(x))
	default:
		if _, enum := t.(*types.Enum); enum {
			t = types.String
		}
		c.converted(e.X, t)
		c.converted(e.Y, t)
		c.fold(e, []ast.Expr{e.X, e.Y}, func(v []value.Value) (value.Value, bool) {
			return value.OfBool(isOrdered(e.Op, value.Compare(v[0], v[1]))), true
		})
	}
	return types.Bool
}

// isOrdered reports whether an ordering operator holds for the result of a comparison: -1, 0 or 1.
func isOrdered(op string, result int) bool {
	switch op {
	case "<":
		return result < 0
	case "<=":
		return result <= 0
	case ">":
		return result > 0
	case ">=":
		return result >= 0
	}
	bug.Panicf("check: operator %q is no ordering", op)
	return false
}

// in checks `x in list` and `key in map`.
func (c *checker) in(sc *scope, e *ast.BinaryExpr) types.Type {
	var x, y types.Type
	if s, ok := e.X.(*ast.StrLit); ok && isPlain(s) {
		y = c.infer(sc, e.Y, nil)
		x = c.infer(sc, e.X, elemOf(y))
	} else {
		x = c.infer(sc, e.X, nil)
		y = c.infer(sc, e.Y, &types.List{Elem: x})
	}
	if types.IsInvalid(x) || types.IsInvalid(y) {
		return types.Bool
	}
	elem := elemOf(y)
	if elem == nil {
		r := c.badOperand(e.Y, y, "in", "a list or a map")
		if types.IsString(y) {
			r.note("`contains(%s, %s)` looks for a part of a string.", shown(e.Y), shown(e.X))
		}
		return types.Bool
	}
	if !c.elementFits(e, x, y, elem) {
		return types.Bool
	}
	if _, list := y.(*types.List); list {
		c.fold(e, []ast.Expr{e.X, e.Y}, func(v []value.Value) (value.Value, bool) {
			for _, other := range v[1].Elems() {
				if value.Equal(v[0], other) {
					return value.OfBool(true), true
				}
			}
			return value.OfBool(false), true
		})
	}
	return types.Bool
}

// elementFits makes the left side of `in` of the type of the right side's elements, or tells why it cannot be. A list
// literal's elements are made optional if the left side is.
func (c *checker) elementFits(e *ast.BinaryExpr, x, y, elem types.Type) bool {
	literal, isLit := e.Y.(*ast.ListExpr)
	t, ok := c.joinOf(e.X, x, e.Y, elem)
	switch {
	case ok && types.Equal(t, elem) || types.Assignable(x, elem):
		c.converted(e.X, elem)
		return true
	case isLit && ok:
		for _, el := range literal.Elems {
			c.converted(el, t)
		}
		c.setType(e.Y, &types.List{Elem: t})
		c.recalc(e.Y)
		c.converted(e.X, t)
		return true
	case ok && types.IsOptional(x):
		c.badOperand(e.X, x, "in", "")
		return false
	case c.isConst(e.X) && x == types.Int && elem == types.Float:
		return c.widen(e.X)
	}
	c.errorf(diag.BadOperand, e.X.Span(), "`in` looks for %s among %s", aType(x), aType(y)).
		label("this is %s", aType(x)).related(e.Y.Span(), "this is %s", aType(y))
	return false
}

// recalc folds a list literal again whose elements were converted.
func (c *checker) recalc(e ast.Expr) {
	if list, ok := e.(*ast.ListExpr); ok {
		c.foldList(list)
	}
}

// elemOf returns the type of a list's elements or a map's keys, or nil.
func elemOf(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.List:
		return t.Elem
	case *types.Map:
		return t.Key
	}
	return nil
}
