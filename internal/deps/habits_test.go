package deps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Nothing happens by being linked in: what exists is listed where it is used.
func TestNoInit(t *testing.T) {
	for _, f := range load(t, true) {
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: func init: call it, or list it, where it is needed", f.at(fn))
			}
		}
	}
}

// Who waits for a clock is slow on a fast machine and wrong on a slow one. Tests wait for events, or use
// testing/synctest; code uses timers that can be stopped.
func TestNoSleep(t *testing.T) {
	for _, f := range load(t, true) {
		f.eachUse(func(n ast.Node, path, name string) {
			if path == "time" && name == "Sleep" {
				t.Errorf("%s: time.Sleep: wait for the event itself", f.at(n))
			}
		})
	}
}

// mostLines is how long a source file may be; tests may be longer.
const mostLines = 600

func TestFileLength(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range load(t, true) {
		if f.test {
			continue
		}
		allowed, waived := longFiles[f.path]
		seen[f.path] = true
		switch {
		case f.lines > max(allowed, mostLines):
			t.Errorf("%s has %d lines, more than %d: split it by purpose", f.path, f.lines, max(allowed, mostLines))
		case waived && f.lines <= mostLines:
			t.Errorf("%s is short enough now: take it out of longFiles in internal/deps/rules_test.go", f.path)
		case waived && f.lines < allowed:
			t.Errorf("%s has only %d lines now: lower its figure in longFiles in internal/deps/rules_test.go", f.path, f.lines)
		}
	}
	for path := range longFiles {
		if !seen[path] {
			t.Errorf("%s is in longFiles in internal/deps/rules_test.go, but does not exist", path)
		}
	}
}

func TestDocumented(t *testing.T) {
	packages := map[string]bool{}
	for _, f := range load(t, true) {
		if f.test {
			continue
		}
		packages[f.pkg] = packages[f.pkg] || f.syntax.Doc != nil
		for _, n := range undocumented(f.syntax) {
			t.Errorf("%s: %s is exported and has no comment", f.at(n), n.Name)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		if !packages[pkg] {
			t.Errorf("package %s has no comment that says what it is for", pkg)
		}
	}
}

// plainMethods say all by their names.
var plainMethods = []string{"String", "Error", "Unwrap"}

// undocumented returns the exported names without a comment. In a group of constants or variables, the group's comment
// or one beside the line is enough.
func undocumented(f *ast.File) []*ast.Ident {
	var bare []*ast.Ident
	add := func(name *ast.Ident, docs ...*ast.CommentGroup) {
		documented := slices.ContainsFunc(docs, func(c *ast.CommentGroup) bool { return c != nil })
		if name.IsExported() && !documented {
			bare = append(bare, name)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(receiver(d)) && !slices.Contains(plainMethods, d.Name.Name) {
				add(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name, d.Doc, s.Doc, s.Comment)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						add(name, d.Doc, s.Doc, s.Comment)
					}
				}
			}
		}
	}
	return bare
}

// receiver returns the name of the type that a method is of.
func receiver(d *ast.FuncDecl) string {
	x := d.Recv.List[0].Type
	for {
		switch y := x.(type) {
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.IndexListExpr:
			x = y.X
		case *ast.Ident:
			return y.Name
		default:
			return ""
		}
	}
}

// Package variables are tables: nothing assigns to one, or to a part of one, after its declaration.
func TestNoGlobalState(t *testing.T) {
	packages := map[string][]*file{}
	for _, f := range load(t, true) {
		if !f.test {
			packages[f.pkg+" "+f.name] = append(packages[f.pkg+" "+f.name], f)
		}
	}
	for _, files := range packages {
		globals := map[string]bool{}
		for _, f := range files {
			for _, name := range globalsOf(f.syntax) {
				globals[name] = true
			}
		}
		for _, f := range files {
			for _, n := range assigned(f.syntax, globals) {
				t.Errorf("%s assigns to the package variable %s: keep state in a value that its user owns", f.at(n), n.Name)
			}
		}
	}
}

func globalsOf(f *ast.File) []string {
	var names []string
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					if n.Name != "_" {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// assigned returns the places in functions where one of the globals, or a part of one, is assigned. A local name hides
// a global one in the whole of its function: that may miss an assignment, and never invents one.
func assigned(f *ast.File, globals map[string]bool) []*ast.Ident {
	var found []*ast.Ident
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		local := localsOf(fn)
		target := func(x ast.Expr) {
			if id := root(x); id != nil && globals[id.Name] && !local[id.Name] {
				found = append(found, id)
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					for _, x := range n.Lhs {
						target(x)
					}
				}
			case *ast.IncDecStmt:
				target(n.X)
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear") && len(n.Args) > 0 {
					target(n.Args[0])
				}
			}
			return true
		})
	}
	return found
}

// localsOf returns every name that a function declares: parameters, variables, and those of function literals in it.
func localsOf(fn *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	add := func(xs ...ast.Expr) {
		for _, x := range xs {
			if id, ok := x.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// root returns the variable that an assignment to x changes: t of t[i], t.f, *t and (t).
func root(x ast.Expr) *ast.Ident {
	for {
		switch y := x.(type) {
		case *ast.Ident:
			return y
		case *ast.IndexExpr:
			x = y.X
		case *ast.SelectorExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.ParenExpr:
			x = y.X
		default:
			return nil
		}
	}
}

// Values of the language have types of their own. The only `any` in an exported signature is the variadic one of
// formatting.
func TestNoAnyValues(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range load(t, false) {
		if f.test || !fitsAny([]string{"lang/...", "compiler/...", "exec/...", "stdlib/..."}, f.pkg) {
			continue
		}
		for _, n := range anyNames(f.syntax) {
			name := f.pkg + "." + n.Name
			seen[name] = true
			if !anyValues[name] {
				t.Errorf("%s: %s has `any` in its exported form: give the value a type", f.at(n), n.Name)
			}
		}
	}
	for name := range anyValues {
		if !seen[name] {
			t.Errorf("%s has no `any` now: take it out of anyValues in internal/deps/rules_test.go", name)
		}
	}
}

// anyNames returns the exported functions and types with a parameter, result or field of type any.
func anyNames(f *ast.File) []*ast.Ident {
	var found []*ast.Ident
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) && hasAny(d.Type) {
				found = append(found, d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() && hasAny(s.Type) {
					found = append(found, s.Name)
				}
			}
		}
	}
	return found
}

func hasAny(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ellipsis:
			return false
		case *ast.Field:
			if len(n.Names) > 0 && !slices.ContainsFunc(n.Names, (*ast.Ident).IsExported) {
				if _, isFunc := x.(*ast.FuncType); !isFunc {
					return false // an unexported field
				}
			}
		case *ast.Ident:
			found = found || n.Name == "any"
		case *ast.InterfaceType:
			found = found || len(n.Methods.List) == 0
		}
		return true
	})
	return found
}

// Every code of the catalogue is used by code: a rule that nothing enforces is none. Connectors do not see the catalogue
// and write the code itself.
func TestCodesAreUsed(t *testing.T) {
	files := load(t, false)
	codes := map[string]bool{}
	written := map[string]string{} // by the code as Go text, with its quotes
	for _, f := range files {
		if f.path != "lang/diag/codes.go" {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				codes[v.Names[0].Name] = false
				if lit, ok := v.Values[0].(*ast.BasicLit); ok {
					written[lit.Value] = v.Names[0].Name
				}
			}
			return true
		})
	}
	if len(codes) == 0 {
		t.Fatal("no codes found")
	}
	for _, f := range files {
		if f.test {
			continue
		}
		if strings.HasPrefix(f.path, "stdlib/") {
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && written[lit.Value] != "" {
					codes[written[lit.Value]] = true
				}
				return true
			})
		}
		f.eachUse(func(_ ast.Node, path, name string) {
			if path == module+"/lang/diag" {
				codes[name] = true
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(codes)) {
		if !codes[name] {
			t.Errorf("diag.%s is reported nowhere", name)
		}
	}
}

// The checks themselves must see what they are there to see.
func TestHabitChecks(t *testing.T) {
	const text = `package p

var table = map[string]int{}
var n int
var _ = n

// Doc is documented.
func Doc(format string, args ...any) {}

func Bare() { table["a"] = 1; n++; local := 1; local = 2 }
func (t *T) Bare2(v any) {}
func (t *t) Hidden(v any) {}
func (t *T) String() string { return "" }
func hides(n int) { _, n = n, 1; delete(table, "a") }

type T struct { a any }
type U struct { V interface{} } // U is documented.
const (
	A = 1 // A is documented.
	B = 2
)
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	names := func(ids []*ast.Ident) string {
		var s []string
		for _, id := range ids {
			s = append(s, id.Name)
		}
		return strings.Join(s, " ")
	}
	if got := names(undocumented(f)); got != "Bare Bare2 T B" {
		t.Errorf("undocumented: %s", got)
	}
	if got := names(assigned(f, map[string]bool{"table": true, "n": true})); got != "table n table" {
		t.Errorf("assigned: %s", got)
	}
	if got := names(anyNames(f)); got != "Bare2 U" {
		t.Errorf("any: %s", got)
	}
}
