package agg

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/batch/batchtest"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// keyTypes returns the types of a layout's fields.
func keyTypes(l batch.Layout) []types.Type {
	var ts []types.Type
	for _, f := range l.Fields {
		ts = append(ts, f.Type)
	}
	return ts
}

// keyLayout draws the layout of keys: often a single string or number, which have ways of their own.
func keyLayout(t *rapid.T) batch.Layout {
	switch rapid.IntRange(0, 3).Draw(t, "keys") {
	case 0:
		return &types.Record{Fields: []types.Field{{Name: "k", Type: types.String}}}
	case 1:
		return &types.Record{Fields: []types.Field{{Name: "k", Type: types.Time}}}
	}
	return batchtest.Record(t, 2)
}

// TestTableIsAMap compares a table with a map of key encodings.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := keyLayout(t)
		table, want := NewTable(keyTypes(l)), map[string]uint32{}
		var keys []value.Value
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			b := batchtest.Batch(t, l, 30)
			got := table.Lookup(nil, b.Cols, b.N)
			for i := range b.N {
				v := value.OfRecord(b.Row(i))
				k := string(value.AppendKey(nil, v))
				if _, ok := want[k]; !ok {
					want[k] = uint32(len(want))
					keys = append(keys, v)
				}
				if got[i] != want[k] {
					t.Fatalf("key %s has number %d, want %d", v, got[i], want[k])
				}
			}
		}
		if table.Len() != len(keys) {
			t.Fatalf("%d keys, want %d", table.Len(), len(keys))
		}
		lo := rapid.IntRange(0, len(keys)).Draw(t, "lo")
		out := &batch.Batch{N: len(keys) - lo, Layout: l, Cols: table.Keys(lo, len(keys))}
		if err := out.Check(); err != nil {
			t.Fatal(err)
		}
		for i := range out.N {
			if got := value.OfRecord(out.Row(i)); got.String() != keys[lo+i].String() {
				t.Fatalf("key %d is %s, want %s", lo+i, got, keys[lo+i])
			}
		}
		checkGroups(t, table, l)
	})
}

// checkGroups checks that the key groups part the keys as their hashes say.
func checkGroups(t *rapid.T, table *Table, l batch.Layout) {
	hs := batch.Hash(nil, table.Keys(0, table.Len()), keyTypes(l), table.Len())
	seen := 0
	for g := range batch.KeyGroups {
		for _, i := range table.Group(uint8(g)) {
			seen++
			if hs[i] != table.Hash(int(i)) || int(batch.KeyGroup(hs[i])) != g {
				t.Fatalf("key %d with hash %#x is in group %d", i, hs[i], g)
			}
		}
	}
	if seen != table.Len() {
		t.Fatalf("%d keys in groups, %d in the table", seen, table.Len())
	}
}

// TestTableGrows looks up many keys, among them such as differ in length or behind the 16th byte only.
func TestTableGrows(t *testing.T) {
	table := NewTable([]types.Type{types.String})
	var keys []string
	for i := range 20_000 {
		keys = append(keys, fmt.Sprint(i), fmt.Sprintf("a long key that ends in %d", i), strings.Repeat("\x00", i%40+1)+fmt.Sprint(i/40))
	}
	keys = append(keys, "\x00", "\x00\x00", "", strings.Repeat("x", 3<<20), strings.Repeat("x", 3<<20)+"y", "1234567890123456", "1234567890123456\x00")
	seen := map[string]uint32{}
	for round := range 2 {
		b := batch.NewColBuilder(types.String)
		for _, k := range keys {
			b.AppendString(k)
		}
		c := b.Take()
		for i, n := range table.Lookup(nil, []batch.Col{c}, len(keys)) {
			want, ok := seen[keys[i]]
			if !ok {
				want = uint32(len(seen))
				seen[keys[i]] = want
			}
			if n != want {
				t.Fatalf("round %d: key %.40q has number %d, want %d", round, keys[i], n, want)
			}
		}
	}
	got := table.Keys(0, table.Len())[0]
	for k, n := range seen {
		if string(got.Bytes(int(n))) != k {
			t.Fatalf("key %d is %.40q, want %.40q", n, got.Bytes(int(n)), k)
		}
	}
	if b := table.Bytes(); b < 6<<20 {
		t.Errorf("the table says that it takes %d bytes", b)
	}
	if table.Reset(); table.Len() != 0 || len(table.Lookup(nil, []batch.Col{got}, 3)) != 3 || table.Len() != 3 {
		t.Error("the table is not empty after Reset")
	}
}
