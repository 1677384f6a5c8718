// Package literal turns the spellings of literals into values: what `1_000`, `1h30m`, `2GiB`, `t"…"`, `r#"…"#` or
// `\u{e9}` mean. The parser uses it to refuse what cannot be converted, the checker to fold constants; so a spelling
// has one meaning. It is pure and knows nothing of tokens or trees.
package literal

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Kind says what is wrong with a spelling. The zero value is invalid.
type Kind uint8

// The kinds of errors.
const (
	BadDigits  Kind = iota + 1 // not a number: `0x`, `1__0`
	OutOfRange                 // does not fit its type
	WrongUnit                  // no such unit
	BadOrder                   // units of a compound not from large to small
	BadTime                    // not RFC 3339
	BadEscape                  // no such escape in a string
)

// Error is a spelling without a value. Start and End are the bytes of the spelling that are wrong.
type Error struct {
	Kind       Kind
	Start, End int
	Msg        string // a clause without a full stop
}

// Error returns the message.
func (e *Error) Error() string { return e.Msg }

func wrong(k Kind, start, end int, msg string) *Error {
	return &Error{Kind: k, Start: start, End: end, Msg: msg}
}

// Int returns the value of an integer as it is written: decimal or with 0x, with `_` between digits.
func Int(text string) (int64, error) { return parseInt(text, math.MaxInt64) }

// NegInt returns the value of an integer with a minus before it, so that the least int64 can be written.
func NegInt(text string) (int64, error) {
	if n, ok := magnitude(text); ok && n == 1<<63 {
		return math.MinInt64, nil
	}
	n, err := parseInt(text, math.MaxInt64)
	return -n, err
}

func magnitude(text string) (uint64, bool) {
	digits, base := text, 10
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		digits, base = text[2:], 16
	}
	n, err := strconv.ParseUint(strings.ReplaceAll(digits, "_", ""), base, 64)
	return n, err == nil
}

func parseInt(text string, limit uint64) (int64, error) {
	digits, hex := text, false
	if len(text) >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		digits, hex = text[2:], true
	}
	if !wellSpaced(digits, hex) {
		return 0, wrong(BadDigits, 0, len(text), "`"+text+"` is not a number")
	}
	if n, ok := magnitude(text); ok && n <= limit {
		return int64(n), nil
	}
	return 0, wrong(OutOfRange, 0, len(text), "`"+text+"` does not fit an int, which goes up to 9223372036854775807")
}

// wellSpaced reports whether s is digits with single underscores between them.
func wellSpaced(s string, hex bool) bool {
	digit := false // the byte before was a digit
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isDigit(c), hex && (c|0x20 >= 'a' && c|0x20 <= 'f'):
			digit = true
		case c == '_' && digit:
			digit = false
		default:
			return false
		}
	}
	return digit
}

// Float returns the value of a number with a fraction or an exponent.
func Float(text string) (float64, error) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".eE+-", r) }) {
		if !wellSpaced(part, false) {
			return 0, wrong(BadDigits, 0, len(text), "`"+text+"` is not a number")
		}
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	switch {
	case err == nil:
		return x, nil
	case math.IsInf(x, 0):
		return 0, wrong(OutOfRange, 0, len(text), "`"+text+"` does not fit a float, which goes up to about 1.8e308")
	}
	return 0, wrong(BadDigits, 0, len(text), "`"+text+"` is not a number")
}

// unit is the name of a unit and what it is worth in the smallest one.
type unit struct {
	name  string
	worth int64
}

func durationUnit(name string) (int64, bool) {
	for _, u := range [...]unit{
		{"ns", 1}, {"us", int64(time.Microsecond)}, {"ms", int64(time.Millisecond)}, {"s", int64(time.Second)},
		{"m", int64(time.Minute)}, {"h", int64(time.Hour)}, {"d", 24 * int64(time.Hour)},
	} {
		if u.name == name {
			return u.worth, true
		}
	}
	return 0, false
}

func sizeUnit(name string) (int64, bool) {
	for _, u := range [...]unit{
		{"B", 1}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	} {
		if u.name == name {
			return u.worth, true
		}
	}
	return 0, false
}

// IsDurationUnit reports whether name is a unit of durations.
func IsDurationUnit(name string) bool { _, ok := durationUnit(name); return ok }

// IsSizeUnit reports whether name is a unit of sizes.
func IsSizeUnit(name string) bool { _, ok := sizeUnit(name); return ok }

// DurationUnits lists the units of durations, smallest first, as messages name them.
const DurationUnits = "ns us ms s m h d"

// SizeUnits lists the units of sizes as messages name them.
const SizeUnits = "B KB MB GB TB KiB MiB GiB TiB"

// Duration returns the value of `30s`, `1h30m` or `1.5h`: the units of a compound go from large to small.
func Duration(text string) (time.Duration, error) {
	var total int64
	last := int64(math.MaxInt64)
	for i := 0; i < len(text); {
		num, name := split(text[i:])
		worth, ok := durationUnit(name)
		from, to := i+len(num), i+len(num)+len(name)
		switch {
		case name == "":
			return 0, wrong(WrongUnit, i, len(text), "`"+text[i:]+"` has no unit")
		case !ok:
			return 0, wrong(WrongUnit, from, to, "no unit `"+name+"`")
		case worth >= last:
			return 0, wrong(BadOrder, from, to, "`"+name+"` comes too late: the units go from large to small")
		}
		n, err := scaled(num, worth)
		if err != nil {
			err.Start, err.End = 0, len(text)
			err.Msg = "`" + text + "` " + err.Msg
			return 0, err
		}
		if total > math.MaxInt64-n {
			return 0, wrong(OutOfRange, 0, len(text), "`"+text+"` is too long: a duration goes up to 292 years")
		}
		total += n
		last = worth
		i = to
	}
	return time.Duration(total), nil
}

// Size returns the number of bytes of `2GiB` or `1.5MB`.
func Size(text string) (int64, error) {
	num, name := split(text)
	worth, ok := sizeUnit(name)
	if !ok {
		return 0, wrong(WrongUnit, len(num), len(text), "no unit `"+name+"`")
	}
	n, err := scaled(num, worth)
	if err != nil {
		err.Start, err.End = 0, len(text)
		err.Msg = "`" + text + "` " + err.Msg
		return 0, err
	}
	return n, nil
}

// split cuts a number and the letters behind it from the front of s.
func split(s string) (num, name string) {
	i := 0
	for i < len(s) && (isDigit(s[i]) || s[i] == '_' || s[i] == '.') {
		i++
	}
	j := i
	for j < len(s) && !isDigit(s[j]) {
		j++
	}
	return s[:i], s[i:j]
}

// scaled returns num × worth exactly; num may have a fraction as long as the product is whole.
func scaled(num string, worth int64) (int64, *Error) {
	whole, frac, dotted := strings.Cut(num, ".")
	if !wellSpaced(whole, false) || dotted && !wellSpaced(frac, false) {
		return 0, wrong(BadDigits, 0, 0, "is not a number")
	}
	digits := strings.ReplaceAll(whole+frac, "_", "")
	scale := uint64(1)
	for range len(strings.ReplaceAll(frac, "_", "")) {
		if scale > math.MaxUint64/10 {
			return 0, wrong(BadDigits, 0, 0, "has too many digits")
		}
		scale *= 10
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, wrong(OutOfRange, 0, 0, "is too large")
	}
	hi, lo := bits.Mul64(n, uint64(worth))
	if hi >= scale {
		return 0, wrong(OutOfRange, 0, 0, "is too large")
	}
	q, r := bits.Div64(hi, lo, scale)
	switch {
	case q > math.MaxInt64:
		return 0, wrong(OutOfRange, 0, 0, "is too large")
	case r != 0:
		return 0, wrong(BadDigits, 0, 0, "is not a whole number of the smallest unit")
	}
	return int64(q), nil
}

// Time returns the moment of `t"2026-01-01T10:00:05Z"`, in UTC.
func Time(text string) (time.Time, error) {
	inner := strings.TrimSuffix(strings.TrimPrefix(text, `t"`), `"`)
	at, err := time.Parse(time.RFC3339Nano, inner)
	if err != nil {
		return time.Time{}, wrong(BadTime, 2, 2+len(inner),
			"`"+inner+"` is not a time with a zone, as in `2026-01-01T10:00:05Z`")
	}
	return at.UTC(), nil
}

// Raw returns the text of `r"…"` or `r#"…"#`, and the pattern of `re"…"` or `re#"…"#`.
func Raw(text string) string {
	from := strings.IndexByte(text, '"') + 1
	hashes := strings.Count(text[:from], "#")
	return text[from : len(text)-1-hashes]
}

// Unescape returns the value of literal text between the quotes and holes of a string. An error's place is the
// escape; the value then has the escape left out.
func Unescape(text string) (string, error) {
	if strings.IndexByte(text, '\\') < 0 {
		return text, nil
	}
	var out strings.Builder
	var first error
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			out.WriteByte(text[i])
			i++
			continue
		}
		r, n, err := Escape(text[i:])
		if err != nil {
			if first == nil {
				err.Start, err.End = err.Start+i, err.End+i
				first = err
			}
		} else {
			out.WriteRune(r)
		}
		i += n
	}
	return out.String(), first
}

// Escape returns the character of the escape at the front of s, which starts with a backslash, and the number of
// bytes that the escape takes, also where it is wrong.
func Escape(s string) (rune, int, *Error) {
	if len(s) < 2 {
		return 0, len(s), wrong(BadEscape, 0, len(s), "a backslash with nothing behind it")
	}
	switch s[1] {
	case '{', '}', '"', '\\':
		return rune(s[1]), 2, nil
	case 'n':
		return '\n', 2, nil
	case 't':
		return '\t', 2, nil
	case 'u':
		return unicodeEscape(s)
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	return 0, 1 + n, wrong(BadEscape, 0, 1+n, "no escape `"+s[:1+n]+"`")
}

func unicodeEscape(s string) (rune, int, *Error) {
	i := 2
	if i < len(s) && s[i] == '{' {
		i++
	}
	from := i
	for i < len(s) && (isDigit(s[i]) || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'f') {
		i++
	}
	digits := s[from:i]
	if from != 3 || digits == "" || i >= len(s) || s[i] != '}' {
		return 0, i, wrong(BadEscape, 0, i, "`"+s[:i]+"` is not a character, as in `\\u{e9}`")
	}
	i++
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, i, wrong(BadEscape, 0, i, "`"+s[:i]+"` is no Unicode character")
	}
	return rune(n), i, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
