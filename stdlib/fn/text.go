package fn

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/value"
)

func text() []expr.Func {
	type vs = []value.Value
	return []expr.Func{
		faulting("text.lower", func(args vs) (value.Value, error) { return mapRunes(args[0].Str(), unicode.ToLower) }),
		faulting("text.upper", func(args vs) (value.Value, error) { return mapRunes(args[0].Str(), unicode.ToUpper) }),
		pure("text.starts_with", func(args vs) value.Value {
			return value.OfBool(strings.HasPrefix(args[0].Str(), args[1].Str()))
		}),
		pure("text.ends_with", func(args vs) value.Value {
			return value.OfBool(strings.HasSuffix(args[0].Str(), args[1].Str()))
		}),
		faulting("text.replace", replace),
		pure("text.find", find),
		pure("text.slice", func(args vs) value.Value {
			return value.OfString(slice(args[0].Str(), args[1].Int(), args[2].Int()))
		}),
		faulting("text.repeat", func(args vs) (value.Value, error) { return repeat(args[0].Str(), args[1].Int()) }),
		faulting("text.pad_left", func(args vs) (value.Value, error) {
			fill, err := padding(args)
			if err != nil {
				return value.Value{}, err
			}
			return expr.CheckText(fill + args[0].Str())
		}),
		faulting("text.pad_right", func(args vs) (value.Value, error) {
			fill, err := padding(args)
			if err != nil {
				return value.Value{}, err
			}
			return expr.CheckText(args[0].Str() + fill)
		}),
		pure("text.trim", func(args vs) value.Value { return value.OfString(strings.TrimSpace(args[0].Str())) }),
		pure("text.lines", lines),
		{Name: "text.matches", Bind: matches},
		{Name: "text.capture", Bind: capture},
		{Name: "text.replace_all", Bind: replaceAll},
	}
}

// mapRunes maps each code point; ill-formed bytes stay, which strings.Map would replace.
func mapRunes(s string, to func(rune) rune) (value.Value, error) {
	var b []byte // nil until something changes
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		mapped := r
		if r != utf8.RuneError {
			mapped = to(r)
		}
		if mapped != r && b == nil {
			b = append(make([]byte, 0, len(s)+utf8.UTFMax), s[:i]...)
		}
		if b != nil {
			if mapped != r {
				b = utf8.AppendRune(b, mapped)
			} else {
				b = append(b, s[i:i+n]...)
			}
		}
		i += n
	}
	if b == nil {
		return value.OfString(s), nil
	}
	return expr.CheckText(string(b))
}

func replace(args []value.Value) (value.Value, error) {
	s, part, by := args[0].Str(), args[1].Str(), args[2].Str()
	if part == "" {
		return args[0], nil
	}
	if more := len(by) - len(part); more > 0 && strings.Count(s, part) > (value.MaxSize-len(s))/more {
		return value.Value{}, tooLong()
	}
	return value.OfString(strings.ReplaceAll(s, part, by)), nil
}

func find(args []value.Value) value.Value {
	s := args[0].Str()
	i := strings.Index(s, args[1].Str())
	if i < 0 {
		return value.Value{}
	}
	return value.OfInt(int64(utf8.RuneCountInString(s[:i])))
}

// slice returns the code points from start to before end.
func slice(s string, start, end int64) string {
	from := runeOffset(s, start)
	if end <= max(start, 0) {
		return ""
	}
	return s[from : from+runeOffset(s[from:], end-max(start, 0))]
}

// runeOffset returns the offset of a string's nth code point, or of the string's nearest end.
func runeOffset(s string, n int64) int {
	if n >= int64(len(s)) {
		return len(s)
	}
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

func repeat(s string, times int64) (value.Value, error) {
	if times <= 0 || s == "" {
		return value.OfString(""), nil
	}
	if times > int64(value.MaxSize/len(s)) {
		return value.Value{}, tooLong()
	}
	return value.OfString(strings.Repeat(s, int(times))), nil
}

// padding returns what fills args[0] up to args[1] code points, made of args[2].
func padding(args []value.Value) (string, error) {
	missing := args[1].Int() - int64(utf8.RuneCountInString(args[0].Str()))
	fill := args[2].Str()
	if args[1].Int() <= 0 || missing <= 0 || fill == "" {
		return "", nil
	}
	// Every code point has a byte or more.
	if missing > value.MaxSize {
		return "", tooLong()
	}
	n := int64(utf8.RuneCountInString(fill))
	return strings.Repeat(fill, int(missing/n)) + fill[:runeOffset(fill, missing%n)], nil
}

func lines(args []value.Value) value.Value {
	parts := strings.SplitAfter(args[0].Str(), "\n")
	if parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	for i, p := range parts {
		parts[i] = strings.TrimSuffix(strings.TrimSuffix(p, "\n"), "\r")
		if !strings.HasSuffix(p, "\n") {
			parts[i] = p
		}
	}
	return listOf(parts)
}

// pattern returns the regular expression of a call, which the checker has compiled before: patterns are literals.
func pattern(call expr.Sig) *regexp.Regexp {
	if call.Consts[1] == nil {
		bug.Panicf("fn: a pattern is no constant")
	}
	re, err := regexp.Compile(call.Consts[1].Str())
	if err != nil {
		bug.Panicf("fn: a pattern was not checked: %v", err)
	}
	return re
}

func matches(call expr.Sig) expr.RowFunc {
	re := pattern(call)
	return func(args []value.Value) (value.Value, error) { return value.OfBool(re.MatchString(args[0].Str())), nil }
}

func capture(call expr.Sig) expr.RowFunc {
	re := pattern(call)
	return func(args []value.Value) (value.Value, error) {
		groups := re.FindStringSubmatch(args[0].Str())
		if groups == nil {
			return value.Value{}, nil
		}
		return expr.CheckSize(listOf(groups))
	}
}

// maxMatches bounds the memory that the matches in one text can take.
const maxMatches = 1 << 20

func replaceAll(call expr.Sig) expr.RowFunc {
	re := pattern(call)
	return func(args []value.Value) (value.Value, error) {
		s, by := args[0].Str(), args[2].Str()
		found := re.FindAllStringSubmatchIndex(s, maxMatches+1)
		if len(found) > maxMatches {
			return value.Value{}, tooLong()
		}
		var out []byte
		end := 0
		for _, m := range found {
			out = append(out, s[end:m[0]]...)
			if out = re.ExpandString(out, by, s, m); len(out) > value.MaxSize {
				return value.Value{}, tooLong()
			}
			end = m[1]
		}
		return expr.CheckText(string(append(out, s[end:]...)))
	}
}
