package value_test

import (
	"fmt"
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// anyType draws a type that values can have, nested up to depth.
func anyType(depth int) *rapid.Generator[types.Type] {
	basic := rapid.Map(rapid.SampledFrom([]types.Basic{
		types.Bool, types.Int, types.Float, types.String, types.Bytes, types.Time, types.Duration,
	}), func(b types.Basic) types.Type { return b })
	if depth == 0 {
		return basic
	}
	return rapid.Custom(func(t *rapid.T) types.Type {
		inner := anyType(depth - 1)
		switch rapid.IntRange(0, 4).Draw(t, "shape") {
		case 0:
			return &types.List{Elem: inner.Draw(t, "elem")}
		case 1:
			key := rapid.SampledFrom([]types.Type{types.String, types.Int, types.Bool, types.Time}).Draw(t, "key")
			return &types.Map{Key: key, Elem: inner.Draw(t, "elem")}
		case 2:
			rec := &types.Record{}
			for i := range rapid.IntRange(1, 3).Draw(t, "fields") {
				rec.Fields = append(rec.Fields, types.Field{Name: fmt.Sprintf("f%d", i), Type: inner.Draw(t, "field")})
			}
			return rec
		case 3:
			elem := inner.Draw(t, "elem")
			if _, ok := elem.(*types.Optional); ok {
				return elem
			}
			return &types.Optional{Elem: elem}
		default:
			return basic.Draw(t, "basic")
		}
	})
}

// anyValue draws a value of a type; few different ones, so that equal ones come up.
func anyValue(typ types.Type) *rapid.Generator[value.Value] {
	return rapid.Custom(func(t *rapid.T) value.Value {
		switch typ := typ.(type) {
		case types.Basic:
			return anyBasic(t, typ)
		case *types.List:
			return value.OfList(rapid.SliceOfN(anyValue(typ.Elem), 0, 4).Draw(t, "elems"))
		case *types.Map:
			keys := rapid.SliceOfN(anyValue(typ.Key), 0, 16).Draw(t, "keys")
			elems := rapid.SliceOfN(anyValue(typ.Elem), len(keys), len(keys)).Draw(t, "values")
			return value.NewMap(keys, elems)
		case *types.Record:
			fields := make([]value.Value, len(typ.Fields))
			for i, f := range typ.Fields {
				fields[i] = anyValue(f.Type).Draw(t, f.Name)
			}
			return value.OfRecord(fields)
		case *types.Optional:
			if rapid.Bool().Draw(t, "none") {
				return value.Value{}
			}
			return anyValue(typ.Elem).Draw(t, "some")
		}
		panic("no values of type " + typ.String())
	})
}

func anyBasic(t *rapid.T, typ types.Basic) value.Value {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "b", "ab", "é", "\x00", "a\"b\\", "\xff\xfea", "\u2028", "😀{x}"}),
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
	switch typ {
	case types.Bool:
		return value.OfBool(rapid.Bool().Draw(t, "bool"))
	case types.Int:
		return value.OfInt(anyInt().Draw(t, "int"))
	case types.Float:
		return value.OfFloat(anyFloat().Draw(t, "float"))
	case types.String:
		return value.OfString(text.Draw(t, "string"))
	case types.Bytes:
		return value.OfBytes(text.Draw(t, "bytes"))
	case types.Time:
		return value.OfTime(anyInt().Draw(t, "time"))
	case types.Duration:
		return value.OfDuration(time.Duration(anyInt().Draw(t, "duration")))
	}
	panic("no values of type " + typ.String())
}

// anyFloat draws finite floats.
func anyFloat() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e21, 1e-7, math.MaxFloat64, 5e-324}),
		rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64),
	)
}
