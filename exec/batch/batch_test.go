package batch_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/batch/batchtest"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// layoutAndRows draws a layout, rows as values and the batch of them.
func layoutAndRows(t *rapid.T) ([][]value.Value, *batch.Batch) {
	l := batchtest.Record(t, 3)
	rows := batchtest.Rows(t, l, 8)
	return rows, batch.FromRows(l, rows)
}

// same fails the test unless b is sound and holds exactly these rows.
func same(t *rapid.T, what string, b *batch.Batch, rows [][]value.Value) {
	t.Helper()
	if err := b.Check(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if b.N != len(rows) {
		t.Fatalf("%s: %d rows instead of %d", what, b.N, len(rows))
	}
	for i, row := range rows {
		got := b.Row(i)
		for k := range row {
			if row[k].String() != got[k].String() || !value.Equal(row[k], got[k]) {
				t.Fatalf("%s: row %d field %d is %s instead of %s", what, i, k, got[k], row[k])
			}
		}
	}
}

func pickRows(rows [][]value.Value, sel []int32) [][]value.Value {
	var out [][]value.Value
	for _, i := range sel {
		out = append(out, rows[i])
	}
	return out
}

func TestRowsSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, b := layoutAndRows(t)
		same(t, "built", b, rows)
		sel := batchtest.Sel(t, b.N)
		same(t, "gathered", b.Gather(sel), pickRows(rows, sel))
		same(t, "compacted", b.Compact(sel), pickRows(rows, sel))
		same(t, "compacted whole", b.Compact(nil), rows)
		lo := rapid.IntRange(0, b.N).Draw(t, "lo")
		hi := rapid.IntRange(lo, b.N).Draw(t, "hi")
		part := b.Slice(lo, hi)
		same(t, "sliced", part, rows[lo:hi])
		same(t, "sliced and compacted", part.Compact(nil), rows[lo:hi])
		joined := append(append([][]value.Value{}, rows[lo:hi]...), pickRows(rows, sel)...)
		joined = append(joined, rows...)
		same(t, "concatenated", batch.Concat([]*batch.Batch{part, b.Compact(sel), b}), joined)
		if !batch.Equal(part.Compact(nil), batch.FromRows(b.Layout, rows[lo:hi])) {
			t.Fatal("equal batches are not Equal")
		}
		if len(rows) > 0 && batch.Equal(b, part) != (lo == 0 && hi == b.N) {
			t.Fatal("Equal does not see missing rows")
		}
	})
}

func TestBuilderTruncateAndAppendFrom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, b := layoutAndRows(t)
		n := rapid.IntRange(0, b.N).Draw(t, "n")
		w := batch.NewBuilder(b.Layout)
		for i := range b.N {
			w.AppendFrom(b, i)
		}
		w.Truncate(n)
		for _, r := range rows {
			w.Append(r)
		}
		got := w.Finish()
		same(t, "after truncation", got, append(append([][]value.Value{}, rows[:n]...), rows...))
		same(t, "of an emptied builder", w.Finish(), nil)
	})
}

func TestCompactKeepsNoOtherBytes(t *testing.T) {
	l := &types.Record{Fields: []types.Field{{Name: "s", Type: types.String}}}
	b := batch.FromRows(l, [][]value.Value{{value.OfString("aaaa")}, {value.OfString("bb")}, {value.OfString("cccc")}})
	c := b.Compact([]int32{1})
	if got := string(c.Cols[0].Data); got != "bb" {
		t.Errorf("data is %q, want only the row's bytes", got)
	}
	if b.Bytes() != 3*8+10 || c.Bytes() != 8+2 {
		t.Errorf("sizes are %d and %d", b.Bytes(), c.Bytes())
	}
}

func TestCompareIsValueCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := batchtest.Record(t, 2)
		b := batchtest.Batch(t, l, 5)
		for k, f := range l.Fields {
			c := &b.Cols[k]
			for i := range b.N {
				for j := range b.N {
					x, y := batch.ValueAt(c, f.Type, i), batch.ValueAt(c, f.Type, j)
					if got, want := batch.Compare(c, i, c, j, f.Type), value.Compare(x, y); got != want {
						t.Fatalf("Compare(%s, %s) = %d, want %d", x, y, got, want)
					}
				}
			}
		}
	})
}

func TestCheckFinds(t *testing.T) {
	l := &types.Record{Fields: []types.Field{{Name: "s", Type: types.String}}}
	for name, b := range map[string]*batch.Batch{
		"no column":     {N: 1, Layout: l},
		"missing row":   {N: 2, Layout: l, Cols: []batch.Col{{Str: make([]batch.Str, 1)}}},
		"outside":       {N: 1, Layout: l, Cols: []batch.Col{{Str: []batch.Str{{Off: 1, Len: 2}}, Data: []byte("ab")}}},
		"valid":         {N: 1, Layout: l, Cols: []batch.Col{{Str: make([]batch.Str, 1), Valid: []bool{true}}}},
		"origin":        {N: 1, Layout: l, Cols: []batch.Col{{Str: make([]batch.Str, 1)}}, Origin: []batch.Origin{{}}},
		"few positions": {N: 1, Layout: l, Cols: []batch.Col{{Str: make([]batch.Str, 1)}}, Pos: []int64{}},
	} {
		if b.Check() == nil {
			t.Errorf("%s: not found", name)
		}
	}
}

func TestConcatKeepsOrigins(t *testing.T) {
	l := &types.Record{Fields: []types.Field{{Name: "n", Type: types.Int}}}
	one := func(n int64, entry uint32) *batch.Batch {
		b := batch.FromRows(l, [][]value.Value{{value.OfInt(n)}})
		b.Spans, b.Origin, b.Pos = []batch.Span{{Entry: entry}}, []batch.Origin{{Span: 0, Row: uint16(n)}}, []int64{n}
		return b
	}
	b := batch.Concat([]*batch.Batch{one(1, 11), one(2, 22)})
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	if o := b.Origin[1]; b.Spans[o.Span].Entry != 22 || o.Row != 2 || b.Pos[1] != 2 {
		t.Errorf("second row comes from %+v at %d", o, b.Pos[1])
	}
	if c := b.Compact([]int32{1}); c.Origin[0].Row != 2 || len(c.Spans) != 2 {
		t.Errorf("compacted row comes from %+v", c.Origin)
	}
}
