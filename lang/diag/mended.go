package diag

import (
	"slices"
	"strings"

	"github.com/pipec/pipec/lang/source"
)

// hunk is what a fix makes of one file: the mended lines with what is new in them, and lines that go.
type hunk struct {
	at   source.Span // the first edit's place in the text as it is
	rows []row
}

// fixHunks returns the hunks of a fix by file, in the order of its edits. A fix that cannot be applied has none.
func fixHunks(f Fix) []hunk {
	var hunks []hunk
	var files []*source.File
	for _, e := range f.Edits {
		if e.Span.IsValid() && !slices.Contains(files, e.Span.File) {
			files = append(files, e.Span.File)
		}
	}
	for _, file := range files {
		var edits []Edit
		for _, e := range f.Edits {
			if e.Span.File == file {
				edits = append(edits, e)
			}
		}
		if h, ok := fileHunk(file, sortEdits(edits)); ok {
			hunks = append(hunks, h)
		}
	}
	return hunks
}

// fileHunk shows sorted edits of one file. Edits that only delete whole lines show those lines, all others the lines
// after the mend.
func fileHunk(file *source.File, edits []Edit) (hunk, bool) {
	after, err := Apply(file.Text(), edits)
	if err != nil {
		return hunk{}, false
	}
	mended := source.NewFile(file.Name(), after)
	h := hunk{at: edits[0].Span}
	shift := 0 // from an offset in the text as it is to the same place in the mended one
	for _, e := range edits {
		if removesLines(e) {
			h.rows = addRemoved(h.rows, e.Span)
		} else {
			start := e.Span.Start + shift
			h.rows = addMended(h.rows, source.Span{File: mended, Start: start, End: start + len(e.Text)})
		}
		shift += len(e.Text) - (e.Span.End - e.Span.Start)
	}
	return h, true
}

// removesLines reports whether an edit deletes lines as a whole.
func removesLines(e Edit) bool {
	text, atLineStart := e.Span.File.Text(), e.Span.Start == 0 || e.Span.File.Text()[e.Span.Start-1] == '\n'
	return e.Text == "" && e.Span.Start < e.Span.End && atLineStart &&
		(text[e.Span.End-1] == '\n' || e.Span.End == len(text))
}

// mostLines is how many lines of one edit are shown before the rest is left out.
const mostLines = 6

func addRemoved(rows []row, s source.Span) []row {
	first := s.File.OffsetLine(s.Start)
	last := min(s.File.OffsetLine(s.End-1), first+mostLines-1)
	for n := first; n <= last; n++ {
		rows, _ = rowOf(rows, lineOf(s.File, n), n, '-')
	}
	return rows
}

// addMended adds the lines of the new text that an edit has touched. New text is underlined, except where it is all
// that stands in its line.
func addMended(rows []row, s source.Span) []row {
	first := s.File.OffsetLine(s.Start)
	last := s.File.OffsetLine(max(s.Start, s.End-1))
	for n := first; n <= min(last, first+mostLines-1); n++ {
		line := lineOf(s.File, n)
		var i int
		rows, i = rowOf(rows, line, n, '+')
		seg := segment{max(s.Start, line.Start) - line.Start, min(s.End, line.End) - line.Start, mark{char: '+', style: styleMended}}
		if seg.start >= seg.end || strings.TrimSpace(line.Text()[:seg.start]+line.Text()[seg.end:]) == "" {
			continue
		}
		rows[i].segments = append(rows[i].segments, seg)
	}
	return rows
}
