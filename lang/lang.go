// Package lang is the one way from text to a checked program: check, run and the language server all go through it.
//
// It is pure: what it cannot know, the texts of files that are used, it asks of a Loader. Diagnostics of the parser and
// of the checker come in one list; the program is whole also where there are errors, as far as it goes.
package lang

import (
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
)

// Loader returns the text that `use "path"` in a file means. Two paths that mean the same file must give files of the
// same name. The error is shown to the user as it is.
type Loader func(from *source.File, path string) (*source.File, error)

// Catalog makes the catalogue of the texts of the standard library.
func Catalog(texts []*source.File) (*catalog.Catalog, diag.List) {
	var files []*ast.File
	var list diag.List
	for _, t := range texts {
		f, errs := parser.Parse(t)
		files, list = append(files, f), append(list, errs...)
	}
	cat, errs := catalog.Load(files)
	return cat, append(list, errs...).Sorted()
}

// Check parses and checks a program with all that it uses. A nil load reads nothing: every `use "path"` is an error
// then. The program may be run only if the list has no error.
func Check(main *source.File, cat *catalog.Catalog, load Loader) (*check.Program, diag.List) {
	l := &loading{load: load, parsed: map[string]*ast.File{}, imports: map[*ast.Use]*ast.File{}}
	f := l.file(main)
	program, list := check.Check(check.Input{Main: f, Imports: l.imports, Catalog: cat, Broken: l.list.HasErrors(), Told: l.list})
	return program, append(l.list, list...).Sorted()
}

// loading parses a file and, depth first, the files that it uses. A file that is used twice is parsed once.
type loading struct {
	load    Loader
	parsed  map[string]*ast.File // by the name that the loader gave
	open    []string             // names of the files from the main one to the one in hand
	imports map[*ast.Use]*ast.File
	list    diag.List
}

func (l *loading) file(text *source.File) *ast.File {
	f, errs := parser.Parse(text)
	l.list = append(l.list, errs...)
	l.parsed[text.Name()] = f
	l.open = append(l.open, text.Name())
	for _, d := range f.Decls {
		if u, ok := d.(*ast.Use); ok && u.Path != nil {
			l.use(text, u)
		}
	}
	l.open = l.open[:len(l.open)-1]
	return f
}

func (l *loading) use(from *source.File, u *ast.Use) {
	if l.load == nil {
		l.errorf(diag.ImportUnreadable, u.Path.Span(), "files cannot be used here")
		return
	}
	text, err := l.load(from, catalog.Text(u.Path))
	if err != nil {
		l.errorf(diag.ImportUnreadable, u.Path.Span(), "the file cannot be read: "+err.Error())
		return
	}
	for i, name := range l.open {
		if name == text.Name() {
			path := append(append([]string{}, l.open[i:]...), name)
			l.errorf(diag.ImportCycle, u.Path.Span(), "the files use each other in a circle: `"+strings.Join(path, " -> ")+"`")
			return
		}
	}
	f := l.parsed[text.Name()]
	if f == nil {
		f = l.file(text)
	}
	l.imports[u] = f
}

func (l *loading) errorf(code diag.Code, at source.Span, message string) {
	l.list = append(l.list, diag.Diagnostic{Code: code, Severity: diag.Error, Span: at, Message: message})
}
