package format

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/pipec/pipec/lang/ast"
)

// What is aligned. Lines that follow one another without an empty line between them form a group if they are of the
// same kind: type declarations, sources, channels and sinks at their `=`, flows from outputs (`a.rejects -> b`) at
// their first arrow, the cases of a route at theirs. Comments at the ends of lines that follow one another are aligned
// with each other.

const (
	commentGap = 3  // blanks before a comment at the end of a line
	widestCase = 32 // a longer case of a route stands out of its group
)

// point marks the place before the next token as one to align, and returns the index of its line.
func (p *printer) point() int {
	p.line().point = len(p.line().text)
	return len(p.lines) - 1
}

// aligner puts the statements of one list into groups.
type aligner struct {
	p      *printer
	group  int  // of the statement before
	closed bool // that statement ended with a bracket on a line of its own, which ends its group
}

// put takes the line that a statement has marked, -1 for none, and whether the statement is aligned with the one
// before it.
func (a *aligner) put(mark int, together bool) {
	if !together || a.closed {
		a.p.groups++
		a.group = a.p.groups
	}
	if mark >= 0 && !bytes.HasSuffix(a.p.lines[mark].text, []byte("=")) {
		a.p.lines[mark].group = a.group
	}
	text := a.p.line().text
	a.closed = len(text) > 0 && strings.IndexByte(")]}", text[0]) >= 0
}

// together reports whether two statements in a row are aligned with each other.
func (p *printer) together(a, b ast.Node) bool {
	return alignKind(a) != "" && alignKind(a) == alignKind(b) && !p.apart(a.Span().End, b.Span().Start)
}

func alignKind(n ast.Node) string {
	switch n := n.(type) {
	case *ast.TypeDecl:
		return "type"
	case *ast.NodeItem:
		return n.Kind.Word
	case *ast.FlowItem:
		if len(n.From.Parts) > 1 {
			return "flow"
		}
	case *ast.Case:
		return "case"
	}
	return ""
}

// apart reports whether an empty line stands between two offsets of the text.
func (p *printer) apart(from, to int) bool {
	newlines := 0
	for i := from; i < to; i++ {
		switch p.src[i] {
		case '\n':
			if newlines++; newlines > 1 {
				return true
			}
		case ' ', '\t', '\r':
		default:
			newlines = 0
		}
	}
	return false
}

// text returns the lines as a text.
func (p *printer) text() string {
	p.alignPoints()
	columns := p.commentColumns()
	var b strings.Builder
	for i := range p.lines {
		l := &p.lines[i]
		if !l.raw && len(l.text) > 0 {
			spaces(&b, l.indent)
		}
		b.Write(l.text)
		if l.comment != "" {
			spaces(&b, columns[i]-l.width())
			b.WriteString(l.comment)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func spaces(b *strings.Builder, n int) {
	for range n {
		b.WriteByte(' ')
	}
}

func (l *line) width() int {
	n := utf8.RuneCount(l.text)
	if !l.raw {
		n += l.indent
	}
	return n
}

// alignPoints widens the lines of each group so that their points stand in one column. The lines of a group follow
// one another, maybe with others between them.
func (p *printer) alignPoints() {
	widest := make([]int, p.groups+1)
	for _, l := range p.lines {
		widest[l.group] = max(widest[l.group], utf8.RuneCount(l.text[:l.point]))
	}
	for i := range p.lines {
		l := &p.lines[i]
		if pad := widest[l.group] - utf8.RuneCount(l.text[:l.point]); l.group > 0 && pad > 0 {
			text := append([]byte{}, l.text[:l.point]...)
			text = append(text, strings.Repeat(" ", pad)...)
			l.text = append(text, l.text[l.point:]...)
		}
	}
}

// commentColumns returns the column of the comment at the end of each line that has one.
func (p *printer) commentColumns() []int {
	columns := make([]int, len(p.lines))
	for i := 0; i < len(p.lines); {
		end, widest := i, 0
		for end < len(p.lines) && p.lines[end].comment != "" {
			widest = max(widest, p.lines[end].width())
			end++
		}
		for ; i < end; i++ {
			columns[i] = widest + commentGap
		}
		i = max(i, end) + 1
	}
	return columns
}
