package batch_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/batch/batchtest"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

func hashOf(ts []types.Type, vs ...value.Value) uint64 {
	l := &types.Record{}
	for i, t := range ts {
		l.Fields = append(l.Fields, types.Field{Name: fmt.Sprint(i), Type: t})
	}
	b := batch.FromRows(l, [][]value.Value{vs})
	return batch.Hash(nil, b.Cols, ts, 1)[0]
}

// TestHashVectors pins the definition: these numbers are part of the stored format and never change.
func TestHashVectors(t *testing.T) {
	str, i64 := types.Type(types.String), types.Type(types.Int)
	opt := types.Type(&types.Optional{Elem: types.Int})
	for _, v := range []struct {
		name string
		got  uint64
		want uint64
	}{
		{`""`, hashOf([]types.Type{str}, value.OfString("")), 0xc9d874ca57d9e055},
		{`"a"`, hashOf([]types.Type{str}, value.OfString("a")), 0x7fdcecc2b2b87c7e},
		{`"a\x00"`, hashOf([]types.Type{str}, value.OfString("a\x00")), 0x827709a46c1ec8b0},
		{`"12345678"`, hashOf([]types.Type{str}, value.OfString("12345678")), 0x4a2cf1c4cd6b12fb},
		{`"1234567890123456"`, hashOf([]types.Type{str}, value.OfString("1234567890123456")), 0x86547bea4329e188},
		{`"12345678901234567"`, hashOf([]types.Type{str}, value.OfString("12345678901234567")), 0x7f5b309c0c13efb8},
		{`0`, hashOf([]types.Type{i64}, value.OfInt(0)), 0xc9d874ca57d9e055},
		{`-1`, hashOf([]types.Type{i64}, value.OfInt(-1)), 0x8e1a4acd601c1d69},
		{`-0.0`, hashOf([]types.Type{types.Float}, value.OfFloat(math.Copysign(0, -1))), 0xc9d874ca57d9e055},
		{`1.5`, hashOf([]types.Type{types.Float}, value.OfFloat(1.5)), 0x12849f79fca9b5ce},
		{`true`, hashOf([]types.Type{types.Bool}, value.OfBool(true)), 0xf2f37271ad33e225},
		{`none`, hashOf([]types.Type{opt}, value.Value{}), 0xc9d874ca57d9e055},
		{`optional 7`, hashOf([]types.Type{opt}, value.OfInt(7)), 0x4b119702ac6fbbfb},
		{`"FR", 7`, hashOf([]types.Type{str, i64}, value.OfString("FR"), value.OfInt(7)), 0xe9cc8ad132921709},
		{`["a", "b"]`, hashOf([]types.Type{&types.List{Elem: str}},
			value.OfList([]value.Value{value.OfString("a"), value.OfString("b")})), 0x541e2531aefafae1},
		{`["k": 1]`, hashOf([]types.Type{&types.Map{Key: str, Elem: i64}},
			value.OfMap([]value.Value{value.OfString("k")}, []value.Value{value.OfInt(1)})), 0x369515cd14db7fe7},
	} {
		if v.got != v.want {
			t.Errorf("hash of %s is %#016x, want %#016x", v.name, v.got, v.want)
		}
	}
}

// slowHash is the definition, written down again in the plainest way, for one string.
func slowHash(s string) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	n := uint64(len(s))
	for first := true; first || len(s) > 0; first = false {
		block := make([]byte, 16)
		s = s[copy(block, s):]
		hi, lo := bits.Mul64(h^binary.LittleEndian.Uint64(block),
			binary.LittleEndian.Uint64(block[8:])^0xd6e8feb86659fd93^n*0xa0761d6478bd642f)
		h = hi ^ lo
	}
	return h
}

func TestHashOfStringsIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "s")
		off := rapid.IntRange(0, len(s)).Draw(t, "off")
		c := batch.Col{Data: s, Str: []batch.Str{{Off: uint32(off), Len: uint32(len(s) - off)}}}
		want := slowHash(string(s[off:]))
		if got := batch.Hash(nil, []batch.Col{c}, []types.Type{types.String}, 1)[0]; got != want {
			t.Fatalf("column: %#x, want %#x", got, want)
		}
		if got := batch.HashBytes(s[off:]); got != want {
			t.Fatalf("bytes: %#x, want %#x", got, want)
		}
		if n := len(s) - off; n <= 16 {
			a, b := batch.Short(s, uint32(off), uint32(n))
			if got := batch.HashShort(a, b, n); got != want {
				t.Fatalf("short: %#x, want %#x", got, want)
			}
		}
	})
}

// TestEqualKeysHashAlike compares hash and key encoding with equality of values.
func TestEqualKeysHashAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := batchtest.Record(t, 2)
		b := batchtest.Batch(t, l, 6)
		var ts []types.Type
		for _, f := range l.Fields {
			ts = append(ts, f.Type)
		}
		hs := batch.Hash(nil, b.Cols, ts, b.N)
		key := func(i int) string {
			var k []byte
			for c := range b.Cols {
				k = batch.AppendKey(k, &b.Cols[c], ts[c], i)
			}
			return string(k)
		}
		for i := range b.N {
			for j := range i {
				equal := value.Equal(value.OfRecord(b.Row(i)), value.OfRecord(b.Row(j)))
				if equal != (key(i) == key(j)) || equal && hs[i] != hs[j] {
					t.Fatalf("rows %v and %v: equal %v, keys %q %q, hashes %x %x", b.Row(i), b.Row(j), equal, key(i),
						key(j), hs[i], hs[j])
				}
			}
		}
	})
}

// TestHashSpreads looks at the bits that tables (low) and key groups (high) use, for keys as people have them. For n
// keys in m equal boxes, the sum of squares of the boxes' counts is near n + n²/m if they fall at random.
func TestHashSpreads(t *testing.T) {
	for name, key := range map[string]func(i int) uint64{
		"counting": func(i int) uint64 { return batch.HashInt(int64(i)) },
		"minutes":  func(i int) uint64 { return batch.HashInt(int64(i) * 60_000_000_000) },
		"powers":   func(i int) uint64 { return batch.HashInt(int64(i) << 40) },
		"halves":   func(i int) uint64 { return batch.HashInt(int64(math.Float64bits(float64(i) / 2))) },
		"short words": func(i int) uint64 {
			return batch.HashBytes([]byte(fmt.Sprintf("%c%c%d", 'a'+i%26, 'a'+i/26%26, i/676)))
		},
		"numbers": func(i int) uint64 { return batch.HashBytes([]byte(fmt.Sprintf("order-%08d", i))) },
		"long": func(i int) uint64 {
			return batch.HashBytes([]byte(fmt.Sprintf("https://example.com/%d/index.html", i)))
		},
	} {
		const n, m = 1 << 15, 256
		var low, high [m]float64
		for i := range n {
			h := key(i)
			low[h%m]++
			high[batch.KeyGroup(h)]++
		}
		for which, boxes := range map[string][m]float64{"low": low, "high": high} {
			sum := 0.0
			for _, c := range boxes {
				sum += c * c
			}
			if want := float64(n + n*n/m); sum > 1.02*want {
				t.Errorf("%s: %s bits are uneven: %.4f times chance", name, which, sum/want)
			}
		}
	}
}
