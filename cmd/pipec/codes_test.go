package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pipec/pipec/lang/diag"
)

// TestEveryCodeHasAPage demands that each code that a package writes as a string, as connectors do, which do not know
// the catalogue, is one that `pipec explain` knows.
func TestEveryCodeHasAPage(t *testing.T) {
	code := regexp.MustCompile(`^[A-Z]\d{4}$`)
	seen := 0
	for _, folder := range []string{"../../stdlib", "../../exec", "../../compiler", "../../lang"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				if s, err := strconv.Unquote(lit.Value); err == nil && code.MatchString(s) {
					seen++
					if _, known := diag.Lookup(diag.Code(s)); !known {
						t.Errorf("%s: %s has no page in the catalogue", path, s)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Errorf("only %d codes were found", seen)
	}
}
