package agg

import (
	"math/bits"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// acc holds the value of one aggregate call for each key, by the keys' dense numbers.
type acc interface {
	// grow makes room for keys below n.
	grow(n int)
	// add takes one row for each key number in idx; args are the columns of the call's arguments.
	add(idx []uint32, args []batch.Col)
	// merge takes partial results in the columns that partial makes.
	merge(idx []uint32, cols []batch.Col)
	// partial returns the partial results of keys lo to hi in columns of plan.PartialTypes.
	partial(lo, hi int) []batch.Col
	// result returns the results of keys lo to hi as a column of the call's type. A key whose result is a fault has any
	// value there and is told to fault, with its offset from lo.
	result(lo, hi int, fault func(i int, why value.Err)) batch.Col
	// bytes returns about how much memory is in use.
	bytes() int64
}

// newAcc returns the accumulator of a call.
func newAcc(c plan.AggCall) acc {
	switch c.Func {
	case "count":
		return &count{}
	case "sum":
		if c.Type == types.Float {
			return &sumFloat{}
		}
		return &sumInt{}
	case "avg":
		if c.Args[0].Type() == types.Float {
			return &avgFloat{}
		}
		return &avgInt{}
	case "min", "max":
		return newExtreme(c)
	case "first", "last":
		return &edge{typ: c.Args[0].Type(), last: c.Func == "last"}
	case "distinct":
		return &distinct{seen: NewTable([]types.Type{types.Int, c.Args[0].Type()})}
	case "collect":
		return &collect{typ: c.Args[0].Type(), limit: constant(c).Int()}
	case "percentile":
		if c.Type == types.Float {
			return &percentile[float64]{p: constant(c).Float(), col: floats}
		}
		return &percentile[int64]{p: constant(c).Float(), col: ints}
	default:
		bug.Panicf("exec/agg: unknown aggregate %q", c.Func)
		return nil
	}
}

// constant returns the constant that is a call's last argument.
func constant(c plan.AggCall) value.Value {
	k, ok := c.Args[len(c.Args)-1].(*plan.Const)
	if !ok {
		bug.Panicf("exec/agg: last argument of %s is a %T", c.Func, c.Args[len(c.Args)-1])
	}
	return k.Value
}

// grown returns s with at least n elements.
func grown[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	if n <= cap(s) {
		return s[:n]
	}
	out := make([]T, n, max(n, 2*cap(s)))
	copy(out, s)
	return out
}

// copied returns a copy of s[lo:hi].
func copied[T any](s []T, lo, hi int) []T { return append(make([]T, 0, hi-lo), s[lo:hi]...) }

type count struct{ n []int64 }

func (a *count) grow(n int)   { a.n = grown(a.n, n) }
func (a *count) bytes() int64 { return int64(8 * cap(a.n)) }
func (a *count) add(idx []uint32, _ []batch.Col) {
	n := a.n
	for _, e := range idx {
		n[e]++
	}
}

func (a *count) merge(idx []uint32, cols []batch.Col) {
	in := cols[0].Int[:len(idx)]
	for i, e := range idx {
		a.n[e] += in[i]
	}
}

func (a *count) partial(lo, hi int) []batch.Col { return []batch.Col{{Int: copied(a.n, lo, hi)}} }

func (a *count) result(lo, hi int, _ func(int, value.Err)) batch.Col {
	return batch.Col{Int: copied(a.n, lo, hi)}
}

// wide is a signed 128-bit number. 2^64 int64s can be added to one without overflow.
type wide struct {
	lo uint64
	hi int64
}

func (w *wide) add(hi int64, lo uint64) {
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, lo, 0)
	w.hi += hi + int64(carry)
}

// int returns the number as an int, or false if it is none.
func (w wide) int() (int64, bool) { return int64(w.lo), w.hi == int64(w.lo)>>63 }

// float returns the nearest float, or one beside it.
func (w wide) float() float64 {
	if n, ok := w.int(); ok {
		return float64(n)
	}
	if w.hi < 0 {
		lo, borrow := bits.Sub64(0, w.lo, 0)
		return -(float64(uint64(-w.hi)-borrow)*0x1p64 + float64(lo))
	}
	return float64(w.hi)*0x1p64 + float64(w.lo)
}

type sumInt struct{ sum []wide }

func (a *sumInt) grow(n int)   { a.sum = grown(a.sum, n) }
func (a *sumInt) bytes() int64 { return int64(16 * cap(a.sum)) }
func (a *sumInt) add(idx []uint32, args []batch.Col) {
	in := args[0].Int[:len(idx)]
	for i, e := range idx {
		a.sum[e].add(in[i]>>63, uint64(in[i]))
	}
}

func (a *sumInt) merge(idx []uint32, cols []batch.Col) {
	for i, e := range idx {
		a.sum[e].add(cols[0].Int[i], uint64(cols[1].Int[i]))
	}
}

func (a *sumInt) partial(lo, hi int) []batch.Col {
	hs, ls := make([]int64, 0, hi-lo), make([]int64, 0, hi-lo)
	for _, s := range a.sum[lo:hi] {
		hs, ls = append(hs, s.hi), append(ls, int64(s.lo))
	}
	return []batch.Col{{Int: hs}, {Int: ls}}
}

func (a *sumInt) result(lo, hi int, fault func(int, value.Err)) batch.Col {
	out := make([]int64, 0, hi-lo)
	for i, s := range a.sum[lo:hi] {
		n, ok := s.int()
		if !ok {
			fault(i, value.Overflow)
		}
		out = append(out, n)
	}
	return batch.Col{Int: out}
}

// sumFloat adds floats as they come: the last digits of the result depend on the order.
type sumFloat struct{ sum []float64 }

func (a *sumFloat) grow(n int)   { a.sum = grown(a.sum, n) }
func (a *sumFloat) bytes() int64 { return int64(8 * cap(a.sum)) }
func (a *sumFloat) add(idx []uint32, args []batch.Col) {
	in := args[0].Float[:len(idx)]
	for i, e := range idx {
		a.sum[e] += in[i]
	}
}

func (a *sumFloat) merge(idx []uint32, cols []batch.Col) { a.add(idx, cols) }

func (a *sumFloat) partial(lo, hi int) []batch.Col {
	return []batch.Col{{Float: copied(a.sum, lo, hi)}}
}

func (a *sumFloat) result(lo, hi int, fault func(int, value.Err)) batch.Col {
	for i, s := range a.sum[lo:hi] {
		if _, e := value.Finite(s); e != value.OK {
			fault(i, e)
		}
	}
	return batch.Col{Float: copied(a.sum, lo, hi)}
}

type avgInt struct {
	sum sumInt
	n   count
}

func (a *avgInt) grow(n int)   { a.sum.grow(n); a.n.grow(n) }
func (a *avgInt) bytes() int64 { return a.sum.bytes() + a.n.bytes() }
func (a *avgInt) add(idx []uint32, args []batch.Col) {
	a.sum.add(idx, args)
	a.n.add(idx, args)
}

func (a *avgInt) merge(idx []uint32, cols []batch.Col) {
	a.sum.merge(idx, cols[:2])
	a.n.merge(idx, cols[2:])
}

func (a *avgInt) partial(lo, hi int) []batch.Col {
	return append(a.sum.partial(lo, hi), a.n.partial(lo, hi)...)
}

func (a *avgInt) result(lo, hi int, _ func(int, value.Err)) batch.Col {
	out := make([]float64, 0, hi-lo)
	for i := lo; i < hi; i++ {
		out = append(out, a.sum.sum[i].float()/float64(a.n.n[i]))
	}
	return batch.Col{Float: out}
}

type avgFloat struct {
	sum sumFloat
	n   count
}

func (a *avgFloat) grow(n int)   { a.sum.grow(n); a.n.grow(n) }
func (a *avgFloat) bytes() int64 { return a.sum.bytes() + a.n.bytes() }
func (a *avgFloat) add(idx []uint32, args []batch.Col) {
	a.sum.add(idx, args)
	a.n.add(idx, args)
}

func (a *avgFloat) merge(idx []uint32, cols []batch.Col) {
	a.sum.merge(idx, cols[:1])
	a.n.merge(idx, cols[1:])
}

func (a *avgFloat) partial(lo, hi int) []batch.Col {
	return append(a.sum.partial(lo, hi), a.n.partial(lo, hi)...)
}

func (a *avgFloat) result(lo, hi int, fault func(int, value.Err)) batch.Col {
	out := a.sum.result(lo, hi, fault)
	for i := range out.Float {
		out.Float[i] /= float64(a.n.n[lo+i])
	}
	return out
}
