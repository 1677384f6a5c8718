package diag

import (
	"strings"
	"testing"

	"github.com/pipec/pipec/lang/source"
)

func TestApply(t *testing.T) {
	f := source.NewFile("x.pipe", "0123456789")
	edit := func(start, end int, text string) Edit {
		return Edit{source.Span{File: f, Start: start, End: end}, text}
	}
	for _, c := range []struct {
		name  string
		edits []Edit
		want  string // the text, or "!" and a part of the error
	}{
		{"nothing", nil, "0123456789"},
		{"insert at both ends", []Edit{edit(10, 10, ">"), edit(0, 0, "<")}, "<0123456789>"},
		{"replace all", []Edit{edit(0, 10, "x")}, "x"},
		{"delete", []Edit{edit(2, 4, "")}, "01456789"},
		{"in any order", []Edit{edit(8, 9, "B"), edit(1, 2, "A")}, "0A234567B9"},
		{"neighbours", []Edit{edit(2, 4, "a"), edit(4, 6, "b")}, "01ab6789"},
		{"insert between neighbours", []Edit{edit(4, 6, "b"), edit(2, 4, "a"), edit(4, 4, "-")}, "01a-b6789"},
		{"two inserts at one place", []Edit{edit(3, 3, "a"), edit(3, 3, "b")}, "012ab3456789"},
		{"overlap", []Edit{edit(2, 5, "a"), edit(4, 6, "b")}, "!2 to 5 and 4 to 6 overlap"},
		{"the same twice", []Edit{edit(2, 5, "a"), edit(2, 5, "a")}, "!overlap"},
		{"insert inside of a replacement", []Edit{edit(2, 5, "a"), edit(3, 3, "b")}, "!overlap"},
		{"behind the text", []Edit{edit(9, 11, "a")}, "!out of a text of 10 bytes"},
		{"before the text", []Edit{edit(-1, 0, "a")}, "!out of a text"},
		{"turned round", []Edit{edit(5, 3, "a")}, "!out of a text"},
		{"two files", []Edit{edit(1, 1, "a"), {source.Span{File: source.NewFile("y.pipe", ""), Start: 2, End: 2}, ""}}, "!several files"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Apply(f.Text(), c.edits)
			want, wantErr := strings.CutPrefix(c.want, "!")
			switch {
			case wantErr && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("error %v, want %q", err, want)
			case wantErr && got != f.Text():
				t.Errorf("refused edits changed the text to %q", got)
			case !wantErr && (err != nil || got != want):
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		})
	}
}
