package source

import (
	"testing"
	"unicode/utf8"
)

// places are offsets with what they are in every other notation.
var places = []struct {
	name, text string
	offset     int
	line, col  int // from 1, code points
	line0, u16 int // from 0, UTF-16 code units
}{
	{"empty text", "", 0, 1, 1, 0, 0},
	{"start", "ab\ncd", 0, 1, 1, 0, 0},
	{"line end", "ab\ncd", 2, 1, 3, 0, 2},
	{"next line", "ab\ncd", 3, 2, 1, 1, 0},
	{"end without line end", "ab\ncd", 5, 2, 3, 1, 2},
	{"end behind a line end", "ab\n", 3, 2, 1, 1, 0},
	{"before CRLF", "ab\r\ncd", 2, 1, 3, 0, 2},
	{"behind CRLF", "ab\r\ncd", 4, 2, 1, 1, 0},
	{"a lone CR is no line end", "a\rb", 2, 1, 3, 0, 2},
	{"tab is one column", "\ta", 1, 1, 2, 0, 1},
	{"two bytes", "éa", 2, 1, 2, 0, 1},
	{"wide", "世界a", 6, 1, 3, 0, 2},
	{"surrogate pair", "a😀b", 5, 1, 3, 0, 3},
	{"combining", "e\u0301a", 3, 1, 3, 0, 2},
	{"ill-formed byte", "a\xffb", 2, 1, 3, 0, 2},
	{"cut code point", "\xe4\xb8a", 2, 1, 3, 0, 2},
	{"inside a cut code point", "\xe4\xb8a", 1, 1, 2, 0, 1},
	{"NUL", "\x00a", 1, 1, 2, 0, 1},
	{"behind the byte order mark", "\ufeffab", 3, 1, 1, 0, 0},
	{"in a line with byte order mark", "\ufeffab\n", 4, 1, 2, 0, 1},
	{"line behind a byte order mark", "\ufeff\na", 4, 2, 1, 1, 0},
	{"nothing but a byte order mark", "\ufeff", 3, 1, 1, 0, 0},
}

func TestPlaces(t *testing.T) {
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			f := NewFile("x.pipe", p.text)
			if line, col := f.OffsetLineCol(p.offset); line != p.line || col != p.col {
				t.Errorf("OffsetLineCol(%d) = %d:%d, want %d:%d", p.offset, line, col, p.line, p.col)
			}
			if line, char := f.OffsetUTF16(p.offset); line != p.line0 || char != p.u16 {
				t.Errorf("OffsetUTF16(%d) = %d:%d, want %d:%d", p.offset, line, char, p.line0, p.u16)
			}
			if got := f.LineColOffset(p.line, p.col); got != p.offset {
				t.Errorf("LineColOffset(%d, %d) = %d, want %d", p.line, p.col, got, p.offset)
			}
			if got := f.UTF16Offset(p.line0, p.u16); got != p.offset {
				t.Errorf("UTF16Offset(%d, %d) = %d, want %d", p.line0, p.u16, got, p.offset)
			}
		})
	}
}

// Offsets that no token can have, as a stale or hostile client may send them.
func TestPlacesOutside(t *testing.T) {
	f := NewFile("x.pipe", "ab\r\nc😀\n")
	offsets := []struct{ offset, line, col, u16 int }{
		{-1, 1, 1, 0},
		{99, 3, 1, 0},
		{6, 2, 2, 1}, // inside of the emoji
		{8, 2, 2, 1},
	}
	for _, o := range offsets {
		if line, col := f.OffsetLineCol(o.offset); line != o.line || col != o.col {
			t.Errorf("OffsetLineCol(%d) = %d:%d, want %d:%d", o.offset, line, col, o.line, o.col)
		}
		if line, char := f.OffsetUTF16(o.offset); line != o.line-1 || char != o.u16 {
			t.Errorf("OffsetUTF16(%d) = %d:%d, want %d:%d", o.offset, line, char, o.line-1, o.u16)
		}
	}
	for _, u := range []struct{ line, char, offset int }{
		{-1, 5, 0}, {0, -1, 0}, {0, 99, 2}, {1, 2, 5}, {1, 99, 9}, {2, 0, 10}, {2, 1, 10}, {3, 0, 10},
	} {
		if got := f.UTF16Offset(u.line, u.char); got != u.offset {
			t.Errorf("UTF16Offset(%d, %d) = %d, want %d", u.line, u.char, got, u.offset)
		}
		if got := f.LineColOffset(u.line+1, u.char+1); u.char != 2 && got != u.offset {
			t.Errorf("LineColOffset(%d, %d) = %d, want %d", u.line+1, u.char+1, got, u.offset)
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"a", []string{"a"}},
		{"a\n", []string{"a", ""}},
		{"a\r\nb\rc\n\nd\r", []string{"a", "b\rc", "", "d\r"}},
	} {
		f := NewFile("x.pipe", c.text)
		if f.LineCount() != len(c.want) {
			t.Errorf("%q: %d lines, want %d", c.text, f.LineCount(), len(c.want))
			continue
		}
		for i, want := range c.want {
			if got := f.LineSpan(i + 1).Text(); got != want {
				t.Errorf("%q: line %d is %q, want %q", c.text, i+1, got, want)
			}
		}
	}
}

func TestSpan(t *testing.T) {
	a, b := NewFile("a.pipe", "one\ntwo"), NewFile("b.pipe", "")
	one, two := Span{a, 0, 3}, Span{a, 4, 7}
	if got := one.To(two); got != (Span{a, 0, 7}) {
		t.Errorf("To = %v", got)
	}
	if one.To(Span{}) != one || (Span{}).To(two) != two {
		t.Error("To does not leave out an invalid span")
	}
	if got := two.Text(); got != "two" {
		t.Errorf("Text = %q", got)
	}
	if got := two.String(); got != "a.pipe:2:1" {
		t.Errorf("String = %q", got)
	}
	if got := (Span{}).String(); got != "-" || (Span{}).IsValid() || (Span{}).Text() != "" {
		t.Errorf("the zero span is %q", got)
	}
	ordered := []Span{{}, one, {a, 4, 5}, two, {b, 0, 0}}
	for i, s := range ordered {
		for j, u := range ordered {
			if s.Before(u) != (i < j) {
				t.Errorf("%v before %v is %v", s, u, s.Before(u))
			}
		}
	}
}

// FuzzPlaces checks on any text that the notations agree: the offset of each code point but a line end's comes back
// from both of the others, and every place that is asked for lies in the text.
func FuzzPlaces(f *testing.F) {
	for _, p := range places {
		f.Add(p.text, p.offset, p.u16)
	}
	f.Fuzz(func(t *testing.T, text string, x, y int) {
		file := NewFile("x.pipe", text)
		bom := file.bomLen()
		prevLine, prevCol := 1, 0
		for i := bom; i <= len(text); {
			line, col := file.OffsetLineCol(i)
			if line == prevLine && col != prevCol+1 || line == prevLine+1 && col != 1 || line > prevLine+1 || line < prevLine {
				t.Fatalf("%q: offset %d is %d:%d, the code point before %d:%d", text, i, line, col, prevLine, prevCol)
			}
			prevLine, prevCol = line, col
			if i <= file.LineSpan(line).End {
				if got := file.LineColOffset(line, col); got != i {
					t.Fatalf("%q: offset %d is %d:%d, which is offset %d", text, i, line, col, got)
				}
				line0, char := file.OffsetUTF16(i)
				if got := file.UTF16Offset(line0, char); line0 != line-1 || got != i {
					t.Fatalf("%q: offset %d is %d:%d in UTF-16, which is offset %d", text, i, line0, char, got)
				}
			}
			if i == len(text) {
				break
			}
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
		}
		for _, o := range []int{file.UTF16Offset(x, y), file.LineColOffset(x, y)} {
			if o < bom || o > len(text) {
				t.Fatalf("%q: place %d, %d gives offset %d", text, x, y, o)
			}
		}
		if line, col := file.OffsetLineCol(x); line < 1 || line > file.LineCount() || col < 1 {
			t.Fatalf("%q: offset %d gives %d:%d", text, x, line, col)
		}
	})
}
