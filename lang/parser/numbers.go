package parser

import (
	"errors"
	"strings"

	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/literal"
)

// number scans a number with the unit that touches it, and tells one that has no value. Whether an int fits is left to
// the parser, which knows of a minus before it.
func (s *scanner) number() {
	start := s.pos
	i := start
	if s.text[i] == '0' && i+1 < len(s.text) && s.text[i+1]|0x20 == 'x' {
		for i < len(s.text) && (isLetter(s.text[i]) || isDigit(s.text[i])) {
			i++
		}
		s.emitNumber(tokInt, start, i)
		return
	}
	kind := tokInt
	i = s.digits(i)
	if i+1 < len(s.text) && s.text[i] == '.' && isDigit(s.text[i+1]) {
		kind = tokFloat
		i = s.digits(i + 1)
	}
	if j := s.exponent(i); j > i {
		kind, i = tokFloat, j
	}
	unit := i
	for i < len(s.text) && (isLetter(s.text[i]) || isDigit(s.text[i]) || strings.HasPrefix(s.text[i:], "µ")) {
		i++
		if s.text[i-1] >= 0x80 {
			i++
		}
	}
	if i == unit {
		s.emitNumber(kind, start, i)
		return
	}
	if literal.IsSizeUnit(s.text[unit:i]) {
		s.emitNumber(tokSize, start, i)
		return
	}
	s.emitNumber(tokDur, start, s.danglingSign(i))
}

func (s *scanner) digits(i int) int {
	for i < len(s.text) && (isDigit(s.text[i]) || s.text[i] == '_') {
		i++
	}
	return i
}

// exponent returns the end of an exponent at i, or i.
func (s *scanner) exponent(i int) int {
	j := i + 1
	if i >= len(s.text) || s.text[i]|0x20 != 'e' {
		return i
	}
	if j < len(s.text) && (s.text[j] == '+' || s.text[j] == '-') {
		j++
	}
	if j >= len(s.text) || !isDigit(s.text[j]) {
		return i
	}
	return s.digits(j)
}

// danglingSign takes a sign that touches a duration and is followed by nothing, `1h-`, for a part of it.
func (s *scanner) danglingSign(i int) int {
	if i >= len(s.text) || s.text[i] != '-' && s.text[i] != '+' {
		return i
	}
	if j := s.skipBlanks(i + 1); j >= len(s.text) || strings.IndexByte("\r\n)]},", s.text[j]) >= 0 {
		return i + 1
	}
	return i
}

func (s *scanner) emitNumber(kind plex.TokenType, start, end int) {
	text := s.text[start:end]
	var err error
	switch kind {
	case tokInt:
		if _, e := literal.Int(text); e != nil {
			var le *literal.Error
			if errors.As(e, &le) && le.Kind != literal.OutOfRange {
				err = e
			}
		}
	case tokFloat:
		_, err = literal.Float(text)
	case tokSize:
		_, err = literal.Size(text)
	default:
		if c := text[len(text)-1]; c == '-' || c == '+' {
			s.tell(diag.BadNumber, start, end, "`%s` is not a duration: nothing follows the `%c`", text, c)
			s.emit(tokBadLit, start, end)
			return
		}
		_, err = literal.Duration(text)
	}
	if err != nil {
		s.tellLiteral(err, start)
		kind = tokBadLit
	}
	s.emit(kind, start, end)
}

// tellLiteral tells what is wrong with the literal that begins at start.
func (s *scanner) tellLiteral(err error, start int) {
	var e *literal.Error
	if !errors.As(err, &e) {
		return
	}
	code, note := diag.BadNumber, ""
	from, to := start+e.Start, start+e.End
	switch e.Kind {
	case literal.OutOfRange:
		code = diag.NumberRange
	case literal.WrongUnit:
		s.tellUnit(e, from, to)
		return
	case literal.BadOrder:
		note = "A duration of several units goes from large to small, as `1h30m`."
	case literal.BadTime:
		code = diag.BadTime
	}
	s.tell(code, from, to, "%s", e.Msg).note(note)
}

func (s *scanner) tellUnit(e *literal.Error, from, to int) {
	name := s.text[from:to]
	if isDigit(name[0]) {
		s.tell(diag.WrongUnit, from, to, "`%s` has no unit", name).note(unitsNote)
		return
	}
	d := s.tell(diag.WrongUnit, from, to, "there is no unit `%s`", name)
	if want := likelyUnit(name); want != "" {
		d.label("did you mean `"+want+"`?").fix("Write `"+want+"`", from, to, want)
	}
	d.note(unitsNote)
}

const unitsNote = "Durations have the units `" + literal.DurationUnits + "`, sizes `" + literal.SizeUnits + "`."

// likelyUnit returns the unit that a wrong one probably stands for, or "".
func likelyUnit(name string) string {
	switch strings.ToLower(name) {
	case "sec", "secs", "second", "seconds":
		return "s"
	case "min", "mins", "minute", "minutes":
		return "m"
	case "hr", "hrs", "hour", "hours":
		return "h"
	case "day", "days":
		return "d"
	case "msec", "msecs", "millis", "milliseconds":
		return "ms"
	case "µs", "usec", "micros":
		return "us"
	case "b":
		return "B"
	case "k", "kb":
		return "KB"
	case "mb":
		return "MB"
	case "g", "gb":
		return "GB"
	case "t", "tb":
		return "TB"
	case "ki", "kib":
		return "KiB"
	case "mi", "mib":
		return "MiB"
	case "gi", "gib":
		return "GiB"
	case "ti", "tib":
		return "TiB"
	}
	return ""
}
