package parser

import (
	"strings"
	"unicode/utf8"

	"github.com/pipec/pipec/lang/diag"
)

// tellEncoding tells, once each, what is wrong with a text as a whole: line ends of CR alone, which would make one line
// of it all, and bytes that are no UTF-8. It reports whether there is no sense in reading on.
func (s *scanner) tellEncoding() bool {
	if pairs := strings.Count(s.text, "\r\n"); strings.Count(s.text, "\r")-pairs > strings.Count(s.text, "\n") {
		at := strings.IndexByte(s.text, '\r')
		s.tell(diag.StrayByte, at, at+1, "the lines of this file end with CR alone").
			note("Lines end with LF or CRLF; save the file with one of them.")
		return true
	}
	if at := illFormed(s.text); at >= 0 {
		s.notUTF8 = true
		s.tell(diag.StrayByte, at, at+1, "found a byte that is not UTF-8").
			note("Programs are UTF-8, in strings and comments too; save the file in it, or write a code point as `\\u{e9}`.")
	}
	return false
}

// illFormed returns the offset of the first byte that is no part of UTF-8, or -1.
func illFormed(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return -1
}
