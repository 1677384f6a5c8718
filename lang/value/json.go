package value

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/types"
)

// AppendJSON appends v, which is of type t, as compact JSON, and returns how many ill-formed bytes of its strings it
// replaced by U+FFFD.
//
// Ints keep all digits, floats are as AppendFloat writes them (those that are not finite, which only the inside of an
// aggregate can hold, as strings), times and durations are strings as AppendText writes
// them, bytes are base64. A field that is none is left out; elsewhere none is null. Map keys that are no strings are
// written as AppendText writes them.
func AppendJSON(dst []byte, v Value, t types.Type) ([]byte, int) {
	if o, ok := t.(*types.Optional); ok {
		t = o.Elem
	}
	switch v.kind {
	case None:
		return append(dst, "null"...), 0
	case Float:
		if f := v.Float(); math.IsInf(f, 0) || math.IsNaN(f) {
			return append(AppendText(append(dst, '"'), v, t), '"'), 0
		}
		return AppendText(dst, v, t), 0
	case Bool, Int:
		return AppendText(dst, v, t), 0
	case String:
		return AppendJSONString(dst, v.s)
	case Bytes:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(v.s))
		return append(dst, '"'), 0
	case Time, Duration:
		return append(AppendText(append(dst, '"'), v, t), '"'), 0
	case List:
		return appendJSONList(dst, v, t)
	case Map:
		return appendJSONMap(dst, v, t)
	case Record:
		return appendJSONRecord(dst, v, t)
	default:
		bug.Panicf("value: unknown kind %d", uint8(v.kind))
		return nil, 0
	}
}

func appendJSONList(dst []byte, v Value, t types.Type) ([]byte, int) {
	list, ok := t.(*types.List)
	if !ok {
		bug.Panicf("value: a list is said to be %s", t)
	}
	bad := 0
	dst = append(dst, '[')
	for i, e := range v.Elems() {
		if i > 0 {
			dst = append(dst, ',')
		}
		var n int
		dst, n = AppendJSON(dst, e, list.Elem)
		bad += n
	}
	return append(dst, ']'), bad
}

func appendJSONMap(dst []byte, v Value, t types.Type) ([]byte, int) {
	m, ok := t.(*types.Map)
	if !ok {
		bug.Panicf("value: a map is said to be %s", t)
	}
	bad := 0
	dst = append(dst, '{')
	for i, k := range v.Keys() {
		if i > 0 {
			dst = append(dst, ',')
		}
		var n, n2 int
		if k.kind == String {
			dst, n = AppendJSONString(dst, k.s)
		} else {
			dst, n = AppendJSONString(dst, AppendText(nil, k, m.Key))
		}
		dst, n2 = AppendJSON(append(dst, ':'), v.Elems()[i], m.Elem)
		bad += n + n2
	}
	return append(dst, '}'), bad
}

func appendJSONRecord(dst []byte, v Value, t types.Type) ([]byte, int) {
	rec, ok := t.(*types.Record)
	if !ok || len(rec.Fields) != len(v.Elems()) {
		bug.Panicf("value: a record of %d fields is said to be %s", len(v.Elems()), t)
	}
	bad, first := 0, true
	dst = append(dst, '{')
	for i, e := range v.Elems() {
		if e.IsNone() {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, '"'), rec.Fields[i].Name...), '"', ':')
		var n int
		dst, n = AppendJSON(dst, e, rec.Fields[i].Type)
		bad += n
	}
	return append(dst, '}'), bad
}

// AppendJSONString appends s as a JSON string, and returns how many ill-formed bytes it replaced by U+FFFD, one for
// each. It copies runs of bytes that need no care as a whole: most strings are one such run.
func AppendJSONString[T string | []byte](dst []byte, s T) ([]byte, int) {
	dst = append(dst, '"')
	start, bad := 0, 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = appendJSONEscape(append(dst, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, n := decodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(append(dst, s[start:i]...), "\ufffd"...)
			bad++
			start = i + 1
		}
		i += n
	}
	return append(append(dst, s[start:]...), '"'), bad
}

// decodeRune decodes the first code point of a string or bytes.
func decodeRune[T string | []byte](s T) (rune, int) {
	var room [utf8.UTFMax]byte
	return utf8.DecodeRune(room[:copy(room[:], s)])
}

func appendJSONEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	}
	dst = append(dst, `\u00`...)
	if c < 0x10 {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, uint64(c), 16)
}
