package fn_test

import (
	"math"
	"strings"
	"testing"
	stdtime "time"

	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
	"github.com/pipec/pipec/stdlib/fn"
)

type (
	V  = value.Value
	vs = []value.Value
)

var (
	i = value.OfInt
	f = value.OfFloat
	s = value.OfString
	b = value.OfBool
	l = func(elems ...V) V { return value.OfList(elems) }
)

// ss is a list of strings.
func ss(texts ...string) V {
	var elems vs
	for _, t := range texts {
		elems = append(elems, s(t))
	}
	return value.OfList(elems)
}

// call calls a function as the evaluator does, with types that follow from the values.
func call(name string, result types.Type, args vs) (V, error) {
	sig := expr.Sig{Result: result}
	for i, a := range args {
		sig.Args = append(sig.Args, typeOf(a))
		sig.Consts = append(sig.Consts, &args[i])
	}
	return fn.Table()[name].Of(sig)(args)
}

func typeOf(v V) types.Type {
	switch v.Kind() {
	case value.List:
		if len(v.Elems()) == 0 {
			return &types.List{Elem: types.Never}
		}
		return &types.List{Elem: typeOf(v.Elems()[0])}
	case value.Map:
		return &types.Map{Key: types.String, Elem: types.Int}
	case value.Record:
		return &types.Record{Fields: []types.Field{{Name: "x", Type: typeOf(v.Elems()[0])}}}
	}
	return [...]types.Type{types.None, types.Bool, types.Int, types.Float, types.String, types.Bytes, types.Time,
		types.Duration}[v.Kind()]
}

func date(text string) V {
	t, err := stdtime.Parse(stdtime.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return value.OfTime(t.UnixNano())
}

func TestFunctions(t *testing.T) {
	big := s(strings.Repeat("x", value.MaxSize/2+1))
	full := s(strings.Repeat("a", value.MaxSize))
	rfc := s(stdtime.RFC3339)
	least, most := value.OfTime(math.MinInt64), value.OfTime(math.MaxInt64)
	tests := []struct {
		fn   string
		args vs
		want V
		code diag.Code // of the error instead of a value
	}{
		{fn: "file.part", args: vs{s("a.b")}, want: s("a.b")},
		{fn: "file.part", args: vs{s("")}, want: s("")},
		{fn: "file.part", args: vs{s("...")}, want: s("...")},
		{fn: "file.part", args: vs{s(".")}, code: diag.LeadsElsewhere},
		{fn: "file.part", args: vs{s("..")}, code: diag.LeadsElsewhere},
		{fn: "file.part", args: vs{s("a/b")}, code: diag.LeadsElsewhere},
		{fn: "file.part", args: vs{s(`a\b`)}, code: diag.LeadsElsewhere},
		{fn: "file.part", args: vs{s("a\x00b")}, code: diag.LeadsElsewhere},
		{fn: "int", args: vs{s("9223372036854775807")}, want: i(math.MaxInt64)},
		{fn: "int", args: vs{s("-9223372036854775808")}, want: i(math.MinInt64)},
		{fn: "int", args: vs{s("+7")}, want: i(7)},
		{fn: "int", args: vs{s("007")}, want: i(7)},
		{fn: "int", args: vs{s("9223372036854775808")}, code: diag.UnreadableNumber},
		{fn: "int", args: vs{s("")}, code: diag.UnreadableNumber},
		{fn: "int", args: vs{s("-")}, code: diag.UnreadableNumber},
		{fn: "int", args: vs{s(" 1")}, code: diag.UnreadableNumber},
		{fn: "int", args: vs{s("1_000")}, code: diag.UnreadableNumber},
		{fn: "int", args: vs{s("0x1F")}, code: diag.UnreadableNumber},
		{fn: "int", args: vs{s("1.0")}, code: diag.UnreadableNumber},
		{fn: "int", args: vs{f(-2.9)}, want: i(-2)},
		{fn: "int", args: vs{f(1e19)}, code: diag.IntOverflow},
		{fn: "float", args: vs{s("-1.5")}, want: f(-1.5)},
		{fn: "float", args: vs{s("7")}, want: f(7)},
		{fn: "float", args: vs{s("1E-3")}, want: f(0.001)},
		{fn: "float", args: vs{s("1e999")}, code: diag.UnreadableNumber},
		{fn: "float", args: vs{s("inf")}, code: diag.UnreadableNumber},
		{fn: "float", args: vs{s("nan")}, code: diag.UnreadableNumber},
		{fn: "float", args: vs{s("0x1p3")}, code: diag.UnreadableNumber},
		{fn: "float", args: vs{s("")}, code: diag.UnreadableNumber},
		{fn: "float", args: vs{i(-3)}, want: f(-3)},
		{fn: "bool", args: vs{s("false")}, want: b(false)},
		{fn: "bool", args: vs{s("True")}, code: diag.UnreadableBool},
		{fn: "bool", args: vs{s("1")}, code: diag.UnreadableBool},
		{fn: "string", args: vs{s("a\"b")}, want: s("a\"b")},
		{fn: "string", args: vs{value.OfBytes("a\xff")}, want: s("a\xff")},
		{fn: "string", args: vs{b(true)}, want: s("true")},
		{fn: "string", args: vs{date("2026-03-01T10:00:05.25Z")}, want: s("2026-03-01T10:00:05.25Z")},
		{fn: "string", args: vs{value.OfRecord(vs{ss("a")})}, want: s(`{"x":["a"]}`)},
		{fn: "string", args: vs{l(big, big)}, code: diag.ValueTooLarge},
		{fn: "string", args: vs{value.OfBytes(full.Str())}, want: full},
		{fn: "len", args: vs{s("a\xffé漢😀")}, want: i(5)},
		{fn: "len", args: vs{value.OfBytes("é")}, want: i(2)},
		{fn: "len", args: vs{l()}, want: i(0)},
		{fn: "len", args: vs{value.OfMap(vs{s("a"), s("b")}, vs{i(1), i(2)})}, want: i(2)},
		{fn: "words", args: vs{s("")}, want: l()},
		{fn: "words", args: vs{s(" \t\r\n")}, want: l()},
		{fn: "words", args: vs{s("\x00a\x1fb\x7f c\u00a0d\xff")}, want: ss("a", "b\x7f", "c\u00a0d\xff")},
		{fn: "lower", args: vs{s("ABCZ[@éÉ\xff")}, want: s("abcz[@éÉ\xff")},
		{fn: "lower", args: vs{s("abc")}, want: s("abc")},
		{fn: "upper", args: vs{s("abcz{`éÉ\xff")}, want: s("ABCZ{`éÉ\xff")},
		{fn: "trim", args: vs{s(" \u00a0a\x00")}, want: s("\u00a0a")},
		{fn: "trim", args: vs{s("  ")}, want: s("")},
		{fn: "split", args: vs{s(""), s(",")}, want: ss("")},
		{fn: "split", args: vs{s("a, b, "), s(", ")}, want: ss("a", "b", "")},
		{fn: "split", args: vs{s("a\xffé"), s("")}, want: ss("a", "\xff", "é")},
		{fn: "join", args: vs{l(), s("-")}, want: s("")},
		{fn: "join", args: vs{ss("a", "", "b"), s("--")}, want: s("a----b")},
		{fn: "join", args: vs{l(big, big), s("")}, code: diag.ValueTooLarge},
		{fn: "join", args: vs{ss("", ""), full}, want: full},
		{fn: "join", args: vs{ss("", "", ""), big}, code: diag.ValueTooLarge},
		{fn: "contains", args: vs{s("abc"), s("")}, want: b(true)},
		{fn: "contains", args: vs{s("abc"), s("ca")}, want: b(false)},
		{fn: "contains", args: vs{l(l(i(1))), l(i(1))}, want: b(true)},
		{fn: "format", args: vs{date("2026-03-01T10:00:05Z"), s("")}, want: s("")},
		{fn: "format", args: vs{date("1999-12-31T23:59:59.5Z"), s("Mon Jan 2 15:04:05.000 MST 2006")},
			want: s("Fri Dec 31 23:59:59.500 UTC 1999")},
		{fn: "format", args: vs{date("2026-03-04T00:00:00Z"), s(strings.Repeat("Monday", value.MaxSize/8))},
			code: diag.ValueTooLarge},
		{fn: "now", args: vs{i(5)}, want: i(5)},

		{fn: "text.lower", args: vs{s("ÀΣ\xffẞA")}, want: s("àσ\xffßa")},
		{fn: "text.lower", args: vs{s("a\ufffdb")}, want: s("a\ufffdb")},
		{fn: "text.upper", args: vs{s("àß\xc3(a")}, want: s("Àß\xc3(A")},
		{fn: "text.starts_with", args: vs{s("ab"), s("abc")}, want: b(false)},
		{fn: "text.ends_with", args: vs{s("ab"), s("")}, want: b(true)},
		{fn: "text.replace", args: vs{s("aaa"), s("aa"), s("b")}, want: s("ba")},
		{fn: "text.replace", args: vs{full, s("a"), s("bb")}, code: diag.ValueTooLarge},
		{fn: "text.replace", args: vs{full, s("a"), s("")}, want: s("")},
		{fn: "text.find", args: vs{s("é漢x"), s("x")}, want: i(2)},
		{fn: "text.find", args: vs{s(""), s("")}, want: i(0)},
		{fn: "text.find", args: vs{s("a"), s("b")}, want: V{}},
		{fn: "text.slice", args: vs{s("é漢x"), i(1), i(2)}, want: s("漢")},
		{fn: "text.slice", args: vs{s("abc"), i(-5), i(2)}, want: s("ab")},
		{fn: "text.slice", args: vs{s("abc"), i(2), i(1)}, want: s("")},
		{fn: "text.slice", args: vs{s("abc"), i(-2), i(-1)}, want: s("")},
		{fn: "text.slice", args: vs{s("abc"), i(7), i(math.MaxInt64)}, want: s("")},
		{fn: "text.slice", args: vs{s("abc"), i(math.MinInt64), i(math.MaxInt64)}, want: s("abc")},
		{fn: "text.repeat", args: vs{s("ab"), i(-1)}, want: s("")},
		{fn: "text.repeat", args: vs{s(""), i(math.MaxInt64)}, want: s("")},
		{fn: "text.repeat", args: vs{s("ab"), i(value.MaxSize)}, code: diag.ValueTooLarge},
		{fn: "text.repeat", args: vs{s("ab"), i(math.MaxInt64)}, code: diag.ValueTooLarge},
		{fn: "text.pad_left", args: vs{s("é"), i(4), s("ab漢")}, want: s("ab漢é")},
		{fn: "text.pad_left", args: vs{s("é"), i(3), s("漢b")}, want: s("漢bé")},
		{fn: "text.pad_left", args: vs{s("abc"), i(3), s(" ")}, want: s("abc")},
		{fn: "text.pad_left", args: vs{s("abc"), i(math.MinInt64), s(" ")}, want: s("abc")},
		{fn: "text.pad_left", args: vs{s("abc"), i(9), s("")}, want: s("abc")},
		{fn: "text.pad_right", args: vs{s(""), i(2), s("漢x")}, want: s("漢x")},
		{fn: "text.pad_right", args: vs{s("x"), i(value.MaxSize + 1), s("y")}, code: diag.ValueTooLarge},
		{fn: "text.pad_left", args: vs{s("x"), i(math.MaxInt64), s("y")}, code: diag.ValueTooLarge},
		{fn: "text.trim", args: vs{s("\u3000\t a")}, want: s("a")},
		{fn: "text.lines", args: vs{s("")}, want: l()},
		{fn: "text.lines", args: vs{s("\n")}, want: ss("")},
		{fn: "text.lines", args: vs{s("a\r")}, want: ss("a\r")},
		{fn: "text.lines", args: vs{s("a\rb\r\nc")}, want: ss("a\rb", "c")},
		{fn: "text.matches", args: vs{s("b\xff"), s("^a")}, want: b(false)},
		{fn: "text.capture", args: vs{s("xay"), s("(a)|(b)")}, want: ss("a", "a", "")},
		{fn: "text.capture", args: vs{s("-"), s("a")}, want: V{}},
		{fn: "text.replace_all", args: vs{s("baaac"), s("a*"), s("x")}, want: s("xbxcx")},
		{fn: "text.replace_all", args: vs{s("a1b22"), s(`\b|\d+`), s("<$0>")}, want: s("<>a<1>b<22>")},
		{fn: "text.replace_all", args: vs{s("aa"), s("a"), big}, code: diag.ValueTooLarge},
		{fn: "text.replace_all", args: vs{full, s("a"), s("")}, code: diag.ValueTooLarge},

		{fn: "math.abs", args: vs{i(math.MinInt64)}, code: diag.IntOverflow},
		{fn: "math.abs", args: vs{f(-1.5)}, want: f(1.5)},
		{fn: "math.min", args: vs{f(0.5), f(0.25)}, want: f(0.25)},
		{fn: "math.max", args: vs{i(-1), i(-2)}, want: i(-1)},
		{fn: "math.floor", args: vs{f(2.5)}, want: f(2)},
		{fn: "math.ceil", args: vs{f(2.5)}, want: f(3)},
		{fn: "math.round", args: vs{f(2.5)}, want: f(3)},
		{fn: "math.sqrt", args: vs{f(-1)}, code: diag.NotFinite},
		{fn: "math.log", args: vs{f(0)}, code: diag.NotFinite},
		{fn: "math.pow", args: vs{f(10), f(400)}, code: diag.NotFinite},
		{fn: "math.fixed", args: vs{f(1.0 / 3), i(3)}, want: s("0.333")},
		{fn: "math.fixed", args: vs{f(1.5), i(-3)}, want: s("2")},
		{fn: "math.fixed", args: vs{f(1), i(math.MaxInt64)}, want: s("1.00000000000000000000")},

		{fn: "list.sum", args: vs{l()}, want: i(0)},
		{fn: "list.sum", args: vs{l(i(math.MaxInt64), i(1))}, code: diag.IntOverflow},
		{fn: "list.sum", args: vs{l(f(math.MaxFloat64), f(math.MaxFloat64))}, code: diag.NotFinite},
		{fn: "list.min", args: vs{l()}, want: V{}},
		{fn: "list.min", args: vs{ss("b", "a")}, want: s("a")},
		{fn: "list.max", args: vs{l(i(1), V{}, i(3))}, want: i(3)},
		{fn: "list.first", args: vs{l()}, want: V{}},
		{fn: "list.last", args: vs{l()}, want: V{}},
		{fn: "list.last", args: vs{l(i(1), i(2))}, want: i(2)},
		{fn: "list.sort", args: vs{l(i(3), i(-1), i(2))}, want: l(i(-1), i(2), i(3))},
		{fn: "list.sort", args: vs{l()}, want: l()},
		{fn: "list.reverse", args: vs{l(i(3), i(1))}, want: l(i(1), i(3))},
		{fn: "list.unique", args: vs{l(f(0), f(math.Copysign(0, -1)), f(1))}, want: l(f(0), f(1))},
		{fn: "list.contains", args: vs{l(i(1)), i(2)}, want: b(false)},
		{fn: "list.append", args: vs{l(), i(1)}, want: l(i(1))},
		{fn: "list.concat", args: vs{l(i(1)), l()}, want: l(i(1))},
		{fn: "list.take", args: vs{l(i(1), i(2)), i(-1)}, want: l()},
		{fn: "list.take", args: vs{l(i(1), i(2)), i(math.MaxInt64)}, want: l(i(1), i(2))},
		{fn: "list.skip", args: vs{l(i(1), i(2)), i(math.MaxInt64)}, want: l()},
		{fn: "list.skip", args: vs{l(i(1), i(2)), i(-1)}, want: l(i(1), i(2))},
		{fn: "list.range", args: vs{i(-1)}, want: l()},
		{fn: "list.range", args: vs{i(1<<20 + 1)}, code: diag.ValueTooLarge},

		{fn: "time.parse", args: vs{s("2026-03-01T10:00:05.123456789Z"), rfc}, want: date("2026-03-01T10:00:05.123456789Z")},
		{fn: "time.parse", args: vs{s("2026-02-29T10:00:05Z"), rfc}, code: diag.UnreadableTime},
		{fn: "time.parse", args: vs{s("2300-01-01T00:00:00Z"), rfc}, code: diag.UnreadableTime},
		{fn: "time.parse", args: vs{s("1600-01-01T00:00:00Z"), rfc}, code: diag.UnreadableTime},
		{fn: "time.parse", args: vs{s(""), rfc}, code: diag.UnreadableTime},
		{fn: "time.parse", args: vs{s("15:04"), s("15:04")}, code: diag.UnreadableTime},
		{fn: "time.truncate", args: vs{date("1969-12-31T23:59:30Z"), value.OfDuration(stdtime.Minute)},
			want: date("1969-12-31T23:59:00Z")},
		{fn: "time.truncate", args: vs{date("2026-03-01T10:07:05Z"), value.OfDuration(0)},
			want: date("2026-03-01T10:07:05Z")},
		{fn: "time.truncate", args: vs{least, value.OfDuration(stdtime.Hour)}, code: diag.IntOverflow},
		{fn: "time.add", args: vs{date("2024-02-29T00:00:00Z"), i(1), i(0), i(0)}, want: date("2025-03-01T00:00:00Z")},
		{fn: "time.add", args: vs{date("2026-03-01T00:00:00Z"), i(0), i(-1), i(-1)}, want: date("2026-01-31T00:00:00Z")},
		{fn: "time.add", args: vs{most, i(0), i(0), i(1)}, code: diag.IntOverflow},
		{fn: "time.add", args: vs{date("2026-03-01T00:00:00Z"), i(math.MinInt64), i(0), i(0)}, code: diag.IntOverflow},
		{fn: "time.unix", args: vs{date("1969-12-31T23:59:59.5Z")}, want: i(-1)},
		{fn: "time.unix_ms", args: vs{date("1969-12-31T23:59:59.9999Z")}, want: i(-1)},
		{fn: "time.from_unix", args: vs{i(-1)}, want: date("1969-12-31T23:59:59Z")},
		{fn: "time.from_unix", args: vs{i(math.MaxInt64)}, code: diag.IntOverflow},
		{fn: "time.from_unix_ms", args: vs{i(math.MinInt64)}, code: diag.IntOverflow},
		{fn: "time.year", args: vs{least}, want: i(1677)},
		{fn: "time.weekday", args: vs{date("2026-03-02T00:00:00Z")}, want: i(1)},
		{fn: "time.month", args: vs{date("2026-12-02T00:00:00Z")}, want: i(12)},
		{fn: "time.day", args: vs{date("2026-12-31T00:00:00Z")}, want: i(31)},
		{fn: "time.hour", args: vs{date("2026-12-31T23:00:00Z")}, want: i(23)},
		{fn: "time.minute", args: vs{date("2026-12-31T23:59:00Z")}, want: i(59)},
		{fn: "time.second", args: vs{date("2026-12-31T23:59:58.9Z")}, want: i(58)},
		{fn: "time.seconds", args: vs{value.OfDuration(-1500 * stdtime.Millisecond)}, want: f(-1.5)},
	}
	faults := []diag.Code{diag.LeadsElsewhere, diag.IntOverflow, diag.NotFinite, diag.ValueTooLarge}
	tested := map[string]bool{}
	for _, tt := range tests {
		tested[tt.fn] = true
		before := value.OfList(tt.args).String()
		got, err := call(tt.fn, types.Int, tt.args)
		name := tt.fn + clip(before)
		if value.OfList(tt.args).String() != before {
			t.Errorf("%s changed its arguments", name)
		}
		if tt.code == "" {
			if err != nil || got.Kind() != tt.want.Kind() || !value.Equal(got, tt.want) {
				t.Errorf("%s = %s (%v), want %s", name, clip(got.String()), err, clip(tt.want.String()))
			}
			continue
		}
		e, ok := err.(*expr.Error)
		if !ok || e.Code != tt.code || e.Message == "" || len(e.Message) > 200 {
			t.Errorf("%s = %s (%v), want %s", name, clip(got.String()), err, tt.code)
			continue
		}
		fault := false
		for _, c := range faults {
			fault = fault || c == tt.code
		}
		if e.Fault != fault {
			t.Errorf("%s: %v is a fault: %v", name, e, e.Fault)
		}
	}
	for name := range fn.Table() {
		if !tested[name] {
			t.Errorf("%s is not tested", name)
		}
	}
}

func clip(s string) string { return s[:min(len(s), 80)] }

func TestSumOfNothingHasItsType(t *testing.T) {
	if got, err := call("list.sum", types.Float, vs{l()}); err != nil || got.Kind() != value.Float {
		t.Errorf("%v %v", got, err)
	}
}

func TestSortIsStable(t *testing.T) {
	// 0.0 and -0.0 are equal, and still differ in their spelling.
	got, _ := call("list.sort", types.Float, vs{l(f(1), f(0), f(math.Copysign(0, -1)), f(0))})
	if got.String() != "[0.0, -0.0, 0.0, 1.0]" {
		t.Errorf("%v", got)
	}
}

func BenchmarkWords(b *testing.B) {
	args := vs{s("the quick brown fox jumps over the lazy dog again and again")}
	row := fn.Table()["words"].Row
	b.SetBytes(int64(len(args[0].Str())))
	for b.Loop() {
		if _, err := row(args); err != nil {
			b.Fatal(err)
		}
	}
}
