package main

import (
	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/stdlib"
)

// library returns the declarations of the standard library and the catalogue made of them. A mistake in them is ours.
func library() ([]*ast.File, *catalog.Catalog) {
	texts, err := stdlib.Texts()
	if err != nil {
		bug.Panicf("the standard library: %v", err)
	}
	var files []*ast.File
	for _, text := range texts {
		file, list := parser.Parse(text)
		if list.HasErrors() {
			bug.Panicf("the standard library: %s: %s", text.Name(), list[0].Message)
		}
		files = append(files, file)
	}
	cat, list := catalog.Load(files)
	if list.HasErrors() {
		bug.Panicf("the standard library: %s: %s", list[0].Span.File.Name(), list[0].Message)
	}
	return files, cat
}
