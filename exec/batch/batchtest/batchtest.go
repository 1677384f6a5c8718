// Package batchtest draws random types, values and batches for property tests.
package batchtest

import (
	"math"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Colour is an enum for tests.
func Colour() *types.Enum {
	return &types.Enum{Name: "Colour", Members: []string{"red", "green", "blue"}}
}

// Scalar draws a type without parts.
func Scalar(t *rapid.T) types.Type {
	return rapid.SampledFrom([]types.Type{
		types.Bool, types.Int, types.Float, types.String, types.Bytes, types.Time, types.Duration, Colour(),
	}).Draw(t, "scalar")
}

// Type draws a type that nests at most depth times.
func Type(t *rapid.T, depth int) types.Type {
	if depth == 0 {
		return Scalar(t)
	}
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		return &types.Optional{Elem: batch.Elem(Type(t, depth-1))}
	case 1:
		return &types.List{Elem: Type(t, depth-1)}
	case 2:
		key := rapid.SampledFrom([]types.Type{types.String, types.Int}).Draw(t, "key")
		return &types.Map{Key: key, Elem: Type(t, depth-1)}
	case 3:
		return Record(t, depth-1)
	default:
		return Scalar(t)
	}
}

// Record draws a record type.
func Record(t *rapid.T, depth int) *types.Record {
	n := rapid.IntRange(1, 3).Draw(t, "fields")
	r := &types.Record{}
	for i := range n {
		r.Fields = append(r.Fields, types.Field{Name: string(rune('a' + i)), Type: Type(t, depth)})
	}
	return r
}

// Ints are numbers at which arithmetic goes wrong, and small ones.
func Ints() []int64 {
	return []int64{
		0, 1, -1, 2, 3, 7, -7, 10, 1 << 31, -1 << 31, 1<<53 + 1, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1,
		math.MinInt64 + 1, 3037000500,
	}
}

// Strings are strings at which text goes wrong: ill-formed UTF-8, NULs, lengths around 8 and 16, numbers.
func Strings() []string {
	return []string{
		"", " ", "a", "Hello World", "HELLO", "\x00", "a\x00", "\xff\xfe", "é\xc3", "12", "-7", "1.5", "1e400", "+3",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", " 5", "0x10", "true", "none", "red",
		"12345678", "123456789", "1234567812345678", "12345678123456781", "\t tab\r\nline ", "[@`{AZaz",
		strings.Repeat("LongWord", 9) + "\x80 " + strings.Repeat("z", 40), "a,b,,c", ",", "\u0130\u212a",
	}
}

// Value draws a value of a type.
func Value(t *rapid.T, typ types.Type) value.Value {
	if batch.IsOptional(typ) && rapid.IntRange(0, 2).Draw(t, "none") == 0 {
		return value.Value{}
	}
	switch typ := batch.Elem(typ).(type) {
	case types.Basic:
		return basic(t, typ)
	case *types.Enum:
		return value.OfString(rapid.SampledFrom(typ.Members).Draw(t, "member"))
	case *types.List:
		return value.OfList(values(t, typ.Elem))
	case *types.Map:
		keys := values(t, typ.Key)
		elems := make([]value.Value, len(keys))
		for i := range elems {
			elems[i] = Value(t, typ.Elem)
		}
		return value.NewMap(keys, elems)
	case *types.Record:
		fields := make([]value.Value, len(typ.Fields))
		for i, f := range typ.Fields {
			fields[i] = Value(t, f.Type)
		}
		return value.OfRecord(fields)
	}
	t.Fatalf("no value of %s", typ)
	return value.Value{}
}

func values(t *rapid.T, typ types.Type) []value.Value {
	out := make([]value.Value, rapid.IntRange(0, 3).Draw(t, "len"))
	for i := range out {
		out[i] = Value(t, typ)
	}
	return out
}

func basic(t *rapid.T, typ types.Basic) value.Value {
	switch typ {
	case types.Bool:
		return value.OfBool(rapid.Bool().Draw(t, "bool"))
	case types.Int:
		return value.OfInt(number(t))
	case types.Time:
		return value.OfTime(number(t))
	case types.Duration:
		return value.OfDuration(time.Duration(number(t)))
	case types.Float:
		return value.OfFloat(rapid.OneOf(
			rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1e308, -1e308, 5e-324, 1 << 53}),
			rapid.Float64Range(-1e6, 1e6),
		).Draw(t, "float"))
	case types.Bytes:
		return value.OfBytes(text(t))
	default:
		return value.OfString(text(t))
	}
}

func number(t *rapid.T) int64 {
	return rapid.OneOf(rapid.SampledFrom(Ints()), rapid.Int64Range(-20, 20)).Draw(t, "int")
}

func text(t *rapid.T) string {
	return rapid.OneOf(
		rapid.SampledFrom(Strings()),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) }),
	).Draw(t, "text")
}

// Rows draws up to n rows of a layout.
func Rows(t *rapid.T, l batch.Layout, n int) [][]value.Value {
	rows := make([][]value.Value, rapid.IntRange(0, n).Draw(t, "rows"))
	for i := range rows {
		for _, f := range l.Fields {
			rows[i] = append(rows[i], Value(t, f.Type))
		}
	}
	return rows
}

// Batch draws a batch of up to n rows, whose memory looks like that of a batch of a running pipeline: now and then
// rows were cut out of a longer one or gathered from it.
func Batch(t *rapid.T, l batch.Layout, n int) *batch.Batch {
	b := batch.FromRows(l, Rows(t, l, n))
	switch rapid.IntRange(0, 3).Draw(t, "memory") {
	case 0:
		lo := rapid.IntRange(0, b.N).Draw(t, "lo")
		return b.Slice(lo, rapid.IntRange(lo, b.N).Draw(t, "hi"))
	case 1:
		return b.Gather(Sel(t, b.N))
	}
	return b
}

// Sel draws some of n rows, in order.
func Sel(t *rapid.T, n int) []int32 {
	sel := []int32{}
	for i := range n {
		if rapid.Bool().Draw(t, "selected") {
			sel = append(sel, int32(i))
		}
	}
	return sel
}
