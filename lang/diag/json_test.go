package diag

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang/source"
)

func TestJSON(t *testing.T) {
	f, g := file("let a = \"世\xff<b>\nlet b = 1\n"), source.NewFile("x.pipe", "let _b = 1\n")
	list := List{
		{Code: "T0102", Severity: Warning, Span: find(f, "b = 1"), Message: "later", Notes: []string{"A note.", "Another."}},
		{Code: "P0102", Severity: Error, Span: find(f, "\"世\xff<b>"), Message: "the string is not closed", Label: "begins here",
			Related: []Related{{find(g, "_b"), "as here"}},
			Fixes:   []Fix{{"close it", []Edit{{at(f, 16), `"`}}}}},
		{Code: "P0102", Severity: Error, Span: find(f, "\"世\xff<b>"), Message: "the string is not closed"}, // told once
		{Severity: Note, Message: "has no place"},
	}
	for _, c := range []struct {
		name string
		list List
	}{{"json", list}, {"json_empty", nil}} {
		var b strings.Builder
		if err := JSON(&b, c.list); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/"+c.name+".txt", b.String())
		var back []struct {
			File       string
			Start, End *struct{ Line, Column, Offset int }
		}
		if err := json.Unmarshal([]byte(b.String()), &back); err != nil {
			t.Fatal(err)
		}
		for _, d := range back {
			if d.File != "" && f.LineColOffset(d.Start.Line, d.Start.Column) != d.Start.Offset {
				t.Errorf("line, column and offset disagree: %+v", *d.Start)
			}
		}
	}
}
