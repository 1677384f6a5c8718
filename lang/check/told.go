package check

import (
	"slices"
	"sort"
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

// Where the parser has told a mistake, the tree is a guess, and what seems wrong with it mostly follows from that. So:
//
//   - nothing is told in a line in which the parser told something, nor in a statement;
//   - a declaration whose head is a guess says nothing of what it declares, and its body is not checked;
//   - a name that a broken declaration may have declared is not called unknown;
//   - nothing that such a name may have meant is called unused (haze).
//
// All else is checked as if nothing were wrong, since mistakes in five places are five mistakes.

// spoils are the places of what was told before the check.
type spoils struct {
	at map[*source.File][]int // offsets, in order
	// words has those that stand in a line with something that was told, or in text that is no declaration.
	words map[string]bool
	// nameless is set where a declaration has lost its name.
	nameless bool
}

func newSpoils(told diag.List) spoils {
	s := spoils{at: map[*source.File][]int{}, words: map[string]bool{}}
	for _, d := range told {
		if f := d.Span.File; f != nil && d.Severity == diag.Error {
			s.at[f] = append(s.at[f], d.Span.Start)
			s.addWords(f.LineSpan(f.OffsetLine(d.Span.Start)).Text())
		}
	}
	for _, offsets := range s.at {
		slices.Sort(offsets)
	}
	return s
}

func (s *spoils) addWords(text string) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !isLetter(r) }) {
		s.words[w] = true
	}
}

func isLetter(r rune) bool {
	return r == '_' || r >= 0x80 || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// inside reports whether something was told from the start of a span to the end of its last line.
func (s *spoils) inside(at source.Span) bool {
	offsets := s.at[at.File]
	if len(offsets) == 0 {
		return false
	}
	end := at.File.LineSpan(at.File.OffsetLine(at.End)).End
	i := sort.SearchInts(offsets, at.Start)
	return i < len(offsets) && offsets[i] <= end
}

// within reports whether something was told from one offset of a file to before another.
func (s *spoils) within(f *source.File, from, to int) bool {
	offsets := s.at[f]
	i := sort.SearchInts(offsets, from)
	return i < len(offsets) && offsets[i] < to
}

// line reports whether something was told in the line where a span starts.
func (s *spoils) line(at source.Span) bool {
	if len(s.at[at.File]) == 0 {
		return false
	}
	line := at.File.LineSpan(at.File.OffsetLine(at.Start))
	return s.within(at.File, line.Start, line.End+1)
}

// meant reports whether a name that seems unknown may be declared where something was told.
func (s *spoils) meant(name string) bool {
	if s.nameless || s.words[name] {
		return true
	}
	if len(name) < 3 || len(s.words) > mostJoined {
		return false
	}
	for w := range s.words {
		if strings.HasPrefix(w, name) {
			return true // `bolt badn: int)`, whose bracket was lost
		}
	}
	return false
}

// mostJoined is how many words are looked at for one that has grown together with the next.
const mostJoined = 200

// spoiledHead reports whether something was told in the head of a declaration, before its body.
func (c *checker) spoiledHead(d ast.Decl) bool {
	at := d.Span()
	if len(c.spoils.at[at.File]) == 0 {
		return false
	}
	switch d := d.(type) {
	case *ast.FnDecl:
		switch {
		case d.Body != nil:
			return c.spoils.within(at.File, at.Start, d.Body.Span().Start)
		case d.Value != nil:
			return c.spoils.within(at.File, at.Start, d.Value.Span().Start)
		}
	case *ast.BoltDecl:
		if d.Body != nil {
			return c.spoils.within(at.File, at.Start, d.Body.Span().Start)
		}
	}
	return c.spoils.inside(at)
}

// quietly runs f, and withdraws what it tells if something was told in the text that it checks.
func (c *checker) quietly(at source.Span, f func()) {
	if !c.spoils.inside(at) {
		f()
		return
	}
	from := len(c.reports)
	f()
	for _, r := range c.reports[from:] {
		r.withdrawn = true
	}
	c.errors++ // what seems unused behind it may be used in it
}

// guess returns the type of a variable: none that counts, if its declaration is a guess.
func (c *checker) guess(at source.Span, t types.Type) types.Type {
	if c.spoils.inside(at) {
		return types.Invalid
	}
	return t
}

// lostBody reports whether a declaration has no body because the parser found none. The statements that were meant for
// it then stand among the declarations.
func (c *checker) lostBody(d ast.Decl) bool {
	switch d := d.(type) {
	case *ast.FnDecl:
		return d.Body == nil && isMissing(d.Value) && c.spoiledNear(d.Span())
	case *ast.BoltDecl:
		return d.Body == nil && isMissing(d.Value)
	case *ast.BadDecl:
		return true
	}
	return false
}

func isMissing(e ast.Expr) bool {
	_, bad := e.(*ast.BadExpr)
	return e == nil || bad
}

// spoiledNear reports whether something was told in the lines of a span, or in the one behind it.
func (c *checker) spoiledNear(at source.Span) bool {
	line := min(at.File.OffsetLine(at.End)+1, at.File.LineCount())
	return c.spoils.within(at.File, at.Start, at.File.LineSpan(line).End+1)
}

func (c *checker) isIndented(at source.Span) bool {
	_, col := at.File.OffsetLineCol(at.Start)
	return col > 1
}

// longestAssumed is the longest line, in bytes, that assume reads. Nobody writes longer conditions, and a made line that
// holds a thousand of them would be read a thousand times.
const longestAssumed = 1000

// assume takes every name in the line of a condition that the parser told something of for one that holds a value: what
// the condition was to say of it is not known.
func (c *checker) assume(sc *scope, at source.Span) {
	if !c.spoils.line(at) {
		return
	}
	text := at.File.LineSpan(at.File.OffsetLine(at.Start)).Text()
	if len(text) > longestAssumed {
		return
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !isLetter(r) }) {
		if obj := sc.find(w); obj != nil && types.IsOptional(obj.Type) {
			sc.body.facts.set(factKey{obj, ""}, true)
		}
	}
}
