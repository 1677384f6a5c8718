package diag

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang/source"
)

// find returns the span of the first occurrence of a text in a file.
func find(f *source.File, text string) source.Span {
	i := strings.Index(f.Text(), text)
	if i < 0 {
		panic("no " + text)
	}
	return source.Span{File: f, Start: i, End: i + len(text)}
}

// at returns the empty span at an offset.
func at(f *source.File, offset int) source.Span {
	return source.Span{File: f, Start: offset, End: offset}
}

func file(text string) *source.File { return source.NewFile("words.pipe", text) }

// one returns a list of one error at the first occurrence of a text.
func one(text, place, label string) List {
	return List{{Code: "T0101", Severity: Error, Span: find(file(text), place), Message: "found `x`, wanted `y`", Label: label}}
}

var renderCases = []struct {
	name string
	o    Options
	list func() List
}{
	{"simple", Options{}, func() List { return one("use stdout\n\nlet a = b\n", "b\n"[:1], "is not known") }},
	{"no_label", Options{}, func() List { return one("let a = b", "let", "") }},
	{"tabs", Options{}, func() List { return one("if\t{\n\t\tlet a\t= bad\n}", "bad", "after tabs") }},
	{"tabs_inside", Options{}, func() List { return one("\tlet a\t=\tbad", "a\t=\t", "has tabs in it") }},
	{"only_tabs", Options{}, func() List { return one("let\t\ta", "\t\t", "here") }},
	{"crlf", Options{}, func() List { return one("use a\r\nlet bad\r\nuse c\r\n", "bad", "no CR here") }},
	{"crlf_itself", Options{}, func() List { return one("use a\r\nlet b\r\n", "\r\n", "the line end") }},
	{"wide", Options{}, func() List { return one(`let 世界 = "日本" + bad`, "bad", "behind wide characters") }},
	{"wide_marked", Options{}, func() List { return one("a 世界 b", "世界", "four cells") }},
	{"combining", Options{}, func() List { return one("let e\u0301e\u0301 = bad", "bad", "behind combining marks") }},
	{"emoji", Options{}, func() List {
		return one(`"👩‍👩‍👧 👍🏽 🇩🇪 ☺️" + bad`, "bad", "behind emoji sequences")
	}},
	{"byte_order_mark", Options{}, func() List { return one("\ufefflet bad", "bad", "in the first line") }},
	{"control", Options{}, func() List { return one("let \x1b[31m\x00\x7f\u0085 = bad", "bad", "behind \x1b[31m controls") }},
	{"bidi", Options{}, func() List { return one("let a = \"\u202e\u2066\" + b\u200b", "b", "is shown") }},
	{"ill_formed", Options{}, func() List { return one("let \xff\xe4\xb8 = bad", "bad", "") }},
	{"end_of_file", Options{}, func() List {
		f := file("bolt a {\n    emit\n")
		return List{{Code: "P0103", Severity: Error, Span: at(f, len(f.Text())), Message: "the file ends inside of a block", Label: "wanted `}`",
			Related: []Related{{find(f, "{"), "opened here"}}}}
	}},
	{"end_of_file_without_line_end", Options{}, func() List {
		f := file("bolt a {")
		return List{{Code: "P0103", Severity: Error, Span: at(f, len(f.Text())), Message: "the file ends inside of a block", Label: "wanted `}`"}}
	}},
	{"empty_file", Options{}, func() List {
		return List{{Code: "G0101", Severity: Error, Span: at(file(""), 0), Message: "there is no pipeline"}}
	}},
	{"two_lines", Options{}, func() List { return one("a = [\n    1,\n]\n", "[\n    1", "a list") }},
	{"three_lines", Options{}, func() List { return one("a = [\n\n    1,\n]\nb\n", "[\n\n    1,\n]", "a list") }},
	{"many_lines", Options{}, func() List {
		return one("x\na = [\n    1,\n    2,\n    3,\n    4,\n]\n", "[\n    1,\n    2,\n    3,\n    4,\n]\n", "a list")
	}},
	{"related_same_line", Options{}, func() List {
		f := file("let a = a + 1\n")
		return List{{Code: "N0102", Severity: Error, Span: find(f, "a + 1"), Message: "`a` is used in its own value", Label: "used here",
			Related: []Related{{find(f, "a"), "declared here"}}}}
	}},
	{"related_far", Options{}, func() List {
		f := file("let a = 1\n" + strings.Repeat("\n", 120) + "let a = 2\n")
		return List{{Code: "N0103", Severity: Error, Span: find(f, "a = 2"), Message: "`a` is declared twice", Label: "again",
			Related: []Related{{find(f, "a = 1"), "first here"}}}}
	}},
	{"related_other_file", Options{}, func() List {
		f, g := file("use \"./x.pipe\" as x\nlet a = x.b\n"), source.NewFile("x.pipe", "let _b = 1\n")
		return List{{Code: "N0104", Severity: Error, Span: find(f, "x.b"), Message: "`x` has no `b`", Label: "not found",
			Related: []Related{{find(g, "_b"), "this one is private"}, {source.Span{}, "the module has nothing else"}}}}
	}},
	{"notes", Options{}, func() List {
		l := one("let a = b", "b", "is not known")
		l[0].Notes = []string{"Names of nodes are of one pipeline.", "Known are:\na, c and \x1b]8;;d"}
		return l
	}},
	{"fix_insert", Options{}, func() List {
		l := one("let a = \"abc\nlet b = 1\n", "\"abc", "is not closed")
		end := l[0].Span
		end.Start = end.End
		l[0].Fixes = []Fix{{"close the string", []Edit{{end, `"`}}}}
		return l
	}},
	{"fix_replace_two_places", Options{}, func() List {
		l := one("let wrod = 1\n\n\nlet b = wrod + 1\n", "wrod + 1", "")
		f := l[0].Span.File
		first := find(f, "wrod")
		second := find(f, "wrod + 1")
		second.End = second.Start + 4
		l[0].Fixes = []Fix{{"rename it to `word`", []Edit{{second, "word"}, {first, "word"}}}}
		return l
	}},
	{"fix_remove_line", Options{}, func() List {
		l := one("use stdout\nuse http\nlet a = 1\n", "http", "is not used")
		l[0].Severity = Warning
		l[0].Fixes = []Fix{{"remove it", []Edit{{find(l[0].Span.File, "use http\n"), ""}}}}
		return l
	}},
	{"fix_new_lines", Options{}, func() List {
		l := one("pipeline p {\n}\n", "p {", "has no source")
		l[0].Fixes = []Fix{{"add one", []Edit{{find(l[0].Span.File, "}"), "    source x = gen.sequence()\n    x -> y\n}"}}}}
		return l
	}},
	{"fix_other_file", Options{}, func() List {
		l := one("let a = x.b\n", "x.b", "is private")
		g := source.NewFile("x.pipe", "let _b = 1\n")
		l[0].Fixes = []Fix{{"make it public", []Edit{{find(g, "_b"), "b"}}}, {"cannot be applied", []Edit{{find(g, "_b"), ""}, {find(g, "b"), ""}}}}
		return l
	}},
	{"long_line_middle", Options{Width: 60}, func() List {
		return one(strings.Repeat("abc ", 500)+"bad"+strings.Repeat(" xyz", 500), "bad", "in the middle")
	}},
	{"long_line_start", Options{Width: 60}, func() List { return one("bad"+strings.Repeat(" xyz", 500), "bad", "at the start") }},
	{"long_line_end", Options{Width: 60}, func() List { return one(strings.Repeat("世界 ", 50)+"bad", "bad", "at the end") }},
	{"long_line_wide_mark", Options{Width: 60}, func() List {
		return one("let a = "+strings.Repeat("abc ", 50), strings.Repeat("abc ", 50), "longer than the window")
	}},
	{"long_line_wide_characters", Options{Width: 60}, func() List {
		return one(strings.Repeat("世", 1000)+" bad "+strings.Repeat("界", 1000), "bad", "in the middle")
	}},
	{"long_line_fixed", Options{Width: 60}, func() List {
		l := one("bad\n"+strings.Repeat("abc ", 50)+"\n", "bad", "")
		f := l[0].Span.File
		whole := find(f, strings.Repeat("abc ", 50)+"\n")
		l[0].Fixes = []Fix{{"remove it", []Edit{{whole, ""}}}}
		return l
	}},
	{"long_line_two_places", Options{Width: 60}, func() List {
		f := file("let first = 1;" + strings.Repeat(" abc", 100) + "; let second = 2")
		return List{{Code: "N0103", Severity: Error, Span: find(f, "second"), Message: "twice", Label: "again", Related: []Related{{find(f, "first"), "first"}}}}
	}},
	{"no_place", Options{}, func() List { return List{{Severity: Error, Message: "two\nlines"}} }},
	{"no_place_but_related", Options{}, func() List {
		return List{{Code: "G0102", Severity: Note, Message: "this", Related: []Related{{find(file("let a"), "a"), "because of this"}}}}
	}},
	{"several", Options{}, func() List {
		f, g := file("let a = b\nlet c = d\n"), source.NewFile("a.pipe", "x")
		return List{
			{Code: "T0103", Severity: Warning, Span: find(f, "d"), Message: "`d` may be none"},
			{Code: "T0101", Severity: Error, Span: find(f, "b"), Message: "`b` is not known"},
			{Code: "T0101", Severity: Error, Span: find(f, "b"), Message: "`b` is not known"}, // told once
			{Code: "T0102", Severity: Note, Span: find(f, "c"), Message: "`c` is a name"},
			{Code: "T0101", Severity: Error, Span: find(g, "x"), Message: "`x` is not known"},
		}
	}},
	{"limit", Options{Limit: 3}, func() List {
		f := file("w1 w2 e1 w3 e2 w4")
		var l List
		for _, s := range []string{"w1", "w2", "e1", "w3", "e2", "w4"} {
			d := Diagnostic{Code: "T0101", Severity: Warning, Span: find(f, s), Message: s}
			if s[0] == 'e' {
				d.Severity = Error
			}
			l = append(l, d)
		}
		return l
	}},
}

func TestRender(t *testing.T) {
	for _, c := range renderCases {
		t.Run(c.name, func(t *testing.T) {
			golden.Check(t, "testdata/render/"+c.name+".txt", render(t, c.list(), c.o))
		})
	}
}

func render(t *testing.T, list List, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := Render(&b, list, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Colours add sequences, and change nothing else.
func TestRenderColour(t *testing.T) {
	sequence := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, c := range renderCases {
		plain := render(t, c.list(), c.o)
		c.o.Colour = true
		coloured := render(t, c.list(), c.o)
		if coloured == plain {
			t.Errorf("%s: no colours", c.name)
		}
		if got := sequence.ReplaceAllString(coloured, ""); got != plain {
			t.Errorf("%s: without its colours it is\n%s\nwant\n%s", c.name, got, plain)
		}
	}
	golden.Check(t, "testdata/render/coloured.txt", render(t, one("let a = b", "b", "is not known"), Options{Colour: true}))
}

func TestRenderNothing(t *testing.T) {
	if got := render(t, nil, Options{}); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestRenderLimit(t *testing.T) {
	f := file(strings.Repeat("x ", 30))
	var list List
	for i := range 30 {
		list = append(list, Diagnostic{Code: "T0101", Severity: Error, Span: at(f, 2*i), Message: "wrong"})
	}
	for limit, want := range map[int]int{0: 20, 5: 5, 30: 30, -1: 30} {
		text := render(t, list, Options{Limit: limit})
		if got := strings.Count(text, "error[T0101]"); got != want {
			t.Errorf("limit %d shows %d, want %d", limit, got, want)
		}
		if !strings.HasSuffix(text, "30 errors\n") {
			t.Errorf("limit %d: the closing line is not of all: %q", limit, text[max(0, len(text)-30):])
		}
	}
}

// A line of many megabytes must not cost in proportion, and what is printed of it stays small.
func TestRenderHugeLine(t *testing.T) {
	f := file(strings.Repeat("x", 8<<20) + "bad" + strings.Repeat("y", 8<<20))
	list := List{{Code: "T0101", Severity: Error, Span: find(f, "bad"), Message: "wrong"}}
	var text string
	perRun := testing.AllocsPerRun(1, func() { text = render(t, list, Options{}) })
	if perRun > 2000 || len(text) > 1000 {
		t.Errorf("%v allocations, %d bytes", perRun, len(text))
	}
}

// The mark stands in the terminal's column where the marked text starts, whatever stands before it.
func TestRenderHugeMessage(t *testing.T) {
	huge := strings.Repeat("é", 1_000_000)
	list := List{{Code: "N0102", Severity: Error, Message: huge, Notes: []string{huge}}}
	got := render(t, list, Options{})
	if len(got) > 3*longestSafe || strings.Count(got, "é…") != 2 {
		t.Errorf("%d bytes are shown of a message and a note of a megabyte", len(got))
	}
}

func TestMarkColumn(t *testing.T) {
	parts := []string{"a", "\t", "世", "e\u0301", "👩‍👩‍👧", "🇩🇪", " ", "\x01", "\xff", "ก็", "\u202e"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		line := ""
		for range random.IntN(30) {
			line += parts[random.IntN(len(parts))]
		}
		text := render(t, one(line+" bad", "bad", ""), Options{Width: 40 + random.IntN(200)})
		rows := strings.Split(text, "\n")
		before, _, _ := strings.Cut(rows[3], "bad")
		pad, _, _ := strings.Cut(rows[4], "^^^")
		if got, want := column(pad), column(before); got != want {
			t.Fatalf("the mark is in column %d, the place in %d:\n%s", got, want, text)
		}
	}
}

// column returns where a terminal with tab stops at every eighth column is after it has printed the text.
func column(text string) int {
	col := 0
	for i, part := range strings.Split(text, "\t") {
		if i > 0 {
			col = col/8*8 + 8
		}
		col += uniseg.StringWidth(part)
	}
	return col
}

// FuzzRender renders any text with any two places: it must not panic nor pass on what acts on a terminal.
func FuzzRender(f *testing.F) {
	for _, c := range renderCases {
		for _, d := range c.list() {
			if d.Span.IsValid() {
				f.Add(d.Span.File.Text(), d.Span.Start, d.Span.End, 0, 3, 60)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string, a, b, c, d, width int) {
		span := func(x, y int) source.Span {
			n := len(text) + 1
			x, y = ((x%n)+n)%n, ((y%n)+n)%n
			return source.Span{File: file(text), Start: min(x, y), End: max(x, y)}
		}
		list := List{{Code: "T0101", Severity: Error, Span: span(a, b), Message: text, Label: text,
			Related: []Related{{span(c, d), "there"}}, Fixes: []Fix{{"mend", []Edit{{span(a, b), text}}}}}}
		out := render(t, list, Options{Width: width % 200})
		for _, r := range out {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\u202e' || r == '\ufffd' && !strings.Contains(text, "\ufffd") {
				t.Fatalf("%q is printed for %q", r, text)
			}
		}
	})
}
