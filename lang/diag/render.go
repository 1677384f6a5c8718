package diag

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pipec/pipec/lang/source"
)

// Options say how [Render] shows diagnostics. The zero value is fit for a file or a pipe.
type Options struct {
	Colour bool // ANSI colours; without them the text is the same
	Limit  int  // most diagnostics to show: 0 means 20, less than 0 all of them
	Width  int  // most terminal cells of a source line to show: 0 means 120
}

const (
	defaultLimit = 20
	defaultWidth = 120
)

// Render writes the list for people, sorted and without repeats: each diagnostic with the source lines it is about,
// and a closing line that counts them. It writes nothing for an empty list. The only errors are those of w.
func Render(w io.Writer, list List, o Options) error {
	list = list.Sorted()
	if len(list) == 0 {
		return nil
	}
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	r := &renderer{o: o}
	shown := worst(list, o.Limit)
	for _, d := range shown {
		r.diagnostic(d)
		r.text.WriteString("\n")
	}
	if more := len(list) - len(shown); more > 0 {
		fmt.Fprintf(&r.text, "and %d more\n", more)
	}
	r.text.WriteString(summary(list) + "\n")
	_, err := io.WriteString(w, r.text.String())
	return err
}

// worst returns at most limit of the sorted diagnostics, still sorted: errors before warnings before notes.
func worst(list List, limit int) List {
	if limit < 0 || len(list) <= limit {
		return list
	}
	var kept List
	for _, s := range []Severity{Error, Warning, Note} {
		for _, d := range list {
			if d.Severity == s && len(kept) < limit {
				kept = append(kept, d)
			}
		}
	}
	return kept.Sorted()
}

// summary returns the closing line, as "2 errors, 1 warning".
func summary(list List) string {
	var parts []string
	for _, s := range []Severity{Error, Warning, Note} {
		n := 0
		for _, d := range list {
			if d.Severity == s {
				n++
			}
		}
		if n == 1 {
			parts = append(parts, "1 "+s.String())
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%d %ss", n, s))
		}
	}
	return strings.Join(parts, ", ")
}

// The styles, as parameters of the ANSI sequence that begins one.
const (
	styleError   = "1;31"
	styleWarning = "1;33"
	styleNote    = "1;36"
	styleFrame   = "1;34" // line numbers, arrows, related places
	styleMended  = "1;32"
	styleBold    = "1"
)

func (s Severity) style() string {
	switch s {
	case Error:
		return styleError
	case Warning:
		return styleWarning
	default:
		return styleNote
	}
}

// renderer collects the text of a list. gutter is the width of the line numbers of the diagnostic that is being shown.
type renderer struct {
	o      Options
	text   strings.Builder
	gutter int
}

// paint returns the text in a style, or as it is without colours.
func (r *renderer) paint(style, text string) string {
	if !r.o.Colour || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

func (r *renderer) diagnostic(d Diagnostic) {
	head := d.Severity.String()
	if d.Code != "" {
		head += "[" + string(d.Code) + "]"
	}
	message := safe(d.Message, " ")
	r.text.WriteString(r.paint(d.Severity.style(), head) + r.paint(styleBold, ": "+message) + "\n")

	groups := groupMarks(d)
	hunks := make([][]hunk, len(d.Fixes))
	r.gutter = 1
	for _, g := range groups {
		r.widen(g.rows)
	}
	for i, f := range d.Fixes {
		hunks[i] = fixHunks(f)
		for _, h := range hunks[i] {
			r.widen(h.rows)
		}
	}
	for i, g := range groups {
		arrow := "::: "
		if i == 0 && d.Span.IsValid() {
			arrow = "--> "
		}
		r.place(arrow, g.at)
		r.rows(g.rows)
	}
	for _, rel := range d.Related {
		if !rel.Span.IsValid() {
			r.note("note", rel.Text)
		}
	}
	for _, n := range d.Notes {
		r.note("note", n)
	}
	for i, f := range d.Fixes {
		r.note("help", f.Title)
		for _, h := range hunks[i] {
			if h.at.File != d.Span.File {
				r.place("::: ", h.at)
			}
			r.rows(h.rows)
		}
	}
}

// widen makes the gutter wide enough for the rows' line numbers.
func (r *renderer) widen(rows []row) {
	for _, x := range rows {
		r.gutter = max(r.gutter, len(fmt.Sprint(x.number)))
	}
}

// place writes the line that names a place.
func (r *renderer) place(arrow string, at source.Span) {
	line, col := at.File.OffsetLineCol(at.Start)
	r.text.WriteString(strings.Repeat(" ", r.gutter) + r.paint(styleFrame, arrow))
	fmt.Fprintf(&r.text, "%s:%d:%d\n", safe(at.File.Name(), " "), line, col)
}

// note writes a note below the source lines; further lines of it are indented like the first.
func (r *renderer) note(kind, text string) {
	indent := strings.Repeat(" ", r.gutter+1)
	next := "\n" + indent + strings.Repeat(" ", len("= : ")+len(kind))
	r.text.WriteString(indent + r.paint(styleFrame, "=") + " " + r.paint(styleBold, kind) + ": " + safe(text, next) + "\n")
}

// markGroup is the places of a diagnostic in one file.
type markGroup struct {
	at   source.Span // the first place, as the diagnostic names them
	rows []row
}

// groupMarks returns the places of a diagnostic by file: the primary one's file first, the others as they come.
func groupMarks(d Diagnostic) []markGroup {
	var groups []markGroup
	add := func(s source.Span, m mark) {
		if !s.IsValid() {
			return
		}
		i := slices.IndexFunc(groups, func(g markGroup) bool { return g.at.File == s.File })
		if i < 0 {
			i = len(groups)
			groups = append(groups, markGroup{at: s})
		}
		groups[i].rows = addSpan(groups[i].rows, s, m)
	}
	add(d.Span, mark{'^', d.Severity.style(), d.Label})
	for _, rel := range d.Related {
		add(rel.Span, mark{'-', styleFrame, rel.Text})
	}
	return groups
}
