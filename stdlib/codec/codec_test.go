package codec

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/pipec/pipec/exec/batch"
	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

var point = &types.Record{Fields: []types.Field{{Name: "x", Type: types.Int}, {Name: "y", Type: &types.Optional{Elem: types.Float}}}}

// row has a field of every type that can be encoded.
var row = &types.Record{Fields: []types.Field{
	{Name: "b", Type: types.Bool},
	{Name: "i", Type: types.Int},
	{Name: "f", Type: types.Float},
	{Name: "s", Type: types.String},
	{Name: "raw", Type: types.Bytes},
	{Name: "at", Type: types.Time},
	{Name: "d", Type: types.Duration},
	{Name: "e", Type: &types.Enum{Members: []string{"on", "off"}}},
	{Name: "o", Type: &types.Optional{Elem: types.String}},
	{Name: "l", Type: &types.List{Elem: &types.Optional{Elem: types.Int}}},
	{Name: "m", Type: &types.Map{Key: types.String, Elem: types.Int}},
	{Name: "p", Type: point},
}}

func values(s string, n int64, opt value.Value) []value.Value {
	return []value.Value{
		value.OfBool(true), value.OfInt(n), value.OfFloat(1.5), value.OfString(s), value.OfBytes("\x00\xff"),
		value.OfTime(1_767_261_605_000_000_000), value.OfDuration(90e9), value.OfString("on"), opt,
		value.OfList([]value.Value{value.OfInt(1), {}, value.OfInt(3)}),
		value.OfMap([]value.Value{value.OfString("z"), value.OfString("a")}, []value.Value{value.OfInt(1), value.OfInt(2)}),
		value.OfRecord([]value.Value{value.OfInt(1), {}}),
	}
}

func encode(t *testing.T, mk connector.EncoderFunc, cfg connector.CodecConfig, row *types.Record, rows ...[]value.Value) string {
	t.Helper()
	enc, err := mk(cfg, row)
	if err != nil {
		t.Fatal(err)
	}
	b := batch.FromRows(row, rows)
	out, ends, bad := enc.Append([]byte("before"), nil, connector.Write{Batch: b})
	if len(bad) > 0 || len(ends) != len(rows) || ends[len(ends)-1] != len(out) {
		t.Fatalf("ends %v of %d bytes, refused %v", ends, len(out), bad)
	}
	return strings.TrimPrefix(string(out), "before")
}

func TestJSON(t *testing.T) {
	got := encode(t, NewJSON, connector.CodecConfig{}, row,
		values("a\"\\\n\x01é", math.MaxInt64, value.OfString("x")), values("\xff", 1<<53+1, value.Value{}))
	want := `{"b":true,"i":9223372036854775807,"f":1.5,"s":"a\"\\\n\u0001é","raw":"AP8=","at":"2026-01-01T10:00:05Z",` +
		`"d":"1m30s","e":"on","o":"x","l":[1,null,3],"m":{"z":1,"a":2},"p":{"x":1}}` + "\n" +
		`{"b":true,"i":9007199254740993,"f":1.5,"s":"` + "\ufffd" + `","raw":"AP8=","at":"2026-01-01T10:00:05Z",` +
		`"d":"1m30s","e":"on","l":[1,null,3],"m":{"z":1,"a":2},"p":{"x":1}}` + "\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestText(t *testing.T) {
	one := func(t types.Type) *types.Record {
		return &types.Record{Fields: []types.Field{{Name: "v", Type: t}}}
	}
	for _, c := range []struct {
		t    types.Type
		v    value.Value
		want string
	}{
		{types.String, value.OfString("a\x00\xff"), "a\x00\xff\n"},
		{types.Int, value.OfInt(-7), "-7\n"},
		{types.Float, value.OfFloat(2), "2.0\n"},
		{types.Duration, value.OfDuration(1500e6), "1s500ms\n"},
		{&types.Optional{Elem: types.Int}, value.Value{}, "\n"},
		{point, value.OfRecord([]value.Value{value.OfInt(1), value.OfFloat(2)}), `{"x":1,"y":2.0}` + "\n"},
	} {
		if got := encode(t, NewText, connector.CodecConfig{}, one(c.t), []value.Value{c.v}); got != c.want {
			t.Errorf("%s: %q, want %q", c.t, got, c.want)
		}
	}
	wide := &types.Record{Fields: []types.Field{{Name: "n", Type: types.Int}, {Name: "line", Type: types.String}}}
	if got := encode(t, NewText, connector.CodecConfig{}, wide, []value.Value{value.OfInt(1), value.OfString("x")}); got != "x\n" {
		t.Errorf("a row with a field `line`: %q", got)
	}
	if _, err := NewText(connector.CodecConfig{}, point); err == nil || !strings.Contains(err.Error(), "only field") {
		t.Errorf("text of two fields: %v", err)
	}
}

// FuzzEncode holds the JSON of rows against what value.AppendJSON says of the same values, and a strict parser.
func FuzzEncode(f *testing.F) {
	f.Add("text", int64(1), true)
	f.Add("\xff\x00\"\\\u2028", int64(math.MinInt64), false)
	f.Fuzz(func(t *testing.T, s string, n int64, has bool) {
		opt := value.Value{}
		if has {
			opt = value.OfString(s + s)
		}
		vals := values(s, n, opt)
		got := encode(t, NewJSON, connector.CodecConfig{}, row, vals)
		want, _ := value.AppendJSON(nil, value.OfRecord(vals), row)
		if got != string(want)+"\n" {
			t.Fatalf("columns give %s, values %s", got, want)
		}
		if !json.Valid([]byte(got)) {
			t.Fatalf("not valid: %s", got)
		}
	})
}
