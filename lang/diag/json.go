package diag

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/source"
)

// The JSON form is stable: members are added, never renamed or taken away. An array of objects, one a line, sorted as
// [List.Sorted] has them:
//
//	code      string, "P0102"; "" if there is none
//	severity  "error", "warning" or "note"
//	message   string
//	file      string, the name of the file as it was given; "" if the diagnostic has no place
//	start     the place, or null:   {"line": 1, "column": 1, "offset": 0}
//	end       the place behind its last character, or null
//	label     string, what is wrong at the place; may be empty
//	related   array of {"file", "start", "end", "text"}, as above
//	notes     array of strings
//	fixes     array of {"title": string, "edits": [{"file", "start", "end", "text"}]}
//
// Lines and columns count from 1, columns in code points; offsets count bytes from 0. An edit replaces the bytes from
// start to end by text; the edits of a fix belong together and do not overlap.

type jsonDiagnostic struct {
	Code     Code   `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	jsonSpan
	Label   string     `json:"label"`
	Related []jsonText `json:"related"`
	Notes   []string   `json:"notes"`
	Fixes   []jsonFix  `json:"fixes"`
}

type jsonSpan struct {
	File  string     `json:"file"`
	Start *jsonPlace `json:"start"`
	End   *jsonPlace `json:"end"`
}

type jsonPlace struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Offset int `json:"offset"`
}

// jsonText is a place with a text: what is said about it, or what replaces it.
type jsonText struct {
	jsonSpan
	Text string `json:"text"`
}

type jsonFix struct {
	Title string     `json:"title"`
	Edits []jsonText `json:"edits"`
}

// JSON writes the list, sorted and without repeats, as a JSON array with a line end behind it. The form is documented
// in this package's json.go. The only errors are those of w.
func JSON(w io.Writer, list List) error {
	var b bytes.Buffer
	b.WriteString("[")
	for i, d := range list.Sorted() {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n")
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(jsonOf(d)); err != nil {
			bug.Panicf("a diagnostic cannot be encoded: %v", err)
		}
		b.Truncate(b.Len() - 1) // the encoder's line end
	}
	if len(list) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("]\n")
	_, err := w.Write(b.Bytes())
	return err
}

func jsonOf(d Diagnostic) jsonDiagnostic {
	out := jsonDiagnostic{
		Code: d.Code, Severity: d.Severity.String(), Message: d.Message, jsonSpan: jsonSpanOf(d.Span), Label: d.Label,
		Related: []jsonText{}, Notes: []string{}, Fixes: []jsonFix{},
	}
	for _, r := range d.Related {
		out.Related = append(out.Related, jsonText{jsonSpanOf(r.Span), r.Text})
	}
	out.Notes = append(out.Notes, d.Notes...)
	for _, f := range d.Fixes {
		fix := jsonFix{Title: f.Title, Edits: []jsonText{}}
		for _, e := range f.Edits {
			fix.Edits = append(fix.Edits, jsonText{jsonSpanOf(e.Span), e.Text})
		}
		out.Fixes = append(out.Fixes, fix)
	}
	return out
}

func jsonSpanOf(s source.Span) jsonSpan {
	if !s.IsValid() {
		return jsonSpan{}
	}
	return jsonSpan{File: s.File.Name(), Start: jsonPlaceOf(s.File, s.Start), End: jsonPlaceOf(s.File, s.End)}
}

func jsonPlaceOf(f *source.File, offset int) *jsonPlace {
	line, col := f.OffsetLineCol(offset)
	return &jsonPlace{line, col, offset}
}
