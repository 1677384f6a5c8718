// Package asttest finds out, for tests, which nodes a package handles: the kinds of nodes are read from the source of
// package ast, the handled ones from the type switches of the package in hand. So a node that is added and forgotten
// somewhere fails a test there.
package asttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Kinds returns the names of the nodes that belong to a sum, which is named by its marker method: "decl", "typeExpr",
// "stmt", "expr", "pitem", "step" or "tstmt". folder is that of package ast.
func Kinds(t *testing.T, folder, marker string) []string {
	t.Helper()
	var names []string
	for _, f := range parse(t, folder) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != marker || fn.Recv == nil || fn.Type.Params.NumFields() > 0 {
				continue
			}
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
				if id, ok := star.X.(*ast.Ident); ok {
					names = append(names, id.Name)
				}
			}
		}
	}
	if len(names) == 0 {
		t.Fatalf("no node has the method %s", marker)
	}
	return names
}

// Handled returns the nodes that a package looks for: in a case of a type switch, or by a type assertion.
func Handled(t *testing.T, folder string) map[string]bool {
	t.Helper()
	handled := map[string]bool{}
	for _, f := range parse(t, folder) {
		ast.Inspect(f, func(n ast.Node) bool {
			var types []ast.Expr
			switch n := n.(type) {
			case *ast.CaseClause:
				types = n.List
			case *ast.TypeAssertExpr:
				types = []ast.Expr{n.Type}
			}
			for _, e := range types {
				if name, ok := nodeName(e); ok {
					handled[name] = true
				}
			}
			return true
		})
	}
	return handled
}

// nodeName returns X of the type *ast.X.
func nodeName(e ast.Expr) (string, bool) {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return "", false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return sel.Sel.Name, ok && pkg.Name == "ast"
}

func parse(t *testing.T, folder string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no Go files in %s: %v", folder, err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}
