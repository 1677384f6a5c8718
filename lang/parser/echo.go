package parser

import (
	"cmp"
	"slices"

	"github.com/pipec/pipec/lang/diag"
)

// withoutEchoes takes out what is told twice in different words of one mistake in a chunk, and returns how many
// diagnostics are left at the front of list. The first scanned ones are the scanner's, the others the parser's; they
// know nothing of each other:
//
//   - A string or bracket that is not closed, a brace that was forgotten, or a closer that closes nothing spoils its
//     line. Of such a line the first diagnostic stays: a forgotten quote or opener is told where it is missed.
//   - A closer on a line of its own that closes nothing has lost its opener; where something was told before it in the
//     declaration, that was the place.
func withoutEchoes(list diag.List, scanned int) int {
	if len(list) < 2 || scanned == 0 {
		return len(list)
	}
	parsed := list[scanned:]
	firstParsed := -1
	for _, d := range parsed {
		if firstParsed < 0 || d.Span.Start < firstParsed {
			firstParsed = d.Span.Start
		}
	}
	spoiled := map[int]bool{} // lines
	for _, d := range list[:scanned] {
		switch d.Code {
		case diag.StrayBracket, diag.UnclosedBracket, diag.UnclosedString, diag.UnclosedHole, diag.ExpectedToken, diag.TooDeep:
			spoiled[lineOf(&d)] = true
		}
	}
	slices.SortStableFunc(list, func(a, b diag.Diagnostic) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	seen := map[int]bool{} // spoiled lines of which something was told
	n := 0
	for _, d := range list {
		line := lineOf(&d)
		if seen[line] || d.Code == diag.StrayBracket && firstParsed >= 0 && firstParsed < d.Span.Start && alone(&d) {
			continue
		}
		seen[line] = spoiled[line]
		list[n] = d
		n++
	}
	return n
}

func lineOf(d *diag.Diagnostic) int { return d.Span.File.OffsetLine(d.Span.Start) }

// alone reports whether nothing but blanks stands before the place on its line.
func alone(d *diag.Diagnostic) bool {
	text := d.Span.File.Text()
	i := d.Span.Start
	for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
		i--
	}
	return i == 0 || text[i-1] == '\n'
}
