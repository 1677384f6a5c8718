package parser

import (
	"os"
	"testing"

	"github.com/pipec/pipec/lang/source"
)

// One mistake is told once: of programs with one token changed, nearly all have one error or none. The few others are
// changes that make several mistakes, as a brace that becomes a word.
func TestFollowOn(t *testing.T) {
	const sample = 3 // every so many tokens
	edited, twice := 0, 0
	for _, name := range []string{"wordcount", "orders", "fanout", "bodies", "flows"} {
		b, err := os.ReadFile("testdata/ok/" + name + ".pipe")
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		s := newScanner(source.NewFile(name, text))
		for toks := s.chunk(); len(toks) > 1; toks = s.chunk() {
			for i, tok := range toks {
				start, end := tok.Pos.Offset, tok.Pos.Column
				if i%sample != 0 || start == end {
					continue
				}
				for _, changed := range []string{
					text[:start] + text[end:],                                  // left out
					text[:end] + " " + text[start:end] + text[end:],            // doubled
					text[:start] + " zz " + text[end:],                         // another word
					text[:start] + " ( " + text[end:], text[:start] + text[:0], // a bracket; the text breaks off
				} {
					edited++
					if _, diags := Parse(source.NewFile(name, changed)); len(diags) > 1 {
						twice++
						if testing.Verbose() {
							t.Logf("%s: %q is changed: %s", s.span(start, end), tok.Value, list(diags))
						}
					}
				}
			}
		}
	}
	if edited == 0 || twice*100 > edited*3 {
		t.Errorf("%d of %d programs with one change have several errors", twice, edited)
	}
}
