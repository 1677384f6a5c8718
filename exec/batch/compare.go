package batch

import (
	"bytes"
	"cmp"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Compare orders row i of column a against row j of column b, both of type t: -1, 0 or +1, as value.Compare does.
func Compare(a *Col, i int, b *Col, j int, t types.Type) int {
	if has, other := a.Has(i), b.Has(j); !has || !other {
		return cmp.Compare(boolWord(has), boolWord(other))
	}
	switch KindOf(t) {
	case KindNone:
		return 0
	case KindBool:
		return cmp.Compare(boolWord(a.Bool[i]), boolWord(b.Bool[j]))
	case KindInt:
		return cmp.Compare(a.Int[i], b.Int[j])
	case KindFloat:
		return cmp.Compare(a.Float[i], b.Float[j])
	case KindStr:
		return bytes.Compare(a.Bytes(i), b.Bytes(j))
	case KindList:
		return compareLists(a, i, b, j, Elem(t).(*types.List).Elem)
	case KindMap:
		return value.Compare(ValueAt(a, t, i), ValueAt(b, t, j))
	case KindRecord:
		for k, f := range Elem(t).(*types.Record).Fields {
			if c := Compare(&a.Sub[k], i, &b.Sub[k], j, f.Type); c != 0 {
				return c
			}
		}
		return 0
	default:
		bug.Panicf("exec/batch: no order of %s", t)
		return 0
	}
}

func compareLists(a *Col, i int, b *Col, j int, elem types.Type) int {
	x, y := a.Offs[i], b.Offs[j]
	for ; x < a.Offs[i+1] && y < b.Offs[j+1]; x, y = x+1, y+1 {
		if c := Compare(&a.Sub[0], int(x), &b.Sub[0], int(y), elem); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Offs[i+1]-x, b.Offs[j+1]-y)
}

// Equal reports whether two batches have the same rows in the same order, whatever memory they are in. It is for tests
// and not fast.
func Equal(a, b *Batch) bool {
	if a.N != b.N || len(a.Cols) != len(b.Cols) {
		return false
	}
	for k, f := range a.Layout.Fields {
		for i := range a.N {
			x, y := ValueAt(&a.Cols[k], f.Type, i), ValueAt(&b.Cols[k], f.Type, i)
			// The text tells the order of a map's entries too, and 0.0 from -0.0.
			if !value.Equal(x, y) || x.String() != y.String() {
				return false
			}
		}
	}
	return true
}
