package catalog

import (
	"slices"
	"time"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/literal"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// BasicLit returns the value and the type of a literal, or false where its spelling has none, which the parser has
// told.
func BasicLit(l *ast.BasicLit) (value.Value, types.Type, bool) {
	switch l.Kind {
	case ast.IntLit:
		n, err := literal.Int(l.Text)
		return value.OfInt(n), types.Int, err == nil
	case ast.FloatLit:
		f, err := literal.Float(l.Text)
		return value.OfFloat(f), types.Float, err == nil
	case ast.DurationLit:
		d, err := literal.Duration(l.Text)
		return value.OfDuration(d), types.Duration, err == nil
	case ast.SizeLit:
		n, err := literal.Size(l.Text)
		return value.OfInt(n), types.Int, err == nil
	case ast.TimeLit:
		at, err := literal.Time(l.Text)
		if err != nil || !inRange(at) {
			return value.Value{}, types.Time, false
		}
		return value.OfTime(at.UnixNano()), types.Time, true
	case ast.RawLit:
		return value.OfString(literal.Raw(l.Text)), types.String, true
	case ast.RegexLit:
		return value.OfString(literal.Raw(l.Text)), types.Regex, true
	case ast.BoolLit:
		return value.OfBool(l.Text == "true"), types.Bool, true
	case ast.NoneLit:
		return value.Value{}, types.None, true
	}
	return value.Value{}, types.Invalid, false
}

// Literal returns the value of an expression that is a literal, for a place of type want, and its type there; false if
// it is not a literal.
func Literal(e ast.Expr, want types.Type) (value.Value, types.Type, bool) {
	bare := types.Bare(want)
	switch e := e.(type) {
	case *ast.BasicLit:
		v, t, ok := BasicLit(e)
		if t == types.Int && bare == types.Float {
			return value.OfFloat(float64(v.Int())), types.Float, ok
		}
		return v, t, ok
	case *ast.UnaryExpr:
		v, t, ok := Literal(e.X, want)
		if !ok || e.Op != "-" || !types.IsNumber(t) && t != types.Duration {
			return value.Value{}, types.Invalid, false
		}
		v, err := value.Neg(v)
		return v, t, err == value.OK
	case *ast.StrLit:
		if slices.ContainsFunc(e.Parts, func(p ast.Expr) bool { _, text := p.(*ast.StrText); return !text }) {
			return value.Value{}, types.Invalid, false
		}
		text := Text(e)
		if enum, ok := bare.(*types.Enum); ok && slices.Contains(enum.Members, text) {
			return value.OfString(text), enum, true
		}
		return value.OfString(text), types.String, true
	case *ast.ListExpr:
		list, _ := bare.(*types.List)
		return literalList(e, list)
	case *ast.MapExpr:
		if m, ok := bare.(*types.Map); ok {
			return literalMap(e, m)
		}
	case *ast.RecordExpr:
		if rec, ok := bare.(*types.Record); ok {
			return literalRecord(e, rec)
		}
	case *ast.ParenExpr:
		return Literal(e.X, want)
	}
	return value.Value{}, types.Invalid, false
}

// inRange reports whether a time can be counted in nanoseconds since 1970 in 64 bits: from 1677 to 2262.
func inRange(at time.Time) bool { return time.Unix(0, at.UnixNano()).Equal(at) }

func literalList(e *ast.ListExpr, want *types.List) (value.Value, types.Type, bool) {
	var elem types.Type = types.Never
	if want != nil {
		elem = want.Elem
	}
	var elems []value.Value
	for _, x := range e.Elems {
		v, t, ok := Literal(x, elem)
		if !ok || !types.Assignable(t, elem) && elem != types.Never {
			return value.Value{}, types.Invalid, false
		}
		if elem == types.Never {
			elem = t
		}
		elems = append(elems, v)
	}
	return value.OfList(elems), &types.List{Elem: elem}, true
}

func literalMap(e *ast.MapExpr, want *types.Map) (value.Value, types.Type, bool) {
	var keys, elems []value.Value
	for _, x := range e.Entries {
		k, kt, keyOK := Literal(x.Key, want.Key)
		v, vt, ok := Literal(x.Value, want.Elem)
		if !keyOK || !ok || !types.Assignable(kt, want.Key) || !types.Assignable(vt, want.Elem) {
			return value.Value{}, types.Invalid, false
		}
		keys, elems = append(keys, k), append(elems, v)
	}
	return value.NewMap(keys, elems), want, true
}

// literalRecord takes exactly the fields of the type, in any order; optional ones may be left out.
func literalRecord(e *ast.RecordExpr, want *types.Record) (value.Value, types.Type, bool) {
	fields := make([]value.Value, len(want.Fields))
	given := make([]bool, len(want.Fields))
	for _, item := range e.Items {
		if item.Spread || item.Name == nil {
			return value.Value{}, types.Invalid, false
		}
		i := want.Index(item.Name.Name)
		if i < 0 || given[i] {
			return value.Value{}, types.Invalid, false
		}
		v, t, ok := Literal(item.Value, want.Fields[i].Type)
		if !ok || !types.Assignable(t, want.Fields[i].Type) {
			return value.Value{}, types.Invalid, false
		}
		fields[i], given[i] = v, true
	}
	for i, f := range want.Fields {
		if !given[i] && !types.IsOptional(f.Type) {
			return value.Value{}, types.Invalid, false
		}
	}
	return value.OfRecord(fields), want, true
}
