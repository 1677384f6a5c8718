package batch

import (
	"fmt"

	"github.com/pipec/pipec/lang/types"
)

// Check returns what is wrong with a batch's memory, or nil: slices that miss rows, strings outside of Data, offsets
// that fall, Valid in a column that is not optional. It is for tests.
func (b *Batch) Check() error {
	if b.Layout == nil || len(b.Cols) != len(b.Layout.Fields) {
		return fmt.Errorf("%d columns for layout %v", len(b.Cols), b.Layout)
	}
	if b.Origin != nil && len(b.Origin) != b.N || b.Pos != nil && len(b.Pos) != b.N {
		return fmt.Errorf("%d origins and %d positions for %d rows", len(b.Origin), len(b.Pos), b.N)
	}
	for _, o := range b.Origin {
		if int(o.Span) >= len(b.Spans) {
			return fmt.Errorf("origin in span %d of %d", o.Span, len(b.Spans))
		}
	}
	for i, f := range b.Layout.Fields {
		if err := checkCol(&b.Cols[i], f.Type, b.N, nil, true); err != nil {
			return fmt.Errorf("column %s: %w", f.Name, err)
		}
	}
	return nil
}

// checkCol checks n rows; those that are invalid in a column around (used is false there) may hold anything. Unless
// exact, the column may have more rows: the elements of lists that were cut from a longer column go on.
func checkCol(c *Col, t types.Type, n int, used []bool, exact bool) error {
	ok := func(got int) bool { return got == n || !exact && got > n }
	if n == 0 {
		return nil
	}
	if c.Valid != nil && (!IsOptional(t) || !ok(len(c.Valid))) {
		return fmt.Errorf("%d flags of validity for %d rows of %s", len(c.Valid), n, t)
	}
	live := func(i int) bool { return c.Has(i) && (used == nil || used[i]) }
	got := n
	switch KindOf(t) {
	case KindBool:
		got = len(c.Bool)
	case KindInt:
		got = len(c.Int)
	case KindFloat:
		got = len(c.Float)
	case KindStr:
		got = len(c.Str)
		for i, s := range c.Str {
			if i < n && live(i) && uint64(s.Off)+uint64(s.Len) > uint64(len(c.Data)) {
				return fmt.Errorf("row %d at %d+%d of %d bytes", i, s.Off, s.Len, len(c.Data))
			}
		}
		if len(c.Data) > MaxData {
			return fmt.Errorf("%d bytes of data", len(c.Data))
		}
	case KindList, KindMap:
		if !ok(len(c.Offs) - 1) {
			return fmt.Errorf("%d offsets for %d rows", len(c.Offs), n)
		}
		return checkLists(c, t, n, live)
	case KindRecord:
		return checkRecords(c, t, n, live, exact)
	}
	if !ok(got) {
		return fmt.Errorf("%d rows of %s instead of %d", got, t, n)
	}
	return nil
}

func checkLists(c *Col, t types.Type, n int, live func(int) bool) error {
	used := make([]bool, c.Offs[n])
	for i := range n {
		if c.Offs[i] > c.Offs[i+1] {
			return fmt.Errorf("offsets fall behind row %d", i)
		}
		for e := c.Offs[i]; e < c.Offs[i+1]; e++ {
			used[e] = live(i)
		}
	}
	for k, s := range subTypes(t) {
		if err := checkCol(&c.Sub[k], s, len(used), used, false); err != nil {
			return fmt.Errorf("element: %w", err)
		}
	}
	return nil
}

func checkRecords(c *Col, t types.Type, n int, live func(int) bool, exact bool) error {
	used := make([]bool, n)
	for i := range used {
		used[i] = live(i)
	}
	for k, s := range subTypes(t) {
		if err := checkCol(&c.Sub[k], s, n, used, exact); err != nil {
			return fmt.Errorf("field %d: %w", k, err)
		}
	}
	return nil
}

// Bytes returns about how many bytes the rows of a batch are, which is what limits on bytes count. Blocks that are
// shared with other batches count by the strings in use.
func (b *Batch) Bytes() int64 {
	n := int64(0)
	for i, f := range b.Layout.Fields {
		n += colBytes(&b.Cols[i], f.Type, 0, b.N)
	}
	return n
}

func colBytes(c *Col, t types.Type, lo, hi int) int64 {
	rows := int64(hi - lo)
	if rows == 0 {
		return 0
	}
	switch KindOf(t) {
	case KindBool:
		return rows
	case KindInt, KindFloat:
		return 8 * rows
	case KindStr:
		n := 8 * rows
		for i, s := range c.Str[lo:hi] {
			if c.Has(lo + i) {
				n += int64(s.Len)
			}
		}
		return n
	case KindList, KindMap:
		n := 4 * rows
		for k, s := range subTypes(t) {
			n += colBytes(&c.Sub[k], s, int(c.Offs[lo]), int(c.Offs[hi]))
		}
		return n
	case KindRecord:
		n := int64(0)
		for k, s := range subTypes(t) {
			n += colBytes(&c.Sub[k], s, lo, hi)
		}
		return n
	}
	return rows
}
