package format

import (
	"strings"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
)

// step is the indentation of what stands in braces or goes on.
const step = 4

// printer writes tokens and knows the place in the text that it has come to.
type printer struct {
	src      string
	pos      int            // offset behind the last token or comment that was written
	comments []*ast.Comment // those not yet written

	lines  []line
	sep    separator
	indent int  // of statements here
	cont   int  // of the lines on which a statement goes on here
	groups int  // alignment groups so far
	listed bool // within a list whose items stand on lines of their own
}

// line is one line of output.
type line struct {
	indent  int
	text    []byte
	comment string // at its end
	point   int    // offset in text before which blanks may be put to align it, 0 for none
	group   int    // lines with the same group are aligned; 0 is none
	full    bool   // is a comment
	raw     bool   // begins within a literal: its indentation is part of the text
}

// separator is what stands between the last token and the next.
type separator struct {
	kind     sepKind
	indent   int // of the next token where it begins a line
	comments int // of comments on lines of their own before it
	first    bool
	last     bool // no empty line before the token: it closes a block
}

type sepKind uint8

const (
	sepNone     sepKind = iota
	sepBlank            // a blank
	sepSoft             // a blank, or a line's end where the text has one
	sepSoftNone         // nothing, or a line's end where the text has one
	sepLine             // a line's end
)

func (p *printer) set(kind sepKind) { p.sep = separator{kind: kind, indent: p.cont, comments: p.cont} }
func (p *printer) blank()           { p.set(sepBlank) }
func (p *printer) soft()            { p.set(sepSoft) }
func (p *printer) softNone()        { p.set(sepSoftNone) }

// newLine makes the next token begin a statement.
func (p *printer) newLine() {
	p.sep = separator{kind: sepLine, indent: p.indent, comments: p.indent, first: p.sep.first}
	p.cont = p.indent + step
}

// before writes what stands before the next token: comments, and a blank, a line's end or nothing.
func (p *printer) before() {
	s := p.sep
	p.sep = separator{indent: p.cont, comments: p.cont}
	mayBlank := s.kind == sepLine || p.listed && s.kind >= sepSoft
	newlines, first := 0, s.first
	for {
		newlines += p.skipBlanks()
		if !p.atComment() {
			break
		}
		p.comment(s, mayBlank && !first && newlines > 1)
		first = first && !p.line().full
		newlines = 0
	}
	switch {
	case p.pos >= len(p.src):
	case len(p.lines) == 0:
		p.begin(s.indent, false)
	case s.kind == sepLine, s.kind >= sepSoft && newlines > 0, p.line().full || p.line().comment != "":
		p.begin(s.indent, mayBlank && !first && !s.last && newlines > 1)
	case s.kind == sepBlank, s.kind == sepSoft:
		p.add(" ")
	}
}

func (p *printer) atComment() bool { return len(p.comments) > 0 && p.comments[0].At.Start == p.pos }

// comment writes the comment at pos: behind the token before it where it stands on the same line, else on a line of
// its own, with an empty line before it if blank is set.
func (p *printer) comment(s separator, blank bool) {
	c := p.comments[0]
	p.comments = p.comments[1:]
	p.pos = c.At.End
	if !c.OwnLine && len(p.lines) > 0 && !p.line().full && p.line().comment == "" {
		p.line().comment = c.Text
		return
	}
	p.begin(s.comments, blank && len(p.lines) > 0)
	p.add(c.Text)
	p.line().full = true
}

// skipBlanks moves to the next token or comment and returns the number of newlines passed.
func (p *printer) skipBlanks() int {
	n := 0
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case '\n':
			n++
		case ' ', '\t', '\r':
		default:
			return n
		}
		p.pos++
	}
	return n
}

// begin begins a line, with an empty one before it if blank is set.
func (p *printer) begin(indent int, blank bool) {
	if blank {
		p.lines = append(p.lines, line{})
	}
	p.lines = append(p.lines, line{indent: indent})
}

func (p *printer) line() *line {
	if len(p.lines) == 0 {
		p.begin(0, false)
	}
	return &p.lines[len(p.lines)-1]
}

// add adds text to the current line. A literal may hold line ends.
func (p *printer) add(text string) {
	for {
		n := strings.IndexByte(text, '\n')
		if n < 0 {
			l := p.line()
			l.text = append(l.text, text...)
			return
		}
		l := p.line()
		l.text = append(l.text, text[:n]...)
		p.lines = append(p.lines, line{raw: true})
		text = text[n+1:]
	}
}

// tok writes the next token, which the text must have here.
func (p *printer) tok(text string) {
	p.before()
	if !strings.HasPrefix(p.src[p.pos:], text) {
		bug.Panicf("format: %q does not stand at %d of the text", text, p.pos)
	}
	p.add(text)
	p.pos += len(text)
}

// word writes a word and a blank behind it.
func (p *printer) word(text string) {
	p.tok(text)
	p.blank()
}

// as writes n as it stands in the text.
func (p *printer) as(n ast.Node) {
	s := n.Span()
	p.tok(p.src[s.Start:s.End])
}

// at reports whether the next token of the text begins with text, and next returns the offset of that token and the
// number of newlines before it; neither moves on.
func (p *printer) at(text string) bool {
	i, _ := p.next()
	return strings.HasPrefix(p.src[i:], text)
}

func (p *printer) next() (offset, newlines int) {
	rest := p.comments
	i := p.pos
	for i < len(p.src) {
		switch c := p.src[i]; {
		case c == '\n':
			newlines++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case len(rest) > 0 && rest[0].At.Start == i:
			i = rest[0].At.End
			rest = rest[1:]
		default:
			return i, newlines
		}
	}
	return i, newlines
}

// broken reports whether the text has a line's end before the next token.
func (p *printer) broken() bool {
	_, n := p.next()
	return n > 0
}

// drop passes a token of the text without writing it.
func (p *printer) drop(text string) {
	if !p.at(text) {
		return
	}
	s := p.sep
	for p.skipBlanks(); p.atComment(); p.skipBlanks() {
		p.comment(s, false)
	}
	p.pos += len(text)
}

// comma writes a comma right behind the token before it, wherever the text has it, and also where it has none.
func (p *printer) comma() {
	p.add(",")
	p.dropCommas()
}

// list writes a bracket with n items, which item writes. comma says whether a comma may stand behind the last one;
// keep, that it must, even on one line.
func (p *printer) list(open, closer string, n int, comma, keep bool, item func(int)) {
	p.tok(open)
	if n == 0 {
		p.softNone()
		p.tok(closer)
		return
	}
	cont, listed := p.cont, p.listed
	outer := p.line().indent
	p.listed = p.broken()
	if p.listed {
		p.cont = outer + step
		p.sep = separator{kind: sepLine, indent: p.cont, comments: p.cont, first: true}
	}
	for i := range n {
		if i > 0 {
			p.comma()
			p.soft()
		}
		item(i)
	}
	switch {
	case p.listed && comma, keep && p.at(","):
		p.comma()
	default:
		p.drop(",")
	}
	if p.listed {
		p.sep = separator{kind: sepLine, indent: outer, comments: p.cont, last: true}
	} else {
		p.sep = separator{indent: cont, comments: cont}
	}
	p.tok(closer)
	p.cont, p.listed = cont, listed
}

// braces writes n parts between braces: on one line where the text has them so, else each on lines of its own.
// between writes what stands between two parts on one line, nil for parts that never share one.
func (p *printer) braces(span ast.Node, n int, between func(), part func(int)) {
	s := span.Span()
	open, _ := p.next()
	flat := !strings.Contains(p.src[open:s.End], "\n")
	p.tok("{")
	switch {
	case n == 0 && !p.commentNext():
		p.tok("}")
	case flat:
		for i := range n {
			if i > 0 {
				between()
			}
			p.blank()
			part(i)
		}
		p.dropCommas()
		p.blank()
		p.tok("}")
	default:
		p.bracesOnLines(n, part)
	}
}

// commentNext reports whether a comment comes before the next token.
func (p *printer) commentNext() bool {
	i, _ := p.next()
	return len(p.comments) > 0 && p.comments[0].At.Start < i
}

func (p *printer) bracesOnLines(n int, part func(int)) {
	indent, cont, listed := p.indent, p.cont, p.listed
	outer := p.line().indent
	p.indent, p.listed = outer+step, false
	p.sep.first = true
	for i := range n {
		p.newLine()
		part(i)
		p.newLine()
		p.dropCommas()
	}
	p.sep = separator{kind: sepLine, indent: outer, comments: p.indent, first: n == 0, last: true}
	p.tok("}")
	p.indent, p.cont, p.listed = indent, cont, listed
}

// dropCommas passes all commas that come next: parts in braces may be divided by several.
func (p *printer) dropCommas() {
	for p.at(",") {
		p.drop(",")
	}
}
