// Package source holds program texts and places in them.
//
// Every place in the front end is a byte offset into a [File]; offsets are turned into what people and editors count
// only at the edge, and only here:
//
//	notation        base  unit                     who uses it
//	offset          0     byte                     tokens, tree, diagnostics, edits
//	line, column    1     Unicode code point       messages for people, JSON output
//	line, character 0     UTF-16 code unit         language server
//	display column  0     terminal cell            the caret line of a rendered diagnostic
//
// A line ends at LF; a CR before it belongs to the line end. Ill-formed bytes count as one code point each.
package source

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// File is one program text with its name. It is immutable and safe for concurrent use.
type File struct {
	name  string
	text  string
	lines []int // offset of the first byte of each line; lines[0] is 0
}

// NewFile returns a file with the given name (as messages show it) and text. The text is kept as it is, a byte order
// mark included: offsets are those of the file on disk.
func NewFile(name, text string) *File {
	f := &File{name: name, text: text, lines: []int{0}}
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return f
		}
		i += n + 1
		f.lines = append(f.lines, i)
	}
}

// Name returns the name given to [NewFile].
func (f *File) Name() string { return f.name }

// Text returns the whole text.
func (f *File) Text() string { return f.text }

// LineCount returns the number of lines; a text that ends with LF has an empty last line.
func (f *File) LineCount() int { return len(f.lines) }

// OffsetLine returns the 1-based line that holds offset, which is clamped to the text.
func (f *File) OffsetLine(offset int) int {
	return max(1, sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset }))
}

// LineSpan returns the span of a 1-based line without its line end.
func (f *File) LineSpan(line int) Span {
	start, end := f.lines[line-1], len(f.text)
	if line < len(f.lines) {
		end = f.lines[line] - 1
		if end > start && f.text[end-1] == '\r' {
			end--
		}
	}
	return Span{File: f, Start: start, End: end}
}

// OffsetLineCol returns the 1-based line and the 1-based column in code points of an offset. An offset outside of the
// text is clamped to it, one inside of a code point means that code point.
func (f *File) OffsetLineCol(offset int) (line, col int) {
	line, start, offset := f.locate(offset)
	return line, utf8.RuneCountInString(f.text[start:offset]) + 1
}

// LineColOffset is the inverse of [File.OffsetLineCol]. A line or column outside of the text gives the nearest place:
// a column behind the line's end is the line's end.
func (f *File) LineColOffset(line, col int) int {
	start, end := f.lineBounds(line)
	for ; col > 1 && start < end; col-- {
		_, n := utf8.DecodeRuneInString(f.text[start:end])
		start += n
	}
	return start
}

// OffsetUTF16 returns the 0-based line and the 0-based distance from its start in UTF-16 code units, as the language
// server protocol counts. An ill-formed byte is one unit, as it is once it was replaced by U+FFFD; offsets are clamped
// as in [File.OffsetLineCol]. A byte order mark counts nothing: editors take it off before they count.
func (f *File) OffsetUTF16(offset int) (line, char int) {
	line, start, offset := f.locate(offset)
	for _, r := range f.text[start:offset] {
		char += utf16.RuneLen(r)
	}
	return line - 1, char
}

// UTF16Offset is the inverse of [File.OffsetUTF16]. A place outside of the text gives the nearest one, as the protocol
// wants it, and the second half of a surrogate pair gives the start of its code point.
func (f *File) UTF16Offset(line, char int) int {
	start, end := f.lineBounds(line + 1)
	for start < end {
		r, n := utf8.DecodeRuneInString(f.text[start:end])
		if char -= utf16.RuneLen(r); char < 0 {
			break
		}
		start += n
	}
	return start
}

// locate returns the 1-based line of an offset, the offset where counting in that line starts (behind the byte order
// mark), and the offset itself, moved into the text and back to the start of its code point.
func (f *File) locate(offset int) (line, start, at int) {
	offset = min(max(offset, 0), len(f.text))
	line = f.OffsetLine(offset)
	start = f.lines[line-1]
	if line == 1 && strings.HasPrefix(f.text, byteOrderMark) {
		start, offset = len(byteOrderMark), max(offset, len(byteOrderMark))
	}
	return line, start, f.runeStart(start, offset)
}

// runeStart moves offset back to the start of the code point that it lies in. Only the up to three bytes before can
// start one that reaches over offset.
func (f *File) runeStart(lowest, offset int) int {
	if offset == len(f.text) || utf8.RuneStart(f.text[offset]) {
		return offset
	}
	for i := offset - 1; i >= max(lowest, offset-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(f.text[i]) {
			if _, n := utf8.DecodeRuneInString(f.text[i:]); i+n > offset {
				return i
			}
			break
		}
	}
	return offset
}

// lineBounds returns the offsets between which a place of a 1-based line can be: without byte order mark and line end.
// A line before the first has only the text's start, one behind the last only its end.
func (f *File) lineBounds(line int) (start, end int) {
	switch {
	case line < 1:
		return f.bomLen(), f.bomLen()
	case line > len(f.lines):
		return len(f.text), len(f.text)
	}
	s := f.LineSpan(line)
	if line == 1 {
		s.Start = f.bomLen()
	}
	return s.Start, s.End
}

// byteOrderMark may stand at the start of a text, and is no character of its first line.
const byteOrderMark = "\ufeff"

func (f *File) bomLen() int {
	if strings.HasPrefix(f.text, byteOrderMark) {
		return len(byteOrderMark)
	}
	return 0
}

// Span is a range of bytes of one file; End is exclusive. The zero Span is no place at all.
type Span struct {
	File       *File
	Start, End int
}

// IsValid reports whether s is a place in a file.
func (s Span) IsValid() bool { return s.File != nil }

// Text returns the bytes that s covers.
func (s Span) Text() string {
	if s.File == nil {
		return ""
	}
	return s.File.text[s.Start:s.End]
}

// To returns the smallest span that covers s and t, which must be of the same file; an invalid one is left out.
func (s Span) To(t Span) Span {
	switch {
	case !s.IsValid():
		return t
	case !t.IsValid():
		return s
	}
	return Span{File: s.File, Start: min(s.Start, t.Start), End: max(s.End, t.End)}
}

// Before reports whether s sorts before t: by file name, then start, then end.
func (s Span) Before(t Span) bool {
	if a, b := s.name(), t.name(); a != b {
		return a < b
	}
	if s.Start != t.Start {
		return s.Start < t.Start
	}
	return s.End < t.End
}

func (s Span) name() string {
	if s.File == nil {
		return ""
	}
	return s.File.name
}

// String returns "name:line:column" of the start, or "-" for an invalid span.
func (s Span) String() string {
	if !s.IsValid() {
		return "-"
	}
	line, col := s.File.OffsetLineCol(s.Start)
	return fmt.Sprintf("%s:%d:%d", s.File.name, line, col)
}
