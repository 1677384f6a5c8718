package diag

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pipec/pipec/internal/golden"
)

func TestPagesAreWellFormed(t *testing.T) {
	_, faults := parseCatalogue(catalogueFiles)
	for _, err := range faults {
		t.Error(err)
	}
	for _, p := range Pages() {
		if strings.Contains(p.Meaning, "\n\n\n") || !strings.HasSuffix(p.Meaning, ".") && !strings.HasSuffix(p.Meaning, "`") {
			t.Errorf("%s: the meaning is not made of whole sentences: %q", p.Code, p.Meaning)
		}
	}
}

// Every constant has the page of its code under its name, and every page has its constant.
func TestConstantsHavePages(t *testing.T) {
	names := map[Code]string{}
	declared := constants(t)
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		code := declared[name]
		if other, twice := names[code]; twice {
			t.Errorf("%s and %s are both %s", name, other, code)
		}
		names[code] = name
		if !isCode(string(code)) || !isName(name) {
			t.Errorf("%s = %q is not a name and a code", name, code)
		}
		if p, ok := Lookup(code); !ok {
			t.Errorf("%s %s has no page: add \"## %s %s\" to catalogue/%.1s.md", code, name, code, name, code)
		} else if p.Name != name {
			t.Errorf("%s is the constant %s, but its page is called %s", code, name, p.Name)
		}
	}
	for _, code := range Codes() {
		if names[code] == "" {
			t.Errorf("%s has a page, but no constant in codes.go", code)
		}
	}
}

// constants reads the names and values of the constants of type Code.
func constants(t *testing.T) map[string]Code {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Code{}
	for _, d := range f.Decls {
		for _, s := range d.(*ast.GenDecl).Specs {
			v, ok := s.(*ast.ValueSpec)
			if !ok {
				continue
			}
			if id, ok := v.Type.(*ast.Ident); !ok || id.Name != "Code" || len(v.Names) != 1 {
				t.Errorf("%s is not declared as `Name Code = \"P0101\"`", v.Names[0])
				continue
			}
			code, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			found[v.Names[0].Name] = Code(code)
		}
	}
	return found
}

func TestLookup(t *testing.T) {
	codes := Codes()
	if !slices.IsSorted(codes) {
		t.Errorf("the codes are not in order: %v", codes)
	}
	if _, ok := Lookup("P9999"); ok {
		t.Error("P9999 has a page")
	}
	for _, c := range codes {
		if p, ok := Lookup(c); !ok || p.Code != c {
			t.Errorf("Lookup(%s) = %s, %v", c, p.Code, ok)
		}
	}
}

const samplePage = `P0101 StrayByte

A byte that begins no token.

More about it.

Example:

    use stdout
    #

    let a = 1
    -- other.pipe --
    let b = 2

Fix:

    use stdout
`

func TestPage(t *testing.T) {
	p, err := parsePage(samplePage)
	if err != nil {
		t.Fatal(err)
	}
	want := Page{"P0101", "StrayByte", "A byte that begins no token.\n\nMore about it.",
		"use stdout\n#\n\nlet a = 1\n-- other.pipe --\nlet b = 2\n", "use stdout\n"}
	if p != want {
		t.Errorf("got  %#v\nwant %#v", p, want)
	}
	if got := p.Text(); got != samplePage {
		t.Errorf("as text it is\n%s\nwant\n%s", got, samplePage)
	}
	files := Programs(p.Example)
	if !slices.Equal(files, []Program{{MainProgram, "use stdout\n#\n\nlet a = 1\n"}, {"other.pipe", "let b = 2\n"}}) {
		t.Errorf("its files are %q", files)
	}
	golden.Check(t, "testdata/page.md", Markdown(p))
	golden.Check(t, "testdata/index.md", MarkdownIndex([]Page{p, {Code: "T0101", Name: "Wrong", Meaning: "It is\nwrong."}, {Code: "T0102", Name: "Worse", Meaning: "Worse."}}))
}

func TestPagesRefused(t *testing.T) {
	for _, c := range []struct{ edit, by, want string }{
		{"P0101 StrayByte", "StrayByte P0101", "is not a code and a name"},
		{"P0101", "Z0101", "is not a code and a name"},
		{"P0101", "P101", "is not a code and a name"},
		{"StrayByte", "stray byte", "is not a code and a name"},
		{"Example:", "Examples:", "lacks a line"},
		{"Fix:", "Mended:", "lacks a line"},
		{"    #", "  #", "is not indented"},
		{"Fix:\n\n    use stdout\n", "Fix:\n", "no program"},
		{"A byte that begins no token.\n\nMore about it.\n", "", "does not say"},
	} {
		text := "# Syntax\n\n## " + strings.Replace(samplePage, c.edit, c.by, 1)
		pages, faults := parseCatalogue(fstest.MapFS{"catalogue/P.md": {Data: []byte(text)}})
		if len(pages) != 0 || len(faults) != 1 || !strings.Contains(faults[0].Error(), c.want) {
			t.Errorf("%q for %q: %d pages, faults %v, want %q", c.by, c.edit, len(pages), faults, c.want)
		}
	}
	page := []byte("## " + samplePage)
	if _, faults := parseCatalogue(fstest.MapFS{"catalogue/N.md": {Data: page}}); len(faults) != 1 {
		t.Errorf("a page in the file of another letter: faults %v", faults)
	}
	if _, faults := parseCatalogue(fstest.MapFS{"catalogue/P.md": {Data: slices.Concat(page, page)}}); len(faults) != 1 {
		t.Errorf("two pages of one code: faults %v", faults)
	}
}

// TestDocs keeps docs/diagnostics equal to the catalogue, and rewrites it under -update.
func TestDocs(t *testing.T) {
	const dir = "../../docs/diagnostics"
	want := map[string]bool{"README.md": true}
	golden.Check(t, filepath.Join(dir, "README.md"), MarkdownIndex(Pages()))
	for _, p := range Pages() {
		name := fmt.Sprintf("%s.md", p.Code)
		want[name] = true
		golden.Check(t, filepath.Join(dir, name), Markdown(p))
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if want[f.Name()] {
			continue
		}
		if !*golden.Update {
			t.Errorf("%s is of no page", filepath.Join(dir, f.Name()))
		} else if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
			t.Error(err)
		}
	}
}
