package batch

import (
	"time"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// ValueAt returns row i of a column of type t. It copies strings, so that a value which is kept keeps no block alive.
func ValueAt(c *Col, t types.Type, i int) value.Value {
	if !c.Has(i) {
		return value.Value{}
	}
	switch t := Elem(t).(type) {
	case types.Basic:
		return basicAt(c, t, i)
	case *types.Enum:
		return value.OfString(string(c.Bytes(i)))
	case *types.List:
		return value.OfList(valuesAt(&c.Sub[0], t.Elem, c.Offs[i], c.Offs[i+1]))
	case *types.Map:
		lo, hi := c.Offs[i], c.Offs[i+1]
		return value.OfMap(valuesAt(&c.Sub[0], t.Key, lo, hi), valuesAt(&c.Sub[1], t.Elem, lo, hi))
	case *types.Record:
		fields := make([]value.Value, len(t.Fields))
		for k, f := range t.Fields {
			fields[k] = ValueAt(&c.Sub[k], f.Type, i)
		}
		return value.OfRecord(fields)
	default:
		bug.Panicf("exec/batch: no value of type %s", t)
		return value.Value{}
	}
}

func basicAt(c *Col, t types.Basic, i int) value.Value {
	switch t {
	case types.Bool:
		return value.OfBool(c.Bool[i])
	case types.Int:
		return value.OfInt(c.Int[i])
	case types.Time:
		return value.OfTime(c.Int[i])
	case types.Duration:
		return value.OfDuration(time.Duration(c.Int[i]))
	case types.Float:
		return value.OfFloat(c.Float[i])
	case types.Bytes:
		return value.OfBytes(string(c.Bytes(i)))
	case types.None, types.Never:
		return value.Value{}
	default:
		if basicKind(t) != KindStr {
			bug.Panicf("exec/batch: no value of type %s", t)
		}
		return value.OfString(string(c.Bytes(i)))
	}
}

func valuesAt(c *Col, t types.Type, lo, hi uint32) []value.Value {
	out := make([]value.Value, 0, hi-lo)
	for i := lo; i < hi; i++ {
		out = append(out, ValueAt(c, t, int(i)))
	}
	return out
}

// Row returns row i of a batch as values, in the order of its layout.
func (b *Batch) Row(i int) []value.Value {
	return b.AppendRow(make([]value.Value, 0, len(b.Cols)), i)
}

// AppendRow appends the values of row i to dst.
func (b *Batch) AppendRow(dst []value.Value, i int) []value.Value {
	for k, f := range b.Layout.Fields {
		dst = append(dst, ValueAt(&b.Cols[k], f.Type, i))
	}
	return dst
}
