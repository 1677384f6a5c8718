package check

import (
	"math"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/literal"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Constants. An expression is constant if its parts are: literals, and names of the file's `let` and `param`. Its value
// is folded bottom up where it does not hang on a parameter of the command line; those are only known to be constant,
// and the compiler folds them when it has the parameters. So a fault that is known before anything runs (an overflow, a
// division by zero) is told here.

// constScope returns the scope of constants: no names but those of the file.
func (c *checker) constScope() *scope {
	return &scope{body: c.newBody(constBody, "a constant")}
}

// constArg checks a constant that may hang on parameters of the command line. It returns its type, or types.Invalid.
func (c *checker) constArg(e ast.Expr, want expect) types.Type {
	sc := c.constScope()
	t := c.exprFor(sc, e, want)
	c.endBody(sc)
	return t
}

// convertConst makes the implicit conversion of a constant.
func convertConst(v value.Value, from, to types.Type) value.Value {
	if v.IsNone() || to == nil || from == nil {
		return v
	}
	switch to := types.Bare(to).(type) {
	case types.Basic:
		if to == types.Float && v.Kind() == value.Int {
			return value.OfFloat(float64(v.Int()))
		}
	case *types.Record:
		rec, ok := isRecord(types.Bare(from))
		if !ok || types.Equal(rec, to) {
			return v
		}
		fields := make([]value.Value, len(to.Fields))
		for i, f := range to.Fields {
			if j := rec.Index(f.Name); j >= 0 {
				fields[i] = v.Elems()[j]
			}
		}
		return value.OfRecord(fields)
	}
	return v
}

// isConst reports whether an expression that was checked is constant.
func (c *checker) isConst(e ast.Expr) bool {
	_, ok := c.info.Consts[e]
	return ok || c.constExprs[e]
}

// constValue returns the value of a constant after the implicit conversion of its place.
func (c *checker) constValue(e ast.Expr) (value.Value, bool) {
	v, ok := c.info.Consts[e]
	if !ok {
		return v, false
	}
	if want := c.info.Wants[e]; want != nil {
		v = convertConst(v, c.info.Types[e], want)
	}
	return v, true
}

// setConst notes the value of a constant; one over the size limit is a fault.
func (c *checker) setConst(e ast.Expr, v value.Value) {
	switch v.Kind() {
	case value.List, value.Map, value.Record:
		if value.TooLarge(v) {
			c.errorf(diag.ConstantFault, e.Span(), "this constant is larger than 16 MiB")
			return
		}
	}
	c.info.Consts[e] = v
}

func (c *checker) setConstText(e ast.Expr, text string) { c.info.Consts[e] = value.OfString(text) }

// copyConst makes to as constant as from is.
func (c *checker) copyConst(to, from ast.Expr) {
	if v, ok := c.constValue(from); ok {
		c.info.Consts[to] = v
	} else if c.constExprs[from] {
		c.constExprs[to] = true
	}
}

// fold makes e constant if all its parts are; where their values are known, compute gives that of e, or tells why it
// has none.
func (c *checker) fold(e ast.Expr, parts []ast.Expr, compute func([]value.Value) (value.Value, bool)) {
	values := make([]value.Value, len(parts))
	known := true
	for i, p := range parts {
		if !c.isConst(p) {
			return
		}
		v, ok := c.constValue(p)
		values[i], known = v, known && ok
	}
	if !known {
		c.constExprs[e] = true
		return
	}
	if v, ok := compute(values); ok {
		c.setConst(e, v)
	}
}

// foldString makes a string constant if its holes are.
func (c *checker) foldString(_ *scope, e *ast.StrLit) {
	if isPlain(e) {
		c.setConstText(e, catalog.Text(e))
		return
	}
	var holes []ast.Expr
	for _, p := range e.Parts {
		if _, text := p.(*ast.StrText); !text {
			if types.IsInvalid(c.info.Types[p]) {
				return
			}
			holes = append(holes, p)
		}
	}
	c.fold(e, holes, func(values []value.Value) (value.Value, bool) {
		var text []byte
		for _, p := range e.Parts {
			if t, ok := p.(*ast.StrText); ok {
				text = append(text, t.Value...)
				continue
			}
			text = value.AppendText(text, values[0], c.effective(p))
			values = values[1:]
			if len(text) > value.MaxSize {
				c.errorf(diag.ConstantFault, e.Span(), "this constant is larger than 16 MiB")
				return value.Value{}, false
			}
		}
		return value.OfString(string(text)), true
	})
}

// effective returns the type of an expression after the implicit conversion of its place.
func (c *checker) effective(e ast.Expr) types.Type {
	if want := c.info.Wants[e]; want != nil {
		return want
	}
	return c.info.Types[e]
}

// foldMember makes a field of a constant record constant.
func (c *checker) foldMember(e *ast.MemberExpr, _ *types.Record, i int) {
	c.fold(e, []ast.Expr{e.X}, func(values []value.Value) (value.Value, bool) {
		if values[0].IsNone() {
			return values[0], true
		}
		return values[0].Elems()[i], true
	})
}

// exactFloat tells where a constant int cannot become a float without changing.
func (c *checker) exactFloat(e ast.Expr) bool {
	v, ok := c.info.Consts[e]
	if !ok || v.Kind() != value.Int {
		return true
	}
	n := v.Int()
	if f := float64(n); f < math.MaxInt64 && int64(f) == n {
		return true
	}
	c.errorf(diag.ConstantFault, e.Span(), "%d is not exact as a float", n).
		note("A float keeps whole numbers up to 2^53. Write the float that is meant, as in `%.1f`.", float64(n))
	return false
}

// isLeastInt reports whether e is `-9223372036854775808`, whose digits alone are no int.
func isLeastInt(e *ast.UnaryExpr) bool {
	lit, ok := e.X.(*ast.BasicLit)
	if !ok || e.Op != "-" || lit.Kind != ast.IntLit {
		return false
	}
	if _, err := literal.Int(lit.Text); err == nil {
		return false
	}
	n, err := literal.NegInt(lit.Text)
	return err == nil && n == math.MinInt64
}

// badTime tells that a time has a spelling but cannot be counted.
func (c *checker) badTime(e *ast.BasicLit) {
	if at, err := literal.Time(e.Text); err == nil {
		c.errorf(diag.ConstantFault, e.Span(), "%d is out of range for a time", at.Year()).
			note("Times are counted in nanoseconds, from the year 1678 to 2261.")
	}
}
