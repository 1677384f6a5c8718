package value

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
)

// AppendText appends v, which is of type t, as a hole of a string shows it: strings and bytes as they are, numbers,
// times and durations as a program writes them (times without the t"…"), lists, maps and records as JSON.
func AppendText(dst []byte, v Value, t types.Type) []byte {
	switch v.kind {
	case None:
		return append(dst, "none"...)
	case Bool:
		return strconv.AppendBool(dst, v.n != 0)
	case Int:
		return strconv.AppendInt(dst, v.n, 10)
	case Float:
		return AppendFloat(dst, v.Float())
	case String, Bytes:
		return append(dst, v.s...)
	case Time:
		return AppendTime(dst, v.n)
	case Duration:
		return AppendDuration(dst, v.n)
	case List, Map, Record:
		dst, _ = AppendJSON(dst, v, t)
		return dst
	default:
		bug.Panicf("value: unknown kind %d", uint8(v.kind))
		return nil
	}
}

// AppendFloat appends the shortest decimal that gives f back. It always looks like a float (`1.0`, `1e21`), so that
// neither a program nor a reader of JSON takes it for an int; plain digits are used from 1e-6 to below 1e21.
func AppendFloat(dst []byte, f float64) []byte {
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		return trimExponent(dst, start)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// trimExponent takes the plus sign and the leading zero off the exponent of the number at dst[start:].
func trimExponent(dst []byte, start int) []byte {
	for i := start; i < len(dst); i++ {
		if dst[i] != 'e' {
			continue
		}
		from := i + 1
		if dst[from] == '-' {
			i, from = i+1, from+1
		} else if dst[from] == '+' {
			from++
		}
		for dst[from] == '0' && from < len(dst)-1 {
			from++
		}
		return append(dst[:i+1], dst[from:]...)
	}
	return dst
}

// AppendTime appends a time, in nanoseconds since the Unix epoch, as RFC 3339 in UTC; a fraction of a second is
// written where there is one, without trailing zeros.
func AppendTime(dst []byte, ns int64) []byte {
	return time.Unix(0, ns).UTC().AppendFormat(dst, time.RFC3339Nano)
}

// durationUnits are the units of the language, largest first.
var durationUnits = [...]struct {
	name string
	ns   uint64
}{
	{"d", uint64(24 * time.Hour)}, {"h", uint64(time.Hour)}, {"m", uint64(time.Minute)}, {"s", uint64(time.Second)},
	{"ms", uint64(time.Millisecond)}, {"us", uint64(time.Microsecond)}, {"ns", 1},
}

// AppendDuration appends a duration, in nanoseconds, as a program writes it: `1h30m`, `1s500ms`, `-2d`, `0s`.
func AppendDuration(dst []byte, ns int64) []byte {
	if ns == 0 {
		return append(dst, "0s"...)
	}
	left := uint64(ns)
	if ns < 0 {
		dst = append(dst, '-')
		left = -left // right for the least int64 too
	}
	for _, u := range durationUnits {
		if left >= u.ns {
			dst = strconv.AppendUint(dst, left/u.ns, 10)
			dst = append(dst, u.name...)
			left %= u.ns
		}
	}
	return dst
}

// String returns v as a program would write it, for dumps and messages. Records have no names here, and bytes, for
// which there is no literal, look like a call.
func (v Value) String() string { return string(appendLiteral(nil, v)) }

func appendLiteral(dst []byte, v Value) []byte {
	switch v.kind {
	case None, Bool, Int, Float, Duration:
		return AppendText(dst, v, types.Invalid)
	case String:
		return AppendQuoted(dst, v.s)
	case Bytes:
		return append(AppendQuoted(append(dst, "bytes("...), v.s), ')')
	case Time:
		return append(AppendTime(append(dst, `t"`...), v.n), '"')
	case List:
		return append(appendLiterals(append(dst, '['), v.Elems()), ']')
	case Record:
		return append(appendLiterals(append(dst, '('), v.Elems()), ')')
	case Map:
		if len(v.Keys()) == 0 {
			return append(dst, "[:]"...)
		}
		dst = append(dst, '[')
		for i, k := range v.Keys() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendLiteral(dst, k), ": "...)
			dst = appendLiteral(dst, v.Elems()[i])
		}
		return append(dst, ']')
	default:
		bug.Panicf("value: unknown kind %d", uint8(v.kind))
		return nil
	}
}

func appendLiterals(dst []byte, elems []Value) []byte {
	for i, e := range elems {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendLiteral(dst, e)
	}
	return dst
}

// AppendQuoted appends s as a string literal of the language, with everything escaped that a literal cannot hold or
// that would start a hole. Ill-formed bytes, which no escape can name, become U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case strings.ContainsRune(`"\{}`, r):
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < ' ' || r == 0x7f:
			dst = append(dst, `\u{`...)
			dst = append(strconv.AppendInt(dst, int64(r), 16), '}')
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
