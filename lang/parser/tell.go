package parser

import (
	"fmt"

	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

func (s *scanner) span(start, end int) source.Span {
	return source.Span{File: s.f, Start: start, End: end}
}

// finding is a diagnostic that has been told, to be given notes and fixes. A finding without diagnostic is one that
// was kept back; what is added to it is lost.
type finding struct {
	d *diag.Diagnostic
	f *source.File
}

// maxTold is how many faults of one text are told: what has more is no program.
const maxTold = 1000

// tell adds a diagnostic. The finding is valid until the next one.
func (s *scanner) tell(code diag.Code, start, end int, format string, args ...any) finding {
	if len(s.diags) >= maxTold {
		return finding{}
	}
	s.diags = append(s.diags, diag.Diagnostic{
		Code: code, Severity: diag.Error, Span: s.span(start, end), Message: fmt.Sprintf(format, args...),
	})
	return finding{d: &s.diags[len(s.diags)-1], f: s.f}
}

// tellNesting adds a diagnostic of something that is not closed, unless it was told that too much is open.
func (s *scanner) tellNesting(code diag.Code, start, end int, format string, args ...any) finding {
	if s.tooDeep {
		return finding{}
	}
	return s.tell(code, start, end, format, args...)
}

func (f finding) label(text string) finding {
	if f.d != nil {
		f.d.Label = text
	}
	return f
}

func (f finding) note(text string) finding {
	if f.d != nil && text != "" {
		f.d.Notes = append(f.d.Notes, text)
	}
	return f
}

func (f finding) related(start, end int, text string) finding {
	if f.d != nil {
		f.d.Related = append(f.d.Related, diag.Related{Span: source.Span{File: f.f, Start: start, End: end}, Text: text})
	}
	return f
}

func (f finding) fix(title string, start, end int, text string) finding {
	if f.d != nil {
		edit := diag.Edit{Span: source.Span{File: f.f, Start: start, End: end}, Text: text}
		f.d.Fixes = append(f.d.Fixes, diag.Fix{Title: title, Edits: []diag.Edit{edit}})
	}
	return f
}
