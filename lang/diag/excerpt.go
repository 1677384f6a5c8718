package diag

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pipec/pipec/lang/source"
)

// An excerpt shows lines of a file, each with the places marked below it:
//
//	  |
//	3 |     let a = "abc
//	  |             ^^^^ is not closed
//
// The row of marks is made of the line itself: what stands before the mark is replaced by as many spaces as the
// terminal gives it cells, and tabs stay tabs, so both rows have the same tab stops whatever the terminal's are. A line
// that is too wide is cut to a window around the mark, with "…" where something was left out.

// mark is how a place is shown.
type mark struct {
	char  byte
	style string
	label string
}

// row is one line of an excerpt.
type row struct {
	number   int // from 1
	sign     byte
	text     string // without line end and byte order mark
	segments []segment
}

// segment is the part of a marked place that lies in one row. An empty one marks the place before a character.
type segment struct {
	start, end int // bytes of the row's text
	mark
}

// addSpan adds the lines of a span to the rows, which are ordered by number. Of a span over many lines the first two
// and the last are shown; its label stands at the last.
func addSpan(rows []row, s source.Span, m mark) []row {
	first := s.File.OffsetLine(s.Start)
	last := s.File.OffsetLine(max(s.Start, s.End-1))
	for n := first; n <= last; n++ {
		if n > first+1 && n < last && last-first > 3 {
			n = last
		}
		line := lineOf(s.File, n)
		seg := segment{line.Start, line.End, m}
		if n > first {
			text := line.Text()
			seg.start += len(text) - len(strings.TrimLeft(text, " \t"))
		} else {
			seg.start = min(max(s.Start, line.Start), line.End)
		}
		if n == last {
			seg.end = min(s.End, line.End)
		} else {
			seg.label = ""
		}
		var i int
		rows, i = rowOf(rows, line, n, '|')
		if n > first && n < last && seg.start >= seg.end {
			continue // an empty line inside of the span
		}
		seg.start, seg.end = seg.start-line.Start, max(seg.start, seg.end)-line.Start
		rows[i].segments = append(rows[i].segments, seg)
	}
	return rows
}

// lineOf is LineSpan without the byte order mark, which is no character of the line.
func lineOf(f *source.File, n int) source.Span {
	line := f.LineSpan(n)
	if n == 1 && strings.HasPrefix(line.Text(), "\ufeff") {
		line.Start += len("\ufeff")
	}
	return line
}

// rowOf returns the rows with one of that sign for the line, and its index.
func rowOf(rows []row, line source.Span, n int, sign byte) ([]row, int) {
	i := 0
	for i < len(rows) && (rows[i].number < n || rows[i].number == n && rows[i].sign != sign) {
		i++
	}
	if i == len(rows) || rows[i].number != n {
		rows = slices.Insert(rows, i, row{number: n, sign: sign, text: line.Text()})
	}
	return rows, i
}

// rows writes an excerpt.
func (r *renderer) rows(rows []row) {
	if len(rows) == 0 {
		return
	}
	r.line("", '|', "", styleFrame)
	for i, x := range rows {
		if i > 0 && x.number > rows[i-1].number+1 {
			r.text.WriteString(r.paint(styleFrame, "...") + "\n")
		}
		whole := excerptOf(x.text, segment{}, r.o.Width)
		if !whole.cut {
			r.source(x, whole)
			for _, s := range x.segments {
				r.marks(whole, s)
			}
			continue
		}
		if len(x.segments) == 0 {
			r.source(x, whole)
		}
		for _, s := range x.segments {
			e := excerptOf(x.text, s, r.o.Width)
			r.source(x, e)
			r.marks(e, s)
		}
	}
}

// source writes the line of a row as the excerpt shows it.
func (r *renderer) source(x row, e excerpt) {
	var b strings.Builder
	for _, c := range e.cells {
		b.WriteString(c.shown)
	}
	style := styleFrame
	if x.sign == '+' {
		style = styleMended
	} else if x.sign == '-' {
		style = styleError
	}
	r.line(fmt.Sprint(x.number), x.sign, b.String(), style)
}

// marks writes the row below an excerpt for one segment.
func (r *renderer) marks(e excerpt, s segment) {
	var pad, under strings.Builder
	for _, c := range e.cells {
		inside := c.end > s.start && c.start < s.end
		switch {
		case c.start >= max(s.end, s.start):
			// behind the segment: only its label follows
		case inside && c.isTab():
			under.WriteByte('\t')
		case inside:
			under.WriteString(strings.Repeat(string(s.char), max(c.width, 1)))
		case c.end <= s.start && c.isTab():
			pad.WriteByte('\t')
		case c.end <= s.start:
			pad.WriteString(strings.Repeat(" ", c.width))
		}
	}
	line := strings.TrimRight(under.String(), "\t")
	if line == "" { // an empty place, or nothing but tabs
		line = string(s.char)
	}
	if s.label != "" {
		line += " " + safe(s.label, " ")
	}
	r.line("", '|', pad.String()+r.paint(s.style, line), styleFrame)
}

// line writes one line with its gutter.
func (r *renderer) line(number string, sign byte, text, style string) {
	gutter := strings.Repeat(" ", r.gutter-len(number)) + number + " " + string(sign)
	if text != "" {
		text = " " + text
	}
	r.text.WriteString(r.paint(style, gutter) + text + "\n")
}

// excerpt is the part of a line that is shown.
type excerpt struct {
	cells []cell
	cut   bool // something was left out
}

// excerptOf returns the part of a line around the segment that fits into width cells. It looks only at the bytes near
// the segment, so a line of many megabytes costs no more than another one.
func excerptOf(line string, s segment, width int) excerpt {
	const bytesPerCell = 8 // more than that only emoji sequences have
	lo, hi := 0, len(line)
	if reach := bytesPerCell * width; hi > 2*reach {
		lo = max(lo, runeStart(line, s.start-reach))
		hi = min(hi, runeStart(line, s.start+reach))
	}
	cells := cellsOf(line[lo:hi])
	for i := range cells {
		cells[i].start, cells[i].end = cells[i].start+lo, cells[i].end+lo
	}
	from, to := window(cells, s, width, hi < len(line))
	e := excerpt{cells: slices.Clone(cells[from:to])}
	const dots = "…"
	if from > 0 || lo > 0 {
		e.cut = true
		at := s.start
		if from < len(cells) {
			at = cells[from].start
		}
		e.cells = slices.Insert(e.cells, 0, cell{lo, at, dots, 1})
	}
	if to < len(cells) || hi < len(line) {
		e.cut = true
		e.cells = append(e.cells, cell{len(line), len(line), dots, 1})
	}
	return e
}

// window returns the range of the cells that is shown: all of them if they fit, else what starts a third of the width
// before the segment, or earlier if the line ends before the window is full. open says that the line goes on behind.
func window(cells []cell, s segment, width int, open bool) (from, to int) {
	at := sort.Search(len(cells), func(i int) bool { return cells[i].end > s.start })
	room := 0
	for from = at; from > 0 && room+cells[from-1].room() <= width/3; from-- {
		room += cells[from-1].room()
	}
	for to = at; to < len(cells) && room+cells[to].room() <= width; to++ {
		room += cells[to].room()
	}
	if to == len(cells) && !open {
		for from > 0 && room+cells[from-1].room() <= width {
			from--
			room += cells[from].room()
		}
	}
	return from, to
}

// runeStart returns the start of the code point at offset, which is moved into the text.
func runeStart(text string, offset int) int {
	offset = min(max(offset, 0), len(text))
	for i := 0; i < utf8.UTFMax-1 && offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]); i++ {
		offset--
	}
	return offset
}
