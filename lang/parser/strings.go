package parser

import (
	"errors"
	"regexp/syntax"
	"strings"

	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/literal"
)

// openString scans the quote that opens a string.
func (s *scanner) openString(at int) {
	s.emit(tokBegin, at, at+1)
	s.push('"', at)
}

// stringPart scans the text of a string up to its end or to a hole, or to the end of the line, which ends it.
func (s *scanner) stringPart() {
	start := s.pos
	for i := start; i < len(s.text); i++ {
		switch s.text[i] {
		case '"':
			s.stringText(start, i)
			s.emit(tokEnd, i, i+1)
			s.pop()
			return
		case '{':
			if rest := s.text[s.skipBlanks(i+1):]; rest == "" || rest[0] == '\n' || strings.HasPrefix(rest, "\r\n") {
				s.unclosedString(start, i) // a brace that ends its line opens a block
				return
			}
			s.stringText(start, i)
			s.open('H', 1)
			return
		case '\\':
			i += s.escape(i) - 1
		case '\n':
			s.unclosedString(start, i)
			return
		}
	}
	s.unclosedString(start, len(s.text))
}

// escape tells a wrong escape at i and returns the number of bytes of an escape there. A backslash at the end of the
// line is none; the string is told as not closed.
func (s *scanner) escape(i int) int {
	_, n, err := literal.Escape(s.text[i:min(len(s.text), i+64)])
	if err == nil {
		return n
	}
	if strings.IndexByte(s.text[i:i+n], '\n') >= 0 || n < 2 || strings.HasPrefix(s.text[i+1:], "\r\n") {
		return 1
	}
	s.tell(diag.BadEscape, i, i+n, "%s", err.Msg).
		note("The escapes are `\\{ \\} \\\" \\\\ \\n \\t` and `\\u{…}` with the character's hexadecimal number.")
	return n
}

func (s *scanner) stringText(start, end int) {
	if start < end {
		s.emit(tokText, start, end)
	}
	s.pos = end
}

// unclosedString ends a string whose text from start runs into the end of its line at end. Where it stands in a hole
// of the same line, the hole was left open and its end was taken for a string; so the hole is told. Brackets that the
// text has swallowed are closed.
func (s *scanner) unclosedString(start, end int) {
	for end > start && (s.text[end-1] == '\r' || s.text[end-1] == ' ' || s.text[end-1] == '\t') {
		end--
	}
	s.stringText(start, end)
	s.brokenLine = s.lineStart
	k := len(s.stack) - 1
	for i := k; i >= 0 && s.stack[i].off >= s.lineStart; i-- {
		if s.stack[i].kind == '"' {
			k = i
		}
	}
	open := s.stack[k]
	if k == len(s.stack)-1 {
		s.tell(diag.UnclosedString, open.off, end, "this string is not closed on its line").
			label("no closing `\"`").note("A string ends on its line; `\\n` is a newline, and `r#\"…\"#` may hold several lines.")
	} else {
		hole := s.stack[k+1].off
		s.tellNesting(diag.UnclosedHole, hole, hole+1, "the hole that `{` opens in this string is not closed").
			note("Write `}` behind the hole's value, or `\\{` for a brace in the text.")
		s.spoiled = append(s.spoiled, extent{open.off, end})
	}
	s.putIn(k, end)
	s.swallowed(s.text[open.off:end], end)
}

// swallowed closes the brackets whose closers stand in text, which a string without end has taken.
func (s *scanner) swallowed(text string, at int) {
	for i := 0; i < len(text) && len(s.stack) > 0; i++ {
		t := s.top()
		if (text[i] == ')' || text[i] == ']' || text[i] == '}' && t.off >= s.lineStart) && closerOf(t.kind) == text[i] && t.kind != 'H' {
			s.putIn(len(s.stack)-1, at)
		}
	}
}

// prefixed scans what begins with a word and goes on with a quote or a hash: a raw string, a regular expression or a
// time. It reports false where it is none of them.
func (s *scanner) prefixed(word string, start, at int) bool {
	quote := at
	for quote < len(s.text) && s.text[quote] == '#' {
		quote++
	}
	hashes := quote - at
	if quote >= len(s.text) || s.text[quote] != '"' || hashes > 0 && word != "r" && word != "re" {
		return false
	}
	kind := tokRaw
	switch word {
	case "r":
	case "re":
		kind = tokRegex
	case "t":
		kind = tokTime
	default:
		return false
	}
	lineEnd := s.lineEnd()
	limit := lineEnd
	if hashes > 0 {
		limit = len(s.text)
	}
	closer := `"` + strings.Repeat("#", hashes)
	n := s.rawEnd(closer, quote+1, limit)
	if n < 0 {
		s.tell(diag.UnclosedString, start, lineEnd, "this literal is not closed").label("no closing `" + closer + "`")
		s.emit(tokBadLit, start, lineEnd)
		s.swallowed(s.text[start:lineEnd], lineEnd)
		return true
	}
	end := quote + 1 + n + len(closer)
	if !s.literalFits(word, start, end) {
		kind = tokBadLit
	}
	s.emit(kind, start, end)
	if n := strings.LastIndexByte(s.text[start:end], '\n'); n >= 0 {
		s.lineStart = start + n + 1
	}
	return true
}

// rawEnd returns the index behind from of the closer of a raw string, -1 for none.
func (s *scanner) rawEnd(closer string, from, limit int) int {
	hashes := len(closer) - 1
	if hashes > 0 && s.noHashes > 0 && hashes >= s.noHashes {
		return -1
	}
	n := strings.Index(s.text[from:limit], closer)
	if n < 0 && hashes > 0 {
		s.noHashes = hashes
	}
	return n
}

// literalFits tells a time or a regular expression that is none.
func (s *scanner) literalFits(word string, start, end int) bool {
	text := s.text[start:end]
	switch word {
	case "t":
		if _, err := literal.Time(text); err != nil {
			s.tellLiteral(err, start)
			return false
		}
	case "re":
		if _, err := syntax.Parse(literal.Raw(text), syntax.Perl); err != nil {
			msg := err.Error()
			var serr *syntax.Error
			if errors.As(err, &serr) {
				msg = serr.Code.String()
				if serr.Expr != "" {
					msg += ": `" + serr.Expr + "`"
				}
			}
			s.tell(diag.BadRegex, start, end, "this is not a regular expression: %s", msg).
				note("Regular expressions are those of RE2; `\\(` is a bracket as such.")
			return false
		}
	}
	return true
}

// singleQuoted takes a text in single quotes for a string.
func (s *scanner) singleQuoted() {
	start := s.pos
	lineEnd := s.lineEnd()
	n := strings.IndexByte(s.text[start+1:lineEnd], '\'')
	if n < 0 {
		s.stray()
		return
	}
	end := start + 1 + n
	text := s.text[start+1 : end]
	s.tell(diag.ForeignSpelling, start, end+1, "found a text in single quotes, but a string stands in double quotes").
		fix("Use double quotes", start, end+1, `"`+strings.ReplaceAll(text, `"`, `\"`)+`"`)
	s.emit(tokBegin, start, start+1)
	if text != "" {
		s.emit(tokText, start+1, end)
	}
	s.emit(tokEnd, end, end+1)
}
