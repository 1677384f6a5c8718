package agg

import (
	"cmp"
	"math"
	"slices"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// newExtreme returns the accumulator of min or max.
func newExtreme(c plan.AggCall) acc {
	t, sign := c.Args[0].Type(), -1
	if c.Func == "max" {
		sign = 1
	}
	if !batch.IsOptional(t) {
		switch batch.KindOf(t) {
		case batch.KindInt:
			return &extreme[int64]{sign: sign, col: ints}
		case batch.KindFloat:
			return &extreme[float64]{sign: sign, col: floats}
		}
	}
	return &extremeValue{typ: t, sign: sign}
}

func ints(c *batch.Col) *[]int64     { return &c.Int }
func floats(c *batch.Col) *[]float64 { return &c.Float }

// extreme keeps the least (sign -1) or greatest (sign 1) number; col returns the slice of a column that it is about.
type extreme[T cmp.Ordered] struct {
	sign int
	col  func(*batch.Col) *[]T
	v    []T
	set  []bool
}

func (a *extreme[T]) grow(n int)   { a.v, a.set = grown(a.v, n), grown(a.set, n) }
func (a *extreme[T]) bytes() int64 { return int64(9 * cap(a.v)) }
func (a *extreme[T]) add(idx []uint32, args []batch.Col) {
	in := (*a.col(&args[0]))[:len(idx)]
	for i, e := range idx {
		if x := in[i]; !a.set[e] || a.sign > 0 && x > a.v[e] || a.sign < 0 && x < a.v[e] {
			a.v[e], a.set[e] = x, true
		}
	}
}

func (a *extreme[T]) merge(idx []uint32, cols []batch.Col) { a.add(idx, cols) }

func (a *extreme[T]) partial(lo, hi int) []batch.Col { return []batch.Col{a.result(lo, hi, nil)} }

func (a *extreme[T]) result(lo, hi int, _ func(int, value.Err)) batch.Col {
	var c batch.Col
	*a.col(&c) = copied(a.v, lo, hi)
	return c
}

// values keeps one value for each key.
type values struct {
	v    []value.Value
	set  []bool
	held int64 // bytes that values hold
}

func (a *values) grow(n int) { a.v, a.set = grown(a.v, n), grown(a.set, n) }

// valueSize is the size of a value.Value and its flag.
const valueSize = 41

func (a *values) bytes() int64 { return int64(valueSize*cap(a.v)) + a.held }

func (a *values) size(i int) int { return value.MaxSize - value.SizeLeft(a.v[i], value.MaxSize) }

func (a *values) put(e uint32, v value.Value) {
	a.held += held(v) - held(a.v[e])
	a.v[e], a.set[e] = v, true
}

// held returns about how many bytes a value holds besides itself.
func held(v value.Value) int64 {
	n := int64(len(v.Str()))
	for _, part := range [2][]value.Value{v.Keys(), v.Elems()} {
		for _, e := range part {
			n += valueSize + held(e)
		}
	}
	return n
}

func (a *values) column(t types.Type, lo, hi int) batch.Col {
	b := batch.NewColBuilder(t)
	for _, v := range a.v[lo:hi] {
		b.Append(v)
	}
	return b.Take()
}

// extremeValue is min or max of what is no number. Of an optional, rows without a value count for nothing; where all
// are without, so is the result.
type extremeValue struct {
	values
	typ  types.Type
	sign int
}

func (a *extremeValue) add(idx []uint32, args []batch.Col) {
	c := &args[0]
	isStr := batch.KindOf(a.typ) == batch.KindStr
	for i, e := range idx {
		if !c.Has(i) {
			continue
		}
		if a.set[e] && isStr && cmp.Compare(string(c.Bytes(i)), a.v[e].Str())*a.sign <= 0 {
			continue // Without making a string of the bytes.
		}
		if v := batch.ValueAt(c, a.typ, i); !a.set[e] || value.Compare(v, a.v[e])*a.sign > 0 {
			a.put(e, v)
		}
	}
}

func (a *extremeValue) merge(idx []uint32, cols []batch.Col) { a.add(idx, cols) }

func (a *extremeValue) partial(lo, hi int) []batch.Col {
	return []batch.Col{a.column(a.typ, lo, hi)}
}

func (a *extremeValue) result(lo, hi int, _ func(int, value.Err)) batch.Col {
	return a.column(a.typ, lo, hi)
}

// edge is first or last, in the order in which rows are absorbed.
type edge struct {
	values
	typ  types.Type
	last bool
	at   []int32 // scratch of last: the last row of each key within a batch
}

func (a *edge) add(idx []uint32, args []batch.Col) {
	if !a.last {
		for i, e := range idx {
			if !a.set[e] {
				a.put(e, batch.ValueAt(&args[0], a.typ, i))
			}
		}
		return
	}
	// Values are made of the last rows only.
	a.at = grown(a.at, len(a.v))
	for i, e := range idx {
		a.at[e] = int32(i)
	}
	for i, e := range idx {
		if a.at[e] == int32(i) {
			a.put(e, batch.ValueAt(&args[0], a.typ, i))
		}
	}
}

func (a *edge) merge(idx []uint32, cols []batch.Col) { a.add(idx, cols) }

func (a *edge) partial(lo, hi int) []batch.Col { return []batch.Col{a.column(a.typ, lo, hi)} }

func (a *edge) result(lo, hi int, _ func(int, value.Err)) batch.Col { return a.column(a.typ, lo, hi) }

// uncombined is embedded by aggregates that have no partial results; plan.PartialTypes says so too.
type uncombined struct{}

func (uncombined) merge([]uint32, []batch.Col) {
	bug.Panicf("exec/agg: partial results of what has none")
}

func (uncombined) partial(int, int) []batch.Col {
	bug.Panicf("exec/agg: partial results of what has none")
	return nil
}

// distinct counts different values exactly: a table of all pairs of key and value.
type distinct struct {
	uncombined
	seen *Table
	n    []int64
	keys []int64 // scratch
	pair []uint32
}

func (a *distinct) grow(n int)   { a.n = grown(a.n, n) }
func (a *distinct) bytes() int64 { return int64(8*cap(a.n)) + a.seen.Bytes() }
func (a *distinct) add(idx []uint32, args []batch.Col) {
	a.keys = a.keys[:0]
	for _, e := range idx {
		a.keys = append(a.keys, int64(e))
	}
	before := uint32(a.seen.Len())
	a.pair = a.seen.Lookup(a.pair[:0], []batch.Col{{Int: a.keys}, args[0]}, len(idx))
	for i, p := range a.pair {
		if p >= before { // The first row with a new pair: the others find before raised.
			a.n[idx[i]]++
			before = p + 1
		}
	}
}

func (a *distinct) result(lo, hi int, _ func(int, value.Err)) batch.Col {
	return batch.Col{Int: copied(a.n, lo, hi)}
}

// collect keeps the first values, limit of them at most.
type collect struct {
	uncombined
	typ   types.Type
	limit int64
	v     [][]value.Value
	held  int64
}

func (a *collect) grow(n int)   { a.v = grown(a.v, n) }
func (a *collect) bytes() int64 { return int64(24*cap(a.v)) + a.held }
func (a *collect) size(i int) int {
	left := 4 * mostBytes
	for _, v := range a.v[i] {
		left = value.SizeLeft(v, left)
	}
	return 4*mostBytes - left
}

func (a *collect) add(idx []uint32, args []batch.Col) {
	for i, e := range idx {
		if int64(len(a.v[e])) < a.limit {
			v := batch.ValueAt(&args[0], a.typ, i)
			a.v[e] = append(a.v[e], v)
			a.held += valueSize + held(v)
		}
	}
}

func (a *collect) result(lo, hi int, _ func(int, value.Err)) batch.Col {
	b := batch.NewColBuilder(&types.List{Elem: a.typ})
	for _, v := range a.v[lo:hi] {
		b.Append(value.OfList(v))
	}
	return b.Take()
}

// percentile keeps all values and picks one by nearest rank.
type percentile[T cmp.Ordered] struct {
	uncombined
	p    float64
	col  func(*batch.Col) *[]T
	v    [][]T
	held int64
}

func (a *percentile[T]) grow(n int)   { a.v = grown(a.v, n) }
func (a *percentile[T]) bytes() int64 { return int64(24*cap(a.v)) + a.held }
func (a *percentile[T]) add(idx []uint32, args []batch.Col) {
	in := (*a.col(&args[0]))[:len(idx)]
	for i, e := range idx {
		a.v[e] = append(a.v[e], in[i])
	}
	a.held += int64(16 * len(idx)) // with the room that append leaves
}

func (a *percentile[T]) result(lo, hi int, _ func(int, value.Err)) batch.Col {
	out := make([]T, 0, hi-lo)
	for _, v := range a.v[lo:hi] {
		slices.Sort(v)
		out = append(out, v[nearestRank(a.p, len(v))])
	}
	var c batch.Col
	*a.col(&c) = out
	return c
}

// nearestRank returns the index, from 0, of the value in n sorted ones at or below which a share p lies. A product that
// is a whole number but for rounding (0.07 * 100) counts as that number.
func nearestRank(p float64, n int) int {
	r := p * float64(n)
	if whole := math.Round(r); math.Abs(r-whole) <= 1e-9*max(1, r) {
		r = whole
	}
	return min(max(int(math.Ceil(r)), 1), n) - 1
}
