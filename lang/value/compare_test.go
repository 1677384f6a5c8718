package value_test

import (
	"bytes"
	"math"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/lang/value"
)

func TestCompareIsATotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := anyValue(anyType(2).Draw(t, "type"))
		a, b, c := gen.Draw(t, "a"), gen.Draw(t, "b"), gen.Draw(t, "c")
		if value.Compare(a, a) != 0 || !value.Equal(a, a) {
			t.Fatalf("%v differs from itself", a)
		}
		if value.Compare(a, b) != -value.Compare(b, a) {
			t.Fatalf("%v and %v have no order", a, b)
		}
		if value.Compare(a, b) <= 0 && value.Compare(b, c) <= 0 && value.Compare(a, c) > 0 {
			t.Fatalf("%v, %v, %v go round in a circle", a, b, c)
		}
		if (value.Compare(a, b) == 0) != value.Equal(a, b) {
			t.Fatalf("%v, %v: Compare and Equal differ", a, b)
		}
	})
}

func TestCompareOrder(t *testing.T) {
	i, s, l := value.OfInt, value.OfString, value.OfList
	type vs = []value.Value
	chains := map[string]vs{
		"optional int": {{}, i(-2), i(0), i(3)},
		"bool":         {{}, value.OfBool(false), value.OfBool(true)},
		"string":       {{}, s(""), s("A"), s("a"), s("a\x00"), s("ab"), s("é"), s("\xff")},
		"float":        {value.OfFloat(math.NaN()), value.OfFloat(-1), value.OfFloat(0), value.OfFloat(0.5)},
		"list":         {l(nil), l(vs{i(1)}), l(vs{i(1), i(1)}), l(vs{i(2)})},
		"record":       {value.OfRecord(vs{i(1), s("z")}), value.OfRecord(vs{i(2), s("a")})},
		"map": {
			value.OfMap(nil, nil),
			value.OfMap(vs{s("b"), s("a")}, vs{i(9), i(1)}),
			value.OfMap(vs{s("a")}, vs{i(2)}),
			value.OfMap(vs{s("b")}, vs{i(0)}),
		},
	}
	for name, chain := range chains {
		for x, a := range chain {
			for y, b := range chain {
				want := 0
				if x < y {
					want = -1
				} else if x > y {
					want = 1
				}
				if got := value.Compare(a, b); got != want {
					t.Errorf("%s: Compare(%v, %v) = %d, want %d", name, a, b, got, want)
				}
			}
		}
	}
}

func TestMapsAreEqualInAnyOrder(t *testing.T) {
	type vs = []value.Value
	a := value.OfMap(vs{value.OfInt(1), value.OfInt(2)}, vs{value.OfBool(true), {}})
	b := value.OfMap(vs{value.OfInt(2), value.OfInt(1)}, vs{{}, value.OfBool(true)})
	if !value.Equal(a, b) || !bytes.Equal(value.AppendKey(nil, a), value.AppendKey(nil, b)) {
		t.Errorf("%v and %v are the same map", a, b)
	}
	negative, zero := value.OfFloat(math.Copysign(0, -1)), value.OfFloat(0)
	if !value.Equal(negative, zero) || !bytes.Equal(value.AppendKey(nil, negative), value.AppendKey(nil, zero)) {
		t.Error("0.0 and -0.0 are the same key")
	}
}

func TestKeysAreInjective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := anyType(2).Draw(t, "type")
		draw := func(name string) []value.Value {
			return rapid.SliceOfN(anyValue(typ), 1, 2).Draw(t, name)
		}
		a, b := draw("a"), draw("b")
		var ka, kb []byte
		for _, v := range a {
			ka = value.AppendKey(ka, v)
		}
		for _, v := range b {
			kb = value.AppendKey(kb, v)
		}
		if same := value.Equal(value.OfList(a), value.OfList(b)); same != bytes.Equal(ka, kb) {
			t.Fatalf("%v and %v: equal %v, keys %x and %x", a, b, same, ka, kb)
		}
	})
}

// The encoding is stored: a change of these bytes loses the state of running pipelines.
func TestKeyEncodingIsStable(t *testing.T) {
	type vs = []value.Value
	tests := []struct {
		v    value.Value
		want string
	}{
		{value.Value{}, "\x00"},
		{value.OfBool(false), "\x01"},
		{value.OfBool(true), "\x02"},
		{value.OfInt(258), "\x03\x02\x01\x00\x00\x00\x00\x00\x00"},
		{value.OfFloat(1), "\x04\x00\x00\x00\x00\x00\x00\xf0\x3f"},
		{value.OfString("ab"), "\x05\x02ab"},
		{value.OfBytes("ab"), "\x06\x02ab"},
		{value.OfTime(1), "\x07\x01\x00\x00\x00\x00\x00\x00\x00"},
		{value.OfDuration(1), "\x08\x01\x00\x00\x00\x00\x00\x00\x00"},
		{value.OfList(vs{value.OfBool(true)}), "\x09\x01\x02"},
		{value.OfMap(vs{value.OfString("k")}, vs{{}}), "\x0a\x01\x05\x01k\x00"},
		{value.OfRecord(vs{{}, value.OfBool(true)}), "\x0b\x02\x00\x02"},
	}
	for _, tt := range tests {
		if got := string(value.AppendKey(nil, tt.v)); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.v, got, tt.want)
		}
	}
}

func TestMapsChange(t *testing.T) {
	// A model in Go beside it: the map keeps insertion order whatever its size, with and without an index.
	rapid.Check(t, func(t *rapid.T) {
		m := value.OfMap(nil, nil)
		model := map[int64]int64{}
		var order []int64
		for range rapid.IntRange(0, 40).Draw(t, "changes") {
			k, v := rapid.Int64Range(0, 30).Draw(t, "k"), rapid.Int64().Draw(t, "v")
			if _, ok := model[k]; !ok {
				order = append(order, k)
			}
			model[k] = v
			if rapid.Bool().Draw(t, "copy") {
				before, n := m, len(m.Keys())
				m = m.Copy()
				m.SetEntry(value.OfInt(k), value.OfInt(v))
				if len(before.Keys()) != n {
					t.Fatal("the original of a copy changed")
				}
			} else {
				m.SetEntry(value.OfInt(k), value.OfInt(v))
			}
			probe := rapid.Int64Range(0, 30).Draw(t, "probe")
			got, ok := m.Lookup(value.OfInt(probe))
			if want, in := model[probe]; ok != in || ok && got.Int() != want {
				t.Fatalf("key %d: %v %v, want %d %v", probe, got, ok, want, in)
			}
		}
		for i, k := range m.Keys() {
			if k.Int() != order[i] || m.Elems()[i].Int() != model[order[i]] {
				t.Fatalf("entry %d is %v: %v", i, k, m.Elems()[i])
			}
		}
	})
}

func repeat(n int, v value.Value) []value.Value {
	vs := make([]value.Value, n)
	for i := range vs {
		vs[i] = v
	}
	return vs
}

func TestTooLarge(t *testing.T) {
	half := value.OfString(string(make([]byte, value.MaxSize/2)))
	pair := func(vs ...value.Value) value.Value { return value.OfRecord(vs) }
	deep := half
	for range 60 { // 2^60 times the string, made of 60 pairs
		deep = pair(deep, deep)
	}
	tests := []struct {
		name string
		v    value.Value
		want bool
	}{
		{"a string at the limit", value.OfString(string(make([]byte, value.MaxSize))), false},
		{"a string over it", value.OfString(string(make([]byte, value.MaxSize+1))), true},
		{"one half", pair(half), false},
		{"two halves and their places", pair(half, half), true},
		{"shared parts count each time, and soon end the count", deep, true},
		{"many of nothing", value.OfList(repeat(2047, value.OfList(make([]value.Value, 8192)))), false},
		{"too many of nothing", value.OfList(repeat(2048, value.OfList(make([]value.Value, 8192)))), true},
		{"many entries", value.OfMap(repeat(value.MaxEntries, value.Value{}), repeat(value.MaxEntries, value.Value{})), false},
		{"too many entries", value.OfMap(repeat(value.MaxEntries+1, value.Value{}), repeat(value.MaxEntries+1, value.Value{})),
			true},
		{"a large key", value.OfMap([]value.Value{half, value.OfInt(1)}, []value.Value{half, {}}), true},
	}
	for _, tt := range tests {
		if got := value.TooLarge(tt.v); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// Constants are shared by all tasks, so several may make the index of a map at once.
func TestLookupFromManyGoroutines(t *testing.T) {
	m := value.NewMap(nil, nil)
	for i := range int64(50) {
		m.SetEntry(value.OfInt(i), value.OfInt(2*i))
	}
	m = m.Copy() // which has no index yet
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range int64(50) {
				if v, ok := m.Lookup(value.OfInt(i)); !ok || v.Int() != 2*i {
					t.Errorf("%d: %v %v", i, v, ok)
				}
			}
		})
	}
	all.Wait()
}
