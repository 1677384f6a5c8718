package plan

import (
	"strconv"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
)

// This file says what a combiner hands on: for each key its key columns, then the partial columns of each call.

// PartialTypes returns the types of the columns in which a combiner hands on its partial result of a call:
//
//	count            the count
//	sum of ints      the upper and the lower half of the 128-bit sum, so that the result does not depend on the order
//	sum of floats    the sum
//	avg              those of sum, and the count
//	min, max         the value
//	first, last      the value; between parallel combiners, "first" goes by when their rows arrive
//
// It returns false for a function that cannot be combined (distinct, collect, percentile): a node with such a call has
// no combiner.
func PartialTypes(c AggCall) ([]types.Type, bool) {
	switch c.Func {
	case "count":
		return []types.Type{types.Int}, true
	case "sum":
		return sumTypes(c), true
	case "avg":
		return append(sumTypes(c), types.Int), true
	case "min", "max", "first", "last":
		return []types.Type{c.Args[0].Type()}, true
	case "distinct", "collect", "percentile":
		return nil, false
	default:
		bug.Panicf("plan: unknown aggregate %q", c.Func)
		return nil, false
	}
}

func sumTypes(c AggCall) []types.Type {
	if c.Args[0].Type() == types.Float {
		return []types.Type{types.Float}
	}
	return []types.Type{types.Int, types.Int}
}

// PartialLayout returns the layout of a combiner's output, or false if one of the calls cannot be combined.
func PartialLayout(keys []KeyDef, calls []AggCall) (*types.Record, bool) {
	r := &types.Record{}
	for _, k := range keys {
		r.Fields = append(r.Fields, types.Field{Name: k.Name, Type: k.Expr.Type()})
	}
	for i, c := range calls {
		ts, ok := PartialTypes(c)
		if !ok {
			return nil, false
		}
		for j, t := range ts {
			// No field of a program has a dot in its name.
			name := c.Func + "." + strconv.Itoa(i) + "." + strconv.Itoa(j)
			r.Fields = append(r.Fields, types.Field{Name: name, Type: t})
		}
	}
	return r, true
}
