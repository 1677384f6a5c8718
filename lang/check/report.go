package check

import (
	"fmt"
	"strings"

	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// report is a diagnostic that is being put together: its methods add to it and return it.
type report struct {
	diag.Diagnostic
	c         *checker
	withdrawn bool // something better was told since
}

// errorf reports an error.
func (c *checker) errorf(code diag.Code, at source.Span, format string, args ...any) *report {
	return c.report(diag.Error, code, at, fmt.Sprintf(format, args...))
}

// warnf reports a warning.
func (c *checker) warnf(code diag.Code, at source.Span, format string, args ...any) *report {
	return c.report(diag.Warning, code, at, fmt.Sprintf(format, args...))
}

// notef reports a note.
func (c *checker) notef(code diag.Code, at source.Span, format string, args ...any) *report {
	return c.report(diag.Note, code, at, fmt.Sprintf(format, args...))
}

func (c *checker) report(s diag.Severity, code diag.Code, at source.Span, message string) *report {
	r := &report{Diagnostic: diag.Diagnostic{Code: code, Severity: s, Span: at, Message: message}, c: c}
	r.withdrawn = c.spoils.line(at)
	c.reports = append(c.reports, r)
	if s == diag.Error {
		c.errors++
	}
	return r
}

// list returns what was reported.
func (c *checker) list() diag.List {
	var list diag.List
	for _, r := range c.reports {
		if !r.withdrawn {
			list = append(list, r.Diagnostic)
		}
	}
	return list.Sorted()
}

// label says beside the caret what is wrong there.
func (r *report) label(format string, args ...any) *report {
	r.Label = fmt.Sprintf(format, args...)
	return r
}

// related adds another place; an invalid one is left out.
func (r *report) related(at source.Span, format string, args ...any) *report {
	if at.IsValid() {
		r.Related = append(r.Related, diag.Related{Span: at, Text: fmt.Sprintf(format, args...)})
	}
	return r
}

// note adds a whole sentence.
func (r *report) note(format string, args ...any) *report {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
	return r
}

// fix adds a mend that can be applied as it is.
func (r *report) fix(title string, edits ...diag.Edit) *report {
	r.Fixes = append(r.Fixes, diag.Fix{Title: title, Edits: edits})
	return r
}

// replace is an edit that puts text in the place of a span.
func replace(at source.Span, text string) diag.Edit { return diag.Edit{Span: at, Text: text} }

// before is an edit that inserts text before a span.
func before(at source.Span, text string) diag.Edit {
	at.End = at.Start
	return diag.Edit{Span: at, Text: text}
}

// behind is an edit that inserts text behind a span.
func behind(at source.Span, text string) diag.Edit {
	at.Start = at.End
	return diag.Edit{Span: at, Text: text}
}

// wrap are the edits that put text around a span.
func wrap(at source.Span, left, right string) []diag.Edit {
	return []diag.Edit{before(at, left), behind(at, right)}
}

// notYet reports a construct that is parsed but not run yet.
func (c *checker) notYet(at source.Span, construct string) *report {
	return c.errorf(diag.NotYet, at, "%s cannot be run yet", construct).label("not yet")
}

// mostCompared is how many names are compared with mistyped ones in one check: enough for a program with a thousand
// mistakes, and a bound on the time that one of a million mistakes takes.
const mostCompared = 1_000_000

// compares reports whether names are still compared with mistyped ones; where not, there is no need to collect them.
func (c *checker) compares() bool { return c.nearestLeft > 0 }

// suggest names the candidate that was most likely meant, and offers to put it in; where none is near, it lists the
// candidates if they are few.
func (r *report) suggest(at source.Span, name string, candidates []string, available string) *report {
	if r.c.nearestLeft -= len(candidates); r.c.nearestLeft < 0 {
		return r
	}
	if near, ok := diag.Nearest(name, candidates); ok {
		r.Message += fmt.Sprintf(", did you mean `%s`?", near)
		return r.fix(fmt.Sprintf("write `%s`", near), replace(at, near))
	}
	if len(candidates) > 0 && len(candidates) <= mostListed {
		return r.note("%s %s.", available, quoteAll(candidates))
	}
	return r
}

// mostListed is how many available names a message lists; more would hide what it says.
const mostListed = 8

// quoteAll returns "`a`, `b` and `c`".
func quoteAll(names []string) string {
	var b strings.Builder
	for i, n := range names {
		switch {
		case i > 0 && i == len(names)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString("`" + n + "`")
	}
	return b.String()
}
