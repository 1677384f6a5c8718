package value_test

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

var point = &types.Record{Name: "Point", Fields: []types.Field{
	{Name: "x", Type: types.Int},
	{Name: "label", Type: &types.Optional{Elem: types.String}},
	{Name: "at", Type: types.Time},
}}

func TestSpellings(t *testing.T) {
	type vs = []value.Value
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano()
	s, i := value.OfString, value.OfInt
	list := func(t types.Type) types.Type { return &types.List{Elem: t} }
	tests := []struct {
		v                   value.Value
		t                   types.Type
		text, json, literal string
	}{
		{value.OfBool(true), types.Bool, "true", "true", "true"},
		{i(-9007199254740993), types.Int, "-9007199254740993", "-9007199254740993", "-9007199254740993"},
		{value.OfFloat(1), types.Float, "1.0", "1.0", "1.0"},
		{value.OfFloat(0.1), types.Float, "0.1", "0.1", "0.1"},
		{value.OfFloat(-0.25), types.Float, "-0.25", "-0.25", "-0.25"},
		{value.OfFloat(1e20), types.Float, "100000000000000000000.0", "100000000000000000000.0",
			"100000000000000000000.0"},
		{value.OfFloat(1e21), types.Float, "1e21", "1e21", "1e21"},
		{value.OfFloat(1.5e-7), types.Float, "1.5e-7", "1.5e-7", "1.5e-7"},
		{value.OfFloat(1e-6), types.Float, "0.000001", "0.000001", "0.000001"},
		{value.OfFloat(math.MaxFloat64), types.Float, "1.7976931348623157e308", "1.7976931348623157e308",
			"1.7976931348623157e308"},
		{value.OfFloat(5e-324), types.Float, "5e-324", "5e-324", "5e-324"},
		{s("a\"\\{b}\n\t\x01\x7fé"), types.String, "a\"\\{b}\n\t\x01\x7fé", "\"a\\\"\\\\{b}\\n\\t\\u0001\x7fé\"",
			`"a\"\\\{b\}\n\t\u{1}\u{7f}é"`},
		{s("\b\f\r\x1f"), types.String, "\b\f\r\x1f", `"\b\f\r\u001f"`, `"\u{8}\u{c}\u{d}\u{1f}"`},
		{s("a\xff\xc3"), types.String, "a\xff\xc3", "\"a\ufffd\ufffd\"", "\"a\ufffd\ufffd\""},
		{value.OfBytes("hi"), types.Bytes, "hi", `"aGk="`, `bytes("hi")`},
		{value.OfTime(at), types.Time, "2026-01-02T03:04:05Z", `"2026-01-02T03:04:05Z"`, `t"2026-01-02T03:04:05Z"`},
		{value.OfTime(at + 1500), types.Time, "2026-01-02T03:04:05.0000015Z", `"2026-01-02T03:04:05.0000015Z"`,
			`t"2026-01-02T03:04:05.0000015Z"`},
		{value.OfTime(math.MinInt64), types.Time, "1677-09-21T00:12:43.145224192Z",
			`"1677-09-21T00:12:43.145224192Z"`, `t"1677-09-21T00:12:43.145224192Z"`},
		{value.OfDuration(90 * time.Minute), types.Duration, "1h30m", `"1h30m"`, "1h30m"},
		{value.OfDuration(0), types.Duration, "0s", `"0s"`, "0s"},
		{value.OfDuration(-1500 * time.Millisecond), types.Duration, "-1s500ms", `"-1s500ms"`, "-1s500ms"},
		{value.OfDuration(49*time.Hour + 1002*time.Nanosecond), types.Duration, "2d1h1us2ns", `"2d1h1us2ns"`,
			"2d1h1us2ns"},
		{value.OfDuration(math.MinInt64), types.Duration, "-106751d23h47m16s854ms775us808ns",
			`"-106751d23h47m16s854ms775us808ns"`, "-106751d23h47m16s854ms775us808ns"},
		{value.Value{}, &types.Optional{Elem: types.Int}, "none", "null", "none"},
		{value.OfList(vs{s("a"), s("b")}), list(types.String), `["a","b"]`, `["a","b"]`, `["a", "b"]`},
		{value.OfList(vs{i(1), {}}), list(&types.Optional{Elem: types.Int}), `[1,null]`, `[1,null]`, `[1, none]`},
		{value.OfList(nil), list(types.Never), `[]`, `[]`, `[]`},
		{value.OfMap(nil, nil), &types.Map{Key: types.String, Elem: types.Int}, `{}`, `{}`, `[:]`},
		{value.OfMap(vs{s("b\xff"), s("a")}, vs{i(1), i(2)}), &types.Map{Key: types.String, Elem: types.Int},
			"{\"b\ufffd\":1,\"a\":2}", "{\"b\ufffd\":1,\"a\":2}", "[\"b\ufffd\": 1, \"a\": 2]"},
		{value.OfMap(vs{i(7)}, vs{value.OfBool(true)}), &types.Map{Key: types.Int, Elem: types.Bool},
			`{"7":true}`, `{"7":true}`, `[7: true]`},
		{value.OfRecord(vs{i(1), s("p"), value.OfTime(at)}), point,
			`{"x":1,"label":"p","at":"2026-01-02T03:04:05Z"}`, `{"x":1,"label":"p","at":"2026-01-02T03:04:05Z"}`,
			`(1, "p", t"2026-01-02T03:04:05Z")`},
		{value.OfRecord(vs{i(1), {}, value.OfTime(at)}), &types.Optional{Elem: point},
			`{"x":1,"at":"2026-01-02T03:04:05Z"}`, `{"x":1,"at":"2026-01-02T03:04:05Z"}`,
			`(1, none, t"2026-01-02T03:04:05Z")`},
	}
	for _, tt := range tests {
		t.Run(tt.literal, func(t *testing.T) {
			if got := string(value.AppendText([]byte("x"), tt.v, tt.t)); got != "x"+tt.text {
				t.Errorf("text %q, want %q", got, "x"+tt.text)
			}
			if got, _ := value.AppendJSON([]byte("x"), tt.v, tt.t); string(got) != "x"+tt.json {
				t.Errorf("JSON %q, want %q", got, "x"+tt.json)
			}
			if got := tt.v.String(); got != tt.literal {
				t.Errorf("literal %q, want %q", got, tt.literal)
			}
		})
	}
}

func TestIllFormedBytesAreCounted(t *testing.T) {
	type vs = []value.Value
	rec := &types.Record{Fields: []types.Field{
		{Name: "s", Type: types.String},
		{Name: "m", Type: &types.Map{Key: types.String, Elem: &types.List{Elem: types.String}}},
	}}
	s := value.OfString
	v := value.OfRecord(vs{s("\xff\xff"), value.OfMap(vs{s("\xc3")}, vs{value.OfList(vs{s("ok"), s("\xed\xa0\x80")})})})
	if _, bad := value.AppendJSON(nil, v, rec); bad != 6 {
		t.Errorf("%d bytes were counted, want 6", bad)
	}
}

func TestFloatsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFloat().Draw(t, "f")
		text := string(value.AppendFloat(nil, f))
		back, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Float64bits(back) != math.Float64bits(f) {
			t.Fatalf("%g is written %s, read %g (%v)", f, text, back, err)
		}
		if !strings.ContainsAny(text, ".e") || strings.Contains(text, "+") || !json.Valid([]byte(text)) {
			t.Fatalf("%s is no float of the language or of JSON", text)
		}
	})
}

// TestJSONOfWhatIsNotFinite: a dead letter shows the inside of a sum that went over, and has to be JSON all the same.
func TestJSONOfWhatIsNotFinite(t *testing.T) {
	for _, f := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		got, _ := value.AppendJSON(nil, value.OfList([]value.Value{value.OfFloat(f)}), &types.List{Elem: types.Float})
		var back []string
		if err := json.Unmarshal(got, &back); err != nil || len(back) != 1 {
			t.Errorf("%v is %s: %v", f, got, err)
		}
	}
}

func TestJSONIsWhatItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := anyType(3).Draw(t, "type")
		v := anyValue(typ).Draw(t, "value")
		out, bad := value.AppendJSON(nil, v, typ)
		dec := json.NewDecoder(strings.NewReader(string(out)))
		dec.UseNumber()
		var got any
		if err := dec.Decode(&got); err != nil || dec.More() {
			t.Fatalf("%v as %s: %s: %v", v, typ, out, err)
		}
		if !utf8.Valid(out) {
			t.Fatalf("%q is not UTF-8", out)
		}
		if want := badBytes(v); bad != want {
			t.Fatalf("%v: %d ill-formed bytes, want %d", v, bad, want)
		}
		checkJSON(t, got, v, typ)
	})
}

// checkJSON compares what encoding/json read with the value that was written.
func checkJSON(t *rapid.T, got any, v value.Value, typ types.Type) {
	if o, ok := typ.(*types.Optional); ok {
		typ = o.Elem
	}
	same := false
	switch v.Kind() {
	case value.None:
		same = got == nil
	case value.Bool:
		same = got == v.Bool()
	case value.Int:
		same = got == json.Number(strconv.FormatInt(v.Int(), 10))
	case value.Float:
		n, _ := got.(json.Number)
		f, err := n.Float64()
		same = err == nil && f == v.Float()
	case value.String:
		same = got == valid(v.Str())
	case value.Bytes:
		same = got == base64.StdEncoding.EncodeToString([]byte(v.Str()))
	case value.Time, value.Duration:
		same = got == string(value.AppendText(nil, v, typ))
	case value.List:
		list, _ := got.([]any)
		same = len(list) == len(v.Elems())
		for i := range list {
			checkJSON(t, list[i], v.Elems()[i], typ.(*types.List).Elem)
		}
	case value.Map:
		m, ok := got.(map[string]any)
		same = ok
		seen := map[string]bool{}
		for i := len(v.Keys()) - 1; i >= 0; i-- { // of keys that look alike once mended, the last one is read
			k := valid(string(value.AppendText(nil, v.Keys()[i], typ.(*types.Map).Key)))
			if !seen[k] {
				checkJSON(t, m[k], v.Elems()[i], typ.(*types.Map).Elem)
			}
			seen[k] = true
		}
		same = same && len(m) == len(seen)
	case value.Record:
		m, ok := got.(map[string]any)
		same = ok
		for i, f := range typ.(*types.Record).Fields {
			field, in := m[f.Name]
			if in == v.Elems()[i].IsNone() {
				t.Fatalf("field %s is there: %v", f.Name, in)
			}
			if in {
				checkJSON(t, field, v.Elems()[i], f.Type)
			}
		}
	}
	if !same {
		t.Fatalf("%v was read as %v", v, got)
	}
}

// valid replaces each ill-formed byte, one by one.
func valid(s string) string { return string([]rune(s)) }

func badBytes(v value.Value) int {
	n := 0
	if v.Kind() == value.String {
		for s := v.Str(); s != ""; {
			r, size := utf8.DecodeRuneInString(s)
			if r == utf8.RuneError && size == 1 {
				n++
			}
			s = s[size:]
		}
	}
	for _, k := range v.Keys() {
		n += badBytes(k)
	}
	for _, e := range v.Elems() {
		n += badBytes(e)
	}
	return n
}

func FuzzJSONString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\b\f\n\r\t\x00\x1f\x7f", "é漢😀", "\xff\xc3(", "\u2028", "a\xf0\x9f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, bad := value.AppendJSONString(nil, s)
		fromBytes, badBytes := value.AppendJSONString(nil, []byte(s))
		if string(out) != string(fromBytes) || bad != badBytes {
			t.Fatalf("%q: %s (%d) as string, %s (%d) as bytes", s, out, bad, fromBytes, badBytes)
		}
		var back string
		if err := json.Unmarshal(out, &back); err != nil || back != valid(s) {
			t.Fatalf("%q is written %s, read %q (%v)", s, out, back, err)
		}
		if (bad == 0) != utf8.ValidString(s) {
			t.Fatalf("%q has %d ill-formed bytes", s, bad)
		}
	})
}
