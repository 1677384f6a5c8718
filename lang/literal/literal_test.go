package literal

import (
	"errors"
	"math"
	"testing"
	"time"
)

func TestInt(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		kind Kind
	}{
		{"0", 0, 0}, {"42", 42, 0}, {"1_000_000", 1_000_000, 0}, {"0x1F", 31, 0}, {"0Xff", 255, 0}, {"007", 7, 0},
		{"9007199254740993", 9007199254740993, 0}, {"9223372036854775807", math.MaxInt64, 0},
		{"9223372036854775808", 0, OutOfRange}, {"99999999999999999999", 0, OutOfRange},
		{"0xffffffffffffffff", 0, OutOfRange}, {"0x", 0, BadDigits}, {"1__0", 0, BadDigits}, {"1_", 0, BadDigits},
		{"0x_1", 0, BadDigits}, {"", 0, BadDigits},
	} {
		got, err := Int(c.text)
		check(t, c.text, got, c.want, err, c.kind)
	}
	if n, err := NegInt("9223372036854775808"); n != math.MinInt64 || err != nil {
		t.Errorf("-9223372036854775808 is %d, %v", n, err)
	}
	if n, err := NegInt("0x8000000000000000"); n != math.MinInt64 || err != nil {
		t.Errorf("-0x8000000000000000 is %d, %v", n, err)
	}
	if n, err := NegInt("5"); n != -5 || err != nil {
		t.Errorf("-5 is %d, %v", n, err)
	}
	if _, err := NegInt("9223372036854775809"); err == nil {
		t.Error("-9223372036854775809 fits")
	}
}

func TestFloat(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
		kind Kind
	}{
		{"1.5", 1.5, 0}, {"1.5e3", 1500, 0}, {"1e-9", 1e-9, 0}, {"1_0.2_5", 10.25, 0}, {"1e308", 1e308, 0},
		{"1e999", 0, OutOfRange}, {"1e-999", 0, 0}, {"1__0.5", 0, BadDigits},
	} {
		got, err := Float(c.text)
		check(t, c.text, got, c.want, err, c.kind)
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
		kind Kind
	}{
		{"5ns", 5, 0}, {"5us", 5 * time.Microsecond, 0}, {"1h30m", 90 * time.Minute, 0}, {"1d", 24 * time.Hour, 0},
		{"1d2h3m4s5ms6us7ns", 26*time.Hour + 3*time.Minute + 4*time.Second + 5*time.Millisecond + 6007, 0},
		{"1.5s", 1500 * time.Millisecond, 0}, {"0.1s", 100 * time.Millisecond, 0}, {"1_000ms", time.Second, 0},
		{"106751d", 106751 * 24 * time.Hour, 0}, {"106752d", 0, OutOfRange}, {"1.5ns", 0, BadDigits},
		{"1m1h", 0, BadOrder}, {"1m1m", 0, BadOrder}, {"10xb", 0, WrongUnit}, {"1h30", 0, WrongUnit},
		{"99999999999999999999s", 0, OutOfRange}, {"106751d24h", 0, OutOfRange},
	} {
		got, err := Duration(c.text)
		check(t, c.text, got, c.want, err, c.kind)
	}
	_, err := Duration("1h30x")
	var e *Error
	if !errors.As(err, &e) || e.Start != 4 || e.End != 5 {
		t.Errorf("the wrong unit of 1h30x is at %+v", e)
	}
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		kind Kind
	}{
		{"1B", 1, 0}, {"64KB", 64_000, 0}, {"2GiB", 2 << 30, 0}, {"1.5MiB", 3 << 19, 0}, {"8388607TiB", 8388607 << 40, 0},
		{"8388608TiB", 0, OutOfRange}, {"0.1B", 0, BadDigits}, {"1kb", 0, WrongUnit},
	} {
		got, err := Size(c.text)
		check(t, c.text, got, c.want, err, c.kind)
	}
}

func TestTime(t *testing.T) {
	got, err := Time(`t"2026-01-01T10:00:05.25+02:00"`)
	if want := time.Date(2026, 1, 1, 8, 0, 5, 250_000_000, time.UTC); err != nil || !got.Equal(want) || got.Location() != time.UTC {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{`t""`, `t"2026-13-01T00:00:00Z"`, `t"2026-01-01T00:00:00"`, `t"yesterday"`} {
		_, err := Time(text)
		check(t, text, 0, 0, err, BadTime)
	}
}

func TestRaw(t *testing.T) {
	for text, want := range map[string]string{
		`r"a\d"`: `a\d`, `r""`: ``, `r#"a"b"#`: `a"b`, `re"^x$"`: `^x$`, `re##"a"#b"##`: `a"#b`, "r#\"a\nb\"#": "a\nb",
	} {
		if got := Raw(text); got != want {
			t.Errorf("%s is %q, not %q", text, got, want)
		}
	}
}

func TestUnescape(t *testing.T) {
	for text, want := range map[string]string{
		`plain`: `plain`, `\{a\}`: `{a}`, `\"\\\n\t`: "\"\\\n\t", `\u{e9}\u{1F600}`: "é😀", ``: ``, `é`: `é`,
	} {
		if got, err := Unescape(text); got != want || err != nil {
			t.Errorf("%s is %q, %v, not %q", text, got, err, want)
		}
	}
	for text, at := range map[string][2]int{
		`a\q`: {1, 3}, `ab\u{110000}c`: {2, 12}, `\u{d800}`: {0, 8}, `\u{}`: {0, 3}, `\u41`: {0, 4}, `x\`: {1, 2}, `\é`: {0, 3},
	} {
		_, err := Unescape(text)
		var e *Error
		if !errors.As(err, &e) || e.Kind != BadEscape || e.Start != at[0] || e.End != at[1] {
			t.Errorf("%s: %+v, want the escape at %v", text, e, at)
		}
	}
}

// check compares a value and the kind of an error, 0 for none.
func check[T comparable](t *testing.T, text string, got, want T, err error, kind Kind) {
	t.Helper()
	var e *Error
	switch {
	case kind == 0 && (err != nil || got != want):
		t.Errorf("%s is %v, %v, not %v", text, got, err, want)
	case kind != 0 && (!errors.As(err, &e) || e.Kind != kind):
		t.Errorf("%s: error %+v, want kind %d", text, err, kind)
	case kind != 0 && (e.Start < 0 || e.End < e.Start || e.End > len(text)):
		t.Errorf("%s: the error's place %d-%d is none", text, e.Start, e.End)
	}
}
