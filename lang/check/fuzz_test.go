package check_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// checkAnything checks a text and demands what holds for any: no panic, places inside of the text, and mends that can
// be applied.
func checkAnything(t *testing.T, text string) {
	t.Helper()
	f := source.NewFile("fuzz.pipe", text)
	_, list := checkText(f)
	for _, d := range list {
		if d.Code == "" || d.Severity == 0 || d.Message == "" {
			t.Errorf("a diagnostic without code, severity or message: %v", d)
		}
		if !inside(d.Span) {
			t.Errorf("%s %q has no place in its text: %d to %d", d.Code, d.Message, d.Span.Start, d.Span.End)
		}
		for _, r := range d.Related {
			if !inside(r.Span) {
				t.Errorf("%s %q: %q has no place in its text", d.Code, d.Message, r.Text)
			}
		}
		for _, fix := range d.Fixes {
			if len(fix.Edits) == 0 {
				t.Errorf("%s %q: the mend %q has no edit", d.Code, d.Message, fix.Title)
				continue
			}
			if _, err := diag.Apply(fix.Edits[0].Span.File.Text(), fix.Edits); err != nil {
				t.Errorf("%s %q: the mend %q: %v", d.Code, d.Message, fix.Title, err)
			}
		}
	}
}

func inside(at source.Span) bool {
	return at.File != nil && 0 <= at.Start && at.Start <= at.End && at.End <= len(at.File.Text())
}

// seeds are the programs of both corpora and of the catalogue.
func seeds(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, f := range corpus(t, "wrong") {
		texts = append(texts, f.Text())
	}
	for _, f := range corpus(t, "right") {
		texts = append(texts, f.Text())
	}
	for _, p := range diag.Pages() {
		texts = append(texts, p.Example)
	}
	for i, s := range texts {
		texts[i] = strings.TrimLeft(s, "\n")
	}
	return texts
}

func FuzzCheck(f *testing.F) {
	for _, p := range diag.Pages() {
		f.Add(p.Example)
		f.Add(p.Fix)
	}
	f.Fuzz(checkAnything)
}

var tokens = regexp.MustCompile(`[A-Za-z_]+|"[^"\n]*"|\d[\w.]*|->|\.\.|\?\.|\n|\S`)

// TestMutants checks programs of the corpora in which a token was left out, doubled, or exchanged for another one of
// any program: most have mistakes that nobody thought of.
func TestMutants(t *testing.T) {
	texts := seeds(t)
	var words []string
	for _, s := range texts {
		words = append(words, tokens.FindAllString(s, -1)...)
	}
	n := 4000
	if testing.Short() {
		n = 400
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		text := texts[r.IntN(len(texts))]
		for range 1 + r.IntN(3) {
			at := tokens.FindAllStringIndex(text, -1)
			if len(at) == 0 {
				break
			}
			i := at[r.IntN(len(at))]
			by := words[r.IntN(len(words))]
			switch r.IntN(4) {
			case 0:
				by = ""
			case 1:
				by = text[i[0]:i[1]] + " " + text[i[0]:i[1]]
			}
			text = text[:i[0]] + by + text[i[1]:]
		}
		checkAnything(t, text)
		if t.Failed() {
			t.Fatalf("in the program\n%s", text)
		}
	}
}
