package parser

import (
	"sort"
	"strings"

	plex "github.com/alecthomas/participle/v2/lexer"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

func (p *parse) peek() *plex.Token { return p.lx.Peek() }

// peekAt returns the token n behind the next one, or the last of the chunk.
func (p *parse) peekAt(n int) *plex.Token {
	return &p.toks[min(p.cursor()+n, len(p.toks)-1)]
}

func (p *parse) next() *plex.Token { return p.lx.Next() }
func (p *parse) cursor() int       { return int(p.lx.RawCursor()) }

// is reports whether the next token is the operator or the word text.
func (p *parse) is(text string) bool { return isToken(p.peek(), text) }

func isToken(t *plex.Token, text string) bool {
	return t.Value == text && (t.Type == tokOp || t.Type == tokIdent || t.Type == tokKw)
}

func (p *parse) isKind(kind plex.TokenType) bool { return p.peek().Type == kind }

// accept takes the next token if it is text.
func (p *parse) accept(text string) bool {
	if p.is(text) {
		p.next()
		return true
	}
	return false
}

// start returns the offset of the next token, end the offset behind the last one that was taken.
func (p *parse) start() int { return p.peek().Pos.Offset }

func (p *parse) end() int {
	if i := p.cursor(); i > 0 {
		return p.toks[i-1].Pos.Column
	}
	return p.start()
}

func (p *parse) span(start, end int) source.Span {
	return source.Span{File: p.f, Start: start, End: end}
}

// since returns the place of a node that began at start and ends with the last token taken.
func (p *parse) since(start int) ast.Base { return ast.Base{At: p.span(start, max(start, p.end()))} }

// around returns the place of a node that began at start with the part first, which lies before it where it is missing.
func (p *parse) around(start int, first ast.Node) ast.Base {
	return p.since(min(start, first.Span().Start))
}

// here returns the place of a node that is missing: empty, behind the last token taken.
func (p *parse) here() ast.Base { return ast.Base{At: p.span(p.end(), p.end())} }

func (p *parse) tokenBase(t *plex.Token) ast.Base {
	return ast.Base{At: p.span(t.Pos.Offset, t.Pos.Column)}
}

// tell adds a diagnostic, unless one has been told at this token, or of a part that holds the place.
func (p *parse) tell(code diag.Code, start, end int, format string, args ...any) finding {
	cur := p.cursor()
	t := p.peek()
	quiet := cur == p.told || t.Type == tokBad || t.Type == tokBadLit || t.Pos.Line&flagTold != 0 ||
		cur > 0 && p.toks[cur-1].Type == tokBad
	p.told = cur
	if quiet || p.isSpoiled(start) {
		return finding{}
	}
	return p.scanner.tell(code, start, end, format, args...)
}

// tellAside adds a diagnostic of something that was taken already and does not disturb what follows.
func (p *parse) tellAside(code diag.Code, at source.Span, format string, args ...any) finding {
	if p.isSpoiled(at.Start) {
		return finding{}
	}
	return p.scanner.tell(code, at.Start, at.End, format, args...)
}

// tellDeep tells once in a declaration that something nests too deeply.
func (p *parse) tellDeep(at source.Span, format string, args ...any) {
	if !p.tooDeep {
		p.tooDeep = true
		p.tellAside(diag.TooDeep, at, format, args...)
	}
}

func (p *parse) isSpoiled(at int) bool {
	ex := p.scanner.spoiled
	i := sort.Search(len(ex), func(i int) bool { return ex[i].end >= at })
	return i < len(ex) && ex[i].start <= at
}

// skipPart takes one token, or a whole bracket or string with all that is in it.
func (p *parse) skipPart() {
	depth := 0
	for {
		t := p.next()
		switch {
		case t.Type == plex.EOF:
			return
		case t.Type == tokBegin, t.Type == tokOp && isOpener(t.Value):
			depth++
		case t.Type == tokEnd, t.Type == tokOp && isCloser(t.Value):
			depth--
		}
		if depth <= 0 {
			return
		}
	}
}

func isOpener(s string) bool { return s == "(" || s == "[" || s == "{" || s == "-[" }
func isCloser(s string) bool { return s == ")" || s == "]" || s == "}" }

// atLineEnd reports whether a statement can end before the next token.
func (p *parse) atLineEnd() bool {
	t := p.peek()
	return t.Type == tokNL || t.Type == plex.EOF || t.Type == tokOp && t.Value == "}"
}

// atFreshLine reports whether the next token begins a line on which a statement could begin, which is indented no more
// than the statement that is being parsed.
func (p *parse) atFreshLine() bool {
	t := p.peek()
	return isFirst(t) && canBegin(t.Type, t.Value) && lineIndent(t) <= p.indent
}

// skipLine takes what is left of a broken line, brackets as a whole.
func (p *parse) skipLine() {
	for !p.atLineEnd() && !p.atFreshLine() {
		p.skipPart()
	}
}

// endLine tells and skips what stands behind a whole statement on its line. what names the statement in a message.
func (p *parse) endLine(what string) {
	if p.atLineEnd() || p.told == p.cursor() && p.atFreshLine() {
		return
	}
	if t := p.peek(); !p.broken() {
		d := p.tell(diag.ExpectedEnd, t.Pos.Offset, t.Pos.Column, "expected the end of the line after %s, found %s", what, describe(t))
		p.adviseEnd(d, t)
	}
	p.skipLine()
}

// broken reports whether something has been told of the line that is being parsed.
func (p *parse) broken() bool { return len(p.scanner.diags) > p.sound }

// finish ends the line of a statement that was parsed whole, or skips the rest of one that was not.
func (p *parse) finish(ok bool, what string) {
	if ok {
		p.endLine(what)
	} else {
		p.skipLine()
	}
}

// braces parses the lines between braces: one is called at the first token of each and must leave the cursor at the
// end of its line. The opening brace must be the next token.
func (p *parse) braces(one func()) {
	outer := p.indent
	defer func() { p.indent = outer }()
	p.next()
	for {
		p.newlines()
		if p.isKind(plex.EOF) || p.accept("}") {
			return
		}
		p.line(one)
	}
}

// line parses one line with one, and skips the lines behind a broken one that are indented more: they belong to it.
func (p *parse) line(one func()) {
	before, sound := p.cursor(), p.sound
	p.indent, p.sound = lineIndent(p.peek()), len(p.scanner.diags)
	if isFirst(p.peek()) {
		p.told = -1 // what was told here was of the line before
	}
	one()
	whole := !p.broken()
	p.sound = sound
	if p.cursor() == before {
		p.skipPart()
	}
	if whole {
		return
	}
	for f := p.peekAt(1); p.isKind(tokNL) && f.Type != plex.EOF && lineIndent(f) > p.indent && !isToken(f, "}"); f = p.peekAt(1) {
		p.next()
		for !p.isKind(tokNL) && !p.isKind(plex.EOF) && !p.is("}") {
			p.skipPart()
		}
	}
}

// list parses the items up to the closer, whose opener has been taken, and takes the closer. It reports whether a
// comma stood before the closer. A broken item costs what stands up to the next comma.
func (p *parse) list(closer string, item func()) (comma bool) {
	for !p.isKind(plex.EOF) {
		if p.accept(closer) {
			return comma
		}
		before, told := p.cursor(), len(p.scanner.diags)
		item()
		comma = p.accept(",")
		if comma || p.is(closer) {
			continue
		}
		if len(p.scanner.diags) > told {
			p.skipItem(closer)
		} else {
			p.betweenItems(closer, before)
		}
		if comma = p.accept(","); !comma && p.cursor() == before {
			p.skipPart() // a list must not stand still
		}
	}
	return comma
}

// betweenItems tells what stands where a comma or the closer should, and skips it unless an item begins there.
func (p *parse) betweenItems(closer string, before int) {
	t := p.peek()
	if p.cursor() > before && isFirst(t) && p.toks[p.cursor()-1].Pos.Line&flagTold != 0 {
		return // the comma is lost in the broken line before
	}
	d := p.tell(diag.ExpectedToken, t.Pos.Offset, t.Pos.Column, "expected `,` or `%s`, found %s", closer, describe(t))
	p.adviseEnd(d, t)
	named := (t.Type == tokIdent || t.Type == tokKw) && isToken(p.peekAt(1), ":")
	if p.cursor() > before && (isFirst(t) && canBegin(t.Type, t.Value) || named) {
		d.fix("Write a comma", p.end(), p.end(), ",")
		return
	}
	p.skipItem(closer)
}

// skipItem skips what is left of a broken item of a list.
func (p *parse) skipItem(closer string) {
	for !p.is(",") && !p.is(closer) && !p.isKind(plex.EOF) {
		p.skipPart()
	}
}

// doc returns the doc comment directly above the declaration that begins at start.
func (p *parse) doc(start int) ast.Doc {
	all := p.scanner.comments
	last := sort.Search(len(all), func(i int) bool { return all[i].At.Start >= start })
	first := last
	for first > 0 && all[first-1].Doc && all[first-1].OwnLine && p.adjacent(all[first-1].At.End, start) {
		first--
		start = all[first].At.Start
	}
	if first == last {
		return nil
	}
	var doc ast.Doc
	for _, c := range all[first:last] {
		doc = append(doc, strings.TrimPrefix(strings.TrimPrefix(c.Text, "///"), " "))
	}
	return doc
}

// adjacent reports whether one newline and blanks stand between two offsets.
func (p *parse) adjacent(from, to int) bool {
	gap := p.f.Text()[from:to]
	return strings.Count(gap, "\n") == 1 && strings.Trim(gap, " \t\r\n") == ""
}
