package fn

import (
	"strconv"
	"strings"
	stdtime "time"
	"unicode/utf8"

	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/value"
)

func prelude() []expr.Func {
	return []expr.Func{
		fallible("int", toInt),
		fallible("float", toFloat),
		fallible("bool", toBool),
		{Name: "string", Bind: toString},
		pure("len", length),
		pure("words", words),
		pure("lower", func(args []value.Value) value.Value { return value.OfString(mapASCII(args[0].Str(), 'A', 'Z')) }),
		pure("upper", func(args []value.Value) value.Value { return value.OfString(mapASCII(args[0].Str(), 'a', 'z')) }),
		pure("trim", func(args []value.Value) value.Value { return value.OfString(trim(args[0].Str())) }),
		pure("split", func(args []value.Value) value.Value {
			return listOf(strings.Split(args[0].Str(), args[1].Str()))
		}),
		faulting("join", join),
		pure("contains", contains),
		faulting("format", format),
		{Name: "now", Clock: true, Row: func(args []value.Value) (value.Value, error) { return args[0], nil }},
	}
}

func toInt(args []value.Value) (value.Value, error) {
	if args[0].Kind() == value.Float {
		n, why := value.FloatToInt(args[0].Float())
		if why != value.OK {
			return value.Value{}, overflow("int(" + args[0].String() + ")")
		}
		return value.OfInt(n), nil
	}
	text := args[0].Str()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		if digits(text) {
			return value.Value{}, expr.Failf(diag.UnreadableNumber, "%s does not fit into an int", expr.Quote(text))
		}
		return value.Value{}, expr.Failf(diag.UnreadableNumber, "%s is no int", expr.Quote(text))
	}
	return value.OfInt(n), nil
}

// digits reports whether a text is an int but for its size.
func digits(text string) bool {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func toFloat(args []value.Value) (value.Value, error) {
	if args[0].Kind() == value.Int {
		return value.OfFloat(float64(args[0].Int())), nil
	}
	text := args[0].Str()
	// ParseFloat reads more than decimal numbers: hexadecimal ones, `inf`, `nan`.
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "+-.eE0123456789") != "" {
		return value.Value{}, expr.Failf(diag.UnreadableNumber, "%s is no float", expr.Quote(text))
	}
	return value.OfFloat(f), nil
}

func toBool(args []value.Value) (value.Value, error) {
	switch text := args[0].Str(); text {
	case "true":
		return value.OfBool(true), nil
	case "false":
		return value.OfBool(false), nil
	default:
		return value.Value{}, expr.Failf(diag.UnreadableBool, "%s is neither `true` nor `false`", expr.Quote(text))
	}
}

func toString(call expr.Sig) expr.RowFunc {
	t := call.Args[0]
	return func(args []value.Value) (value.Value, error) {
		v := args[0]
		if v.Kind() == value.String {
			return v, nil
		}
		if value.TooLarge(v) {
			return value.Value{}, tooLong()
		}
		return expr.CheckText(string(value.AppendText(nil, v, t)))
	}
}

func length(args []value.Value) value.Value {
	v := args[0]
	switch v.Kind() {
	case value.String:
		return value.OfInt(int64(utf8.RuneCountInString(v.Str())))
	case value.Bytes:
		return value.OfInt(int64(len(v.Str())))
	default:
		return value.OfInt(int64(len(v.Elems())))
	}
}

// words splits at bytes up to 0x20. It counts first, so that the list is made once.
func words(args []value.Value) value.Value {
	s := args[0].Str()
	n, inWord := 0, false
	for i := range len(s) {
		if s[i] > ' ' && !inWord {
			n++
		}
		inWord = s[i] > ' '
	}
	list := make([]value.Value, 0, n)
	for i := 0; i < len(s); {
		if s[i] <= ' ' {
			i++
			continue
		}
		start := i
		for i < len(s) && s[i] > ' ' {
			i++
		}
		list = append(list, value.OfString(s[start:i]))
	}
	return value.OfList(list)
}

// mapASCII turns the letters from first to last into those of the other case. It copies only if there is one.
func mapASCII(s string, first, last byte) string {
	for i := range len(s) {
		if first <= s[i] && s[i] <= last {
			b := []byte(s)
			for ; i < len(b); i++ {
				if first <= b[i] && b[i] <= last {
					b[i] ^= 'a' ^ 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

func trim(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

func join(args []value.Value) (value.Value, error) {
	items, separator := args[0].Elems(), args[1].Str()
	size := 0
	for i, item := range items {
		if i > 0 {
			size += len(separator)
		}
		if size += len(item.Str()); size > value.MaxSize {
			return value.Value{}, tooLong()
		}
	}
	var b strings.Builder
	b.Grow(size)
	for i, item := range items {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(item.Str())
	}
	return value.OfString(b.String()), nil
}

func contains(args []value.Value) value.Value {
	if args[0].Kind() != value.List {
		return value.OfBool(strings.Contains(args[0].Str(), args[1].Str()))
	}
	for _, item := range args[0].Elems() {
		if value.Equal(item, args[1]) {
			return value.OfBool(true)
		}
	}
	return value.OfBool(false)
}

func format(args []value.Value) (value.Value, error) {
	return expr.CheckText(stdtime.Unix(0, args[0].Int()).UTC().Format(args[1].Str()))
}
