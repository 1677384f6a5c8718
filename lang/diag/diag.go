// Package diag holds diagnostics: what is wrong with a program, where, why we think so, and how to mend it.
//
// A diagnostic is data. The packages that find faults build them; this package alone turns them into text for people
// (render.go) or JSON (json.go), and owns the catalogue of codes. A code names one rule of the language, wherever it
// is found broken, and is never used for another one later. Its page (what it means, an example that yields exactly
// this code, the mended example) stands in catalogue/, and tests execute both programs of every page.
//
// Codes are a letter and four digits: P syntax, N names and modules, T types and fallibility, G graph, R reliability,
// C connectors and settings, X run time. The severity is not part of the code.
package diag

import (
	"cmp"
	"slices"

	"github.com/pipec/pipec/lang/source"
)

// Code names one rule, as "T0104". The constants stand in codes.go.
type Code string

// Severity says whether a program may run. The zero value is invalid.
type Severity uint8

// The severities, worst first. Only an Error keeps a program from running.
const (
	Error Severity = iota + 1
	Warning
	Note
)

// String returns "error", "warning" or "note".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Note:
		return "note"
	}
	return "invalid"
}

// Diagnostic is one finding. Message is a clause that starts lower-case, without a full stop, with names in
// backquotes; it says what was found and what was wanted. Span is the smallest place that has to change, and Label
// (may be empty) says beside the caret what is wrong there.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Span     source.Span
	Message  string
	Label    string
	Related  []Related
	Notes    []string // whole sentences: why, what is available, what to do
	Fixes    []Fix
}

// Related is another place that helps to understand: the declaration, the conflicting type, the first of two.
type Related struct {
	Span source.Span
	Text string
}

// Fix is a mend that can be applied as it is. Title says what it does, in the imperative.
type Fix struct {
	Title string
	Edits []Edit
}

// Edit replaces the bytes of Span by Text.
type Edit struct {
	Span source.Span
	Text string
}

// List is a number of diagnostics in the order in which they were found.
type List []Diagnostic

// HasErrors reports whether one of the diagnostics is an Error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sorted returns the list ordered by place, code and message, without repeats of the same code and message at one place.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		switch {
		case a.Span.Before(b.Span):
			return -1
		case b.Span.Before(a.Span):
			return 1
		}
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(out, func(a, b Diagnostic) bool {
		return a.Code == b.Code && a.Span == b.Span && a.Message == b.Message
	})
}
