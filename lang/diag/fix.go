package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Apply returns the text after the edits, whose spans are places in that text, in any order. Insertions at one place
// come in the order given, before a replacement that begins there. It refuses edits that overlap, that reach out of
// the text, or that are of several files; the text is then returned as it was.
func Apply(text string, edits []Edit) (string, error) {
	edits = sortEdits(edits)
	var b strings.Builder
	at := 0
	for i, e := range edits {
		switch {
		case e.Span.File != edits[0].Span.File:
			return text, fmt.Errorf("edits of several files")
		case e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > len(text):
			return text, fmt.Errorf("the edit of bytes %d to %d reaches out of a text of %d bytes", e.Span.Start, e.Span.End, len(text))
		case e.Span.Start < at:
			before := edits[i-1].Span
			return text, fmt.Errorf("the edits of bytes %d to %d and %d to %d overlap", before.Start, before.End, e.Span.Start, e.Span.End)
		}
		b.WriteString(text[at:e.Span.Start])
		b.WriteString(e.Text)
		at = e.Span.End
	}
	b.WriteString(text[at:])
	return b.String(), nil
}

// sortEdits orders edits by place; an insertion sorts before a replacement at the same start.
func sortEdits(edits []Edit) []Edit {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Span.End, b.Span.End))
	})
	return sorted
}
