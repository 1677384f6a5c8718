package docs_test

import (
	"slices"
	"testing"

	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/docs"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
)

// library has two modules with a name that both declare, a function with two forms, and a prelude.
func library(t *testing.T) *docs.Library {
	t.Helper()
	var files []*ast.File
	for name, text := range map[string]string{
		"file.pipe": "// Files.\n\n/// Reads lines: one for each row of a text that somebody wrote, however long that may be, and goes on.\n" +
			"/// More.\n///\n///     file.lines(\"x\")\nsource lines(\n    path: string, max: int = 16MiB,\n) -> (line: string) replayable\n\n" +
			"/// Writes. And more.\nsink write(path: string) of record\n",
		"stdin.pipe":   "source lines() -> (line: string)\n",
		"prelude.pipe": "/// Counts letters.\nfn len(text: string) -> int\n\n/// Counts elements.\nfn len(items: [T]) -> int\n\naggregate count() -> int\n",
	} {
		file, list := parser.Parse(source.NewFile("stdlib/"+name, text))
		if list.HasErrors() {
			t.Fatal(list)
		}
		files = append(files, file)
	}
	cat, list := catalog.Load(files)
	if list.HasErrors() {
		t.Fatal(list)
	}
	cat.Settings = cat.Settings[:2]
	return docs.New(files, cat)
}

func TestPages(t *testing.T) {
	l := library(t)
	golden.Check(t, "testdata/index.txt", l.Index())
	golden.Check(t, "testdata/page.md", l.Markdown())
	for _, name := range []string{"file", "prelude", "file.lines", "write", "len", "reliability"} {
		page, ok := l.Lookup(name)
		if !ok {
			t.Errorf("%s is not found", name)
		}
		golden.Check(t, "testdata/"+name+".txt", page)
	}
}

func TestUnknown(t *testing.T) {
	l := library(t)
	for _, name := range []string{"lines", "file.line", "nothing", ""} { // `lines` is in two modules
		if _, ok := l.Lookup(name); ok {
			t.Errorf("%q is found", name)
		}
	}
	if got := l.EndingIn("lines"); !slices.Equal(got, []string{"file.lines", "stdin.lines"}) {
		t.Errorf("ending in lines: %v", got)
	}
	for _, want := range []string{"file", "file.write", "len", "timeout"} {
		if !slices.Contains(l.Names(), want) {
			t.Errorf("%s is no name", want)
		}
	}
}
