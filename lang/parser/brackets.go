package parser

import (
	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/diag"
)

// How brackets are kept well nested.
//
// The stack holds what is open: brackets, strings, and the holes in strings. As long as each closer meets its opener
// nothing else is looked at, so well-formed programs may be laid out as their authors like. When a closer meets another
// opener, or a chunk ends with something open, the chunk is scanned again, carefully:
//
//   - A line that is indented no more than the line of an open bracket ends that bracket, unless it begins with the
//     closer. So a forgotten `)` costs its line, and a forgotten `}` is told where it was opened. A bracket whose
//     content was written flush with its opener says nothing by its indentation and is left alone.
//   - A hole ends with its line.
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
// begins a line that is indented more than the line of t.
func (s *scanner) isSurplus(t *bracket) bool {
	return s.careful && s.surplus && s.newline && t.off < s.lineStart && s.indent > t.indent
}

// strayCloser tells a closer that closes nothing. What stands behind a stray brace outside of everything belongs to a
// body that the brace before has ended, so nothing more is told of it.
func (s *scanner) strayCloser(c byte) {
	at := s.pos
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
// is a brace of an earlier line, which nobody closes in mid-line.
func (s *scanner) mistyped(t *bracket, k int, c byte) bool {
	if t.kind == 'H' || t.kind == '{' || t.off < s.lineStart {
		return false
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
		if line == told {
			continue
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
		if b.kind != '{' {
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
			s.toks = append(s.toks, plex.Token{Type: kind, Value: text, Pos: plex.Position{Offset: at, Column: at}})
		}
	}
}

// lineBegins looks at the first token of a line, which begins at pos, and reports whether it begins the next chunk.
func (s *scanner) lineBegins() bool {
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
	if s.careful && !s.surplus && !s.muted() {
		s.closeByIndent(closer)
	}
	return false
}

func (s *scanner) closeByIndent(closer bool) {
	n := len(s.stack)
	for n > 0 {
		b := &s.stack[n-1]
		ends := b.kind == 'H' || b.kind == '"' || !b.flush && (s.indent < b.indent || s.indent == b.indent && !closer)
		if !ends {
			break
		}
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
