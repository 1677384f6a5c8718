package parser

import (
	"strings"

	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/diag"
)

// How brackets are kept well nested.
//
// The stack holds what is open: brackets, strings, and the holes in strings. As long as each closer meets its opener
// nothing else is looked at, so well-formed programs may be laid out as their authors like. When a closer meets another
// opener, or a chunk ends with something open, the chunk is scanned again, carefully:
//
//   - A line that is indented no more than the line of an open bracket ends that bracket; one that begins with a closer
//     ends what was opened behind the opener of the same indentation. So a forgotten `)` costs its line, and a forgotten `}` is told where it was opened. A bracket whose
//     content was written flush with its opener says nothing by its indentation and is left alone.
//   - A hole ends with its line.
//   - Where there is a closer too many, a line that is indented more than the one before it, which is whole by itself,
//     is taken for the content of a brace that was forgotten; or a closer that is indented more than its opener's line
//     is the one.
//   - A closer that meets another opener closes all that was opened behind its own opener; one without any is left out.
//
// A declaration word in column 1 that begins a declaration ends every open bracket, in both scans.

// maxDepth is how deeply brackets, holes and else chains may nest.
const maxDepth = 1000

// bracket is something open. kind is the opening byte, '"' for a string and 'H' for a hole in one.
type bracket struct {
	kind   byte
	off    int
	indent int  // of the line it stands on
	toks   int  // number of tokens up to it
	seen   bool // a line has begun behind it
	flush  bool // that line was indented no more than the bracket's, and nothing stood behind the bracket on its own
}

func (s *scanner) top() *bracket {
	if len(s.stack) == 0 {
		return nil
	}
	return &s.stack[len(s.stack)-1]
}

func (s *scanner) inString() bool { return len(s.stack) > 0 && s.top().kind == '"' }

// inBrackets reports whether newlines mean nothing here.
func (s *scanner) inBrackets() bool { return len(s.stack) > 0 && s.top().kind != '{' }

// muted reports whether the place is nested too deeply for its tokens to be kept.
func (s *scanner) muted() bool { return s.depth > maxDepth }

// open scans an opener of n bytes.
func (s *scanner) open(kind byte, n int) {
	start := s.pos
	if s.depth == maxDepth {
		if !s.tooDeep {
			s.tooDeep = true
			s.tell(diag.TooDeep, start, start+n, "brackets nest more than %d deep here", maxDepth)
		}
		s.emit(tokBadLit, start, start+n)
	} else {
		s.emit(tokOp, start, start+n)
	}
	s.depth++
	s.push(kind, start)
	s.pos = start + n
}

func (s *scanner) push(kind byte, at int) {
	s.stack = append(s.stack, bracket{kind: kind, off: at, indent: s.indent, toks: len(s.toks)})
}

func (s *scanner) pop() {
	if s.top().kind != '"' {
		s.depth--
	}
	s.stack = s.stack[:len(s.stack)-1]
}

func closerOf(kind byte) byte {
	switch kind {
	case '(':
		return ')'
	case '[':
		return ']'
	case '"':
		return '"'
	}
	return '}'
}

// close scans a closing bracket.
func (s *scanner) close(c byte) {
	at := s.pos
	t := s.top()
	if t != nil && closerOf(t.kind) == c && !s.isSurplus(t) {
		s.emitCloser(string(c), at)
		return
	}
	if !s.careful {
		s.unbalanced, s.surplus = true, t == nil
		return
	}
	k := s.openerOf(c)
	switch {
	case t != nil && s.mistyped(t, k, c):
		want := closerOf(t.kind)
		s.tell(diag.StrayBracket, at, at+1, "found `%c`, but `%c` closes the `%c` that is open here", c, want, t.kind).
			related(t.off, t.off+1, "opened here").fix("Write `"+string(want)+"`", at, at+1, string(want))
		s.emitCloser(string(want), at)
	case k < 0 || s.isSurplus(t):
		s.strayCloser(c)
	default:
		s.closeTo(k + 1)
		s.close(c)
	}
}

// isSurplus reports whether a closer at pos, which would close t, is the one too many that the first scan has met: it
// begins a line that is indented more than the line of t, or stands in mid-line although t's content has lines of its
// own.
func (s *scanner) isSurplus(t *bracket) bool {
	if !s.careful || !s.surplus || t.off >= s.lineStart {
		return false
	}
	return s.newline && s.indent > t.indent || !s.newline && t.kind == '{' && t.seen
}

// forgottenBrace puts in the opening brace for the closer that is one too many: at the end of a line that is whole by
// itself and is followed by one that is indented more.
func (s *scanner) forgottenBrace(lineIndent int) {
	n := len(s.toks)
	if s.inBrackets() || n == 0 || s.indent <= lineIndent || !canEnd(&s.toks[n-1]) && !isToken(&s.toks[n-1], "->") {
		return
	}
	rest := s.text[s.pos:]
	word := rest[:s.wordLen(s.pos)]
	if word == "" && rest[0] != '"' || word == "else" || goesOn(word) || len(s.stack) == 0 && !hasBody(s.toks[0].Value) ||
		!s.endsWithBrace(s.lineStart, lineIndent) {
		return
	}
	prev := s.toks[n-1]
	at := prev.Pos.Column
	s.surplus = false
	s.tell(diag.ExpectedToken, prev.Pos.Offset, at, "expected `{` after %s", describe(&prev)).
		label("the line ends here").fix("Write `{`", at, at, " {")
	s.toks = append(s.toks, plex.Token{Type: tokOp, Value: "{", Pos: plex.Position{Offset: at, Column: at}})
	s.depth++
	s.stack = append(s.stack, bracket{kind: '{', off: at, indent: lineIndent, toks: n + 1, seen: true})
}

// endsWithBrace reports whether the lines from offset at on that are indented more than indent are followed by a closing
// brace with that indentation.
func (s *scanner) endsWithBrace(at, indent int) bool {
	for at < len(s.text) {
		first := s.skipBlanks(at)
		if !s.emptyLine(first) && first-at <= indent {
			return first-at == indent && s.text[first] == '}'
		}
		n := strings.IndexByte(s.text[first:], '\n')
		if n < 0 {
			return false
		}
		at = first + n + 1
	}
	return false
}

// opensBody reports whether a closer at pos stands where a brace should open: it ends its line, and what follows is
// indented more and ended by a brace.
func (s *scanner) opensBody() bool {
	if len(s.toks) == 0 || len(s.stack) == 0 && !hasBody(s.toks[0].Value) || s.inBrackets() {
		return false
	}
	next := strings.IndexByte(s.text[s.pos:], '\n')
	if next < 0 || strings.Trim(s.text[s.pos+1:s.pos+next], " \t\r") != "" {
		return false
	}
	next += s.pos + 1
	for first := s.skipBlanks(next); s.emptyLine(first); first = s.skipBlanks(next) {
		n := strings.IndexByte(s.text[first:], '\n')
		if n < 0 {
			return false
		}
		next = first + n + 1
	}
	return s.skipBlanks(next)-next > s.indent && s.endsWithBrace(next, s.indent)
}

// emptyLine reports whether a line whose first byte behind blanks is at offset first has nothing but a comment.
func (s *scanner) emptyLine(first int) bool {
	rest := s.text[first:]
	return rest == "" || rest[0] == '\n' || rest[0] == '\r' || strings.HasPrefix(rest, "//")
}

// goesOn reports whether a word can begin a line on which a bolt's header, a join or a step goes on.
func goesOn(word string) bool {
	switch word {
	case "with", "on", "within", "of", "lag", "aggregate":
		return true
	}
	return isClauseWord(word)
}

// hasBody reports whether a declaration that begins with word has braces.
func hasBody(word string) bool {
	return word == "bolt" || word == "fn" || word == "pipeline" || word == "test"
}

// strayCloser tells a closer that closes nothing. What stands behind a stray brace outside of everything belongs to a
// body that the brace before has ended, so nothing more is told of it.
func (s *scanner) strayCloser(c byte) {
	at := s.pos
	if c != '}' && s.opensBody() {
		s.tell(diag.ExpectedToken, at, at+1, "expected `{`, found `%c`", c).fix("Write `{`", at, at+1, "{")
		s.surplus = false
		s.emitAs(tokOp, "{", at, at+1)
		s.depth++
		s.push('{', at)
		return
	}
	if s.strayLine != s.lineStart {
		s.strayLine = s.lineStart
		s.tell(diag.StrayBracket, at, at+1, "this `%c` closes nothing", c).fix("Leave it out", at, at+1, "")
	}
	s.surplus = false
	if c != '}' {
		s.emit(tokBad, at, at+1)
		return
	}
	s.pos++
	if len(s.stack) == 0 {
		s.spoilRest = at
	}
}

// emitCloser emits the closer of the top, which is kept where its opener was.
func (s *scanner) emitCloser(text string, at int) {
	if s.depth <= maxDepth {
		s.emitAs(tokOp, text, at, at+1)
	}
	s.newline = false
	s.pos = at + 1
	s.pop()
}

// openerOf returns the index of the innermost opener that c closes, or -1. A hole's content is looked at by itself,
// unless the hole has no end on the line: then it has been left open, and c belongs to what is around the string.
func (s *scanner) openerOf(c byte) int {
	s.measureLine()
	left := s.line.lastBrace < s.pos
	for i := len(s.stack) - 1; i >= 0; i-- {
		b := s.stack[i]
		if b.kind == '"' && !(left && b.off >= s.lineStart) {
			return -1
		}
		if b.kind != '"' && closerOf(b.kind) == c {
			return i
		}
	}
	return -1
}

// mistyped reports whether c, whose own opener is at index k of the stack, was meant to close t: there is none, or it
// is a brace of an earlier line, which nobody closes in mid-line; or c begins a line that is indented as the line of t
// and not as that of its own opener.
func (s *scanner) mistyped(t *bracket, k int, c byte) bool {
	if t.kind == 'H' || t.kind == '{' {
		return false
	}
	if t.off < s.lineStart {
		return s.newline && t.indent == s.indent && (k < 0 || s.stack[k].indent != s.indent)
	}
	return k < 0 || c == '}' && s.stack[k].kind == '{' && s.stack[k].off < s.lineStart
}

// closeTo puts in what is missing until only n are open, and tells it once for each line on which one was opened.
func (s *scanner) closeTo(n int) {
	if len(s.stack) <= n {
		return
	}
	at := s.lastEnd()
	told := -1
	if s.tooDeep {
		s.spoiled = append(s.spoiled, extent{s.stack[n].off, at})
	}
	for i := n; i < len(s.stack) && !s.tooDeep; i++ {
		b := s.stack[i]
		if b.kind == '"' && i+1 < len(s.stack) {
			continue // its hole is told
		}
		line := s.f.OffsetLine(b.off)
		if line == told || told >= 0 && s.pos >= len(s.text) {
			continue // where the text breaks off, one is enough
		}
		told = line
		switch {
		case b.kind != '{' && s.brokenLine >= 0 && line == s.f.OffsetLine(s.brokenLine):
			// its closer is lost in the string that was told
		case b.kind == 'H':
			s.tell(diag.UnclosedHole, b.off, b.off+1, "the hole that `{` opens in this string is not closed").
				note("Write `}` behind the hole's value, or `\\{` for a brace in the text.")
		default:
			s.tell(diag.UnclosedBracket, b.off, b.off+1, "this `%c` is never closed", b.kind).
				label("no `" + string(closerOf(b.kind)) + "` for it")
		}
		if b.kind != '{' || line == s.f.OffsetLine(at) {
			s.spoiled = append(s.spoiled, extent{b.off, at})
		}
	}
	s.putIn(n, at)
}

// putIn adds the closers of all above index n, as empty tokens at offset at.
func (s *scanner) putIn(n, at int) {
	for len(s.stack) > n {
		kind, text := tokOp, string(closerOf(s.top().kind))
		if s.inString() {
			kind = tokEnd
		}
		keep := s.depth <= maxDepth
		s.pop()
		if keep {
			pos := plex.Position{Offset: at, Column: at, Line: flagTold}
			s.toks = append(s.toks, plex.Token{Type: kind, Value: text, Pos: pos})
		}
	}
}

// lineBegins looks at the first token of a line, which begins at pos, and reports whether it begins the next chunk.
func (s *scanner) lineBegins() bool {
	lineIndent := s.indent // of the line before
	s.indent = s.pos - s.lineStart
	c := s.text[s.pos]
	closer := c == ')' || c == ']' || c == '}'
	if t := s.top(); t != nil && !t.seen {
		t.seen = true
		t.flush = t.toks == len(s.toks) && s.indent <= t.indent && !closer
	}
	if s.indent == 0 && isLetter(c) && len(s.toks) > 0 && !s.whole {
		if word := s.text[s.pos : s.pos+s.wordLen(s.pos)]; isDeclWord(word) && (len(s.stack) == 0 || s.beginsDecl(word)) {
			return true
		}
	}
	if s.careful && !s.muted() {
		s.closeHoles()
	}
	switch {
	case !s.careful || s.muted():
	case s.surplus:
		s.forgottenBrace(lineIndent)
	default:
		s.closeByIndent(c)
	}
	return false
}

// closeHoles closes the strings whose holes the line before has left open.
func (s *scanner) closeHoles() {
	for i := range s.stack {
		if s.stack[i].kind == '"' {
			s.closeTo(i)
			s.surplus = false // its closers were taken for others
			return
		}
	}
}

// closeByIndent closes the brackets that a line which begins with c, and is indented as it is, ends: one that begins
// with a closer those behind the opener of its own indentation, any other those of its indentation and of deeper ones.
func (s *scanner) closeByIndent(c byte) {
	n := len(s.stack)
	if isCloser(string(c)) {
		for i := n - 1; i >= 0; i-- {
			if b := &s.stack[i]; closerOf(b.kind) == c && b.indent == s.indent {
				s.closeTo(i + 1)
				return
			}
		}
		return
	}
	for n > 0 && !s.stack[n-1].flush && s.indent <= s.stack[n-1].indent {
		n--
	}
	s.closeTo(n)
}

// beginsDecl reports whether the declaration word at pos begins a declaration although brackets are open, by what
// follows it: the lines of pipelines that begin with the same words go on otherwise (`source x =`). A `let` also
// stands in bodies; it is a declaration unless the body is written flush.
func (s *scanner) beginsDecl(word string) bool {
	i := s.skipBlanks(s.pos + len(word))
	if i >= len(s.text) || i == s.pos+len(word) {
		return false
	}
	n := s.wordLen(i)
	if n == 0 {
		return s.text[i] == '"' && (word == "use" || word == "test")
	}
	var next byte
	if j := s.skipBlanks(i + n); j < len(s.text) {
		next = s.text[j]
	}
	switch word {
	case "use", "pipeline":
		return true
	case "type":
		return next == '='
	case "param", "table":
		return next == ':'
	case "fn", "bolt", "source", "sink", "channel", "codec", "aggregate":
		return next == '('
	case "let":
		return (next == '=' || next == ':') && !s.flushBody()
	}
	return false
}

// flushBody reports whether the innermost open brace is written flush.
func (s *scanner) flushBody() bool {
	for i := len(s.stack) - 1; i >= 0; i-- {
		if s.stack[i].kind == '{' {
			return s.stack[i].flush
		}
	}
	return false
}

func (s *scanner) skipBlanks(at int) int {
	for at < len(s.text) && (s.text[at] == ' ' || s.text[at] == '\t') {
		at++
	}
	return at
}
