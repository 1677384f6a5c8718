package fn

import (
	"slices"

	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

func list() []expr.Func {
	type vs = []value.Value
	return []expr.Func{
		{Name: "list.sum", Bind: sum},
		pure("list.min", func(args vs) value.Value { return best(args[0].Elems(), lesser) }),
		pure("list.max", func(args vs) value.Value { return best(args[0].Elems(), greater) }),
		pure("list.first", func(args vs) value.Value { return nth(args[0].Elems(), 0) }),
		pure("list.last", func(args vs) value.Value { return nth(args[0].Elems(), len(args[0].Elems())-1) }),
		pure("list.sort", func(args vs) value.Value {
			items := slices.Clone(args[0].Elems())
			slices.SortStableFunc(items, value.Compare)
			return value.OfList(items)
		}),
		pure("list.reverse", func(args vs) value.Value {
			items := slices.Clone(args[0].Elems())
			slices.Reverse(items)
			return value.OfList(items)
		}),
		pure("list.unique", unique),
		pure("list.contains", contains),
		faulting("list.append", func(args vs) (value.Value, error) { return concat(args[0].Elems(), args[1:2]) }),
		faulting("list.concat", func(args vs) (value.Value, error) {
			return concat(args[0].Elems(), args[1].Elems())
		}),
		pure("list.take", func(args vs) value.Value {
			items := args[0].Elems()
			return value.OfList(items[:within(args[1].Int(), items)])
		}),
		pure("list.skip", func(args vs) value.Value {
			items := args[0].Elems()
			return value.OfList(items[within(args[1].Int(), items):])
		}),
		faulting("list.range", numbers),
	}
}

// sum needs the type: an empty list does not show whether its sum is an int.
func sum(call expr.Sig) expr.RowFunc {
	zero := value.OfInt(0)
	if call.Result == types.Float {
		zero = value.OfFloat(0)
	}
	return func(args []value.Value) (value.Value, error) {
		total := zero
		for _, item := range args[0].Elems() {
			more, why := value.Add(total, item)
			switch why {
			case value.OK:
				total = more
			case value.NotFinite:
				return value.Value{}, expr.Faultf(diag.NotFinite, "list.sum: %v", why)
			default:
				return value.Value{}, overflow("list.sum")
			}
		}
		return total, nil
	}
}

func best(items []value.Value, of func(a, b value.Value) value.Value) value.Value {
	if len(items) == 0 {
		return value.Value{}
	}
	found := items[0]
	for _, item := range items[1:] {
		found = of(found, item)
	}
	return found
}

// nth returns an item, or none.
func nth(items []value.Value, i int) value.Value {
	if i < 0 || i >= len(items) {
		return value.Value{}
	}
	return items[i]
}

func unique(args []value.Value) value.Value {
	seen := map[string]bool{}
	var out []value.Value
	var key []byte
	for _, item := range args[0].Elems() {
		key = value.AppendKey(key[:0], item)
		if !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, item)
		}
	}
	return value.OfList(out)
}

// concat bounds the number of items only; how large they are is measured where a value leaves the row.
func concat(a, b []value.Value) (value.Value, error) {
	if len(a)+len(b) > value.MaxSize/value.ElemSize {
		return value.Value{}, tooLong()
	}
	return value.OfList(slices.Concat(a, b)), nil
}

// within returns n, or the nearest number that is an index of items or their end.
func within(n int64, items []value.Value) int { return int(min(max(n, 0), int64(len(items)))) }

// maxRange bounds the memory of a list that is made from nothing.
const maxRange = 1 << 20

func numbers(args []value.Value) (value.Value, error) {
	count := args[0].Int()
	if count > maxRange {
		return value.Value{}, expr.Faultf(diag.ValueTooLarge, "list.range(%d) is longer than %d", count, maxRange)
	}
	items := make([]value.Value, max(count, 0))
	for i := range items {
		items[i] = value.OfInt(int64(i))
	}
	return value.OfList(items), nil
}
