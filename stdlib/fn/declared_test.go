package fn_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/exec/expr"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
	"github.com/pipec/pipec/stdlib"
	"github.com/pipec/pipec/stdlib/fn"
)

// loadDeclared reads the declarations of the standard library.
func loadDeclared(t *testing.T) *catalog.Catalog {
	t.Helper()
	texts, err := stdlib.Texts()
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, text := range texts {
		f, told := parser.Parse(text)
		for _, d := range told {
			t.Errorf("%s: %s", d.Span, d.Message)
		}
		files = append(files, f)
	}
	cat, told := catalog.Load(files)
	for _, d := range told {
		t.Errorf("%s: %s", d.Span, d.Message)
	}
	return cat
}

// forms returns all declared functions by full name, each with its forms.
func forms(cat *catalog.Catalog) map[string][]*catalog.Func {
	found := map[string][]*catalog.Func{}
	for _, m := range cat.Modules {
		for _, f := range m.Funcs {
			for ; f != nil; f = f.Next {
				found[f.FullName()] = append(found[f.FullName()], f)
			}
		}
	}
	return found
}

func TestEveryDeclarationHasCode(t *testing.T) {
	declared, table := forms(loadDeclared(t)), fn.Table()
	for name, list := range declared {
		f, ok := table[name]
		if !ok {
			t.Errorf("%s is declared and not implemented", name)
			continue
		}
		if f.Name != name || (f.Row == nil) == (f.Bind == nil) {
			t.Errorf("%s is called %s, or has not exactly one implementation", name, f.Name)
		}
		if fallible := slices.ContainsFunc(list, func(f *catalog.Func) bool { return f.Fallible }); fallible != f.Fallible {
			t.Errorf("%s is fallible: declared %v, implemented %v", name, fallible, f.Fallible)
		}
		for _, form := range list {
			if len(form.Doc) == 0 {
				t.Errorf("%s has no documentation", name)
			}
		}
		if name != "now" && len(examples(list)) == 0 {
			t.Errorf("%s has no example", name)
		}
	}
	for name := range table {
		if declared[name] == nil {
			t.Errorf("%s is implemented and not declared", name)
		}
	}
}

// examples returns the indented lines of a function's documentation.
func examples(list []*catalog.Func) []string {
	var found []string
	for _, f := range list {
		for _, line := range f.Doc {
			if text, ok := strings.CutPrefix(line, "    "); ok {
				found = append(found, text)
			}
		}
	}
	return found
}

// Every example is a condition of the language, and it holds.
func TestExamplesHold(t *testing.T) {
	l := &lowerer{funcs: forms(loadDeclared(t))}
	env := expr.NewEnv(nil, fn.Table())
	for name, list := range l.funcs {
		for _, example := range examples(list) {
			t.Run(name, func(t *testing.T) {
				e, told := parser.ParseExpr(source.NewFile(name, example))
				if len(told) > 0 {
					t.Fatalf("%s: %s", example, told[0].Message)
				}
				if !strings.Contains(example, name+"(") {
					t.Fatalf("%s does not call it", example)
				}
				l.t = t
				got, err := expr.CompileExpr(env, l.expr(e)).Eval(&expr.Frame{})
				if err != nil || got.Kind() != value.Bool || !got.Bool() {
					t.Errorf("%s is %v (%v)", example, got, err)
				}
			})
		}
	}
}

// lowerer turns the expressions that examples are written in into those of a plan. It is as little of a checker as
// they need.
type lowerer struct {
	t     *testing.T
	funcs map[string][]*catalog.Func
}

func (l *lowerer) expr(e ast.Expr) plan.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.expr(e.X)
	case *ast.BasicLit:
		v, t, ok := catalog.BasicLit(e)
		if !ok {
			l.t.Fatalf("%s is no literal", e.Text)
		}
		return &plan.Const{X: plan.X{T: t}, Value: v}
	case *ast.StrLit:
		return &plan.Const{X: plan.X{T: types.String}, Value: value.OfString(catalog.Text(e))}
	case *ast.UnaryExpr:
		x := l.expr(e.X)
		return &plan.Unary{X: plan.X{T: x.Type()}, Op: plan.Neg, Operand: x}
	case *ast.BinaryExpr:
		if e.Op != "==" {
			l.t.Fatalf("operator %s", e.Op)
		}
		return &plan.Binary{X: plan.X{T: types.Bool}, Op: plan.Eq, Left: l.expr(e.X), Right: l.expr(e.Y)}
	case *ast.ElseExpr:
		x, other := l.expr(e.X), l.expr(e.Value)
		if types.IsOptional(x.Type()) {
			return &plan.Coalesce{X: plan.X{T: types.Bare(x.Type())}, Operand: x, Else: other}
		}
		return &plan.Try{X: plan.X{T: x.Type()}, Operand: x, Else: other, Slot: -1}
	case *ast.ListExpr:
		elems, t := l.all(e.Elems)
		return &plan.MakeList{X: plan.X{T: &types.List{Elem: t}}, Elems: elems}
	case *ast.MapExpr:
		var keys, values []ast.Expr
		for _, entry := range e.Entries {
			keys, values = append(keys, entry.Key), append(values, entry.Value)
		}
		k, kt := l.all(keys)
		v, vt := l.all(values)
		return &plan.MakeMap{X: plan.X{T: &types.Map{Key: kt, Elem: vt}}, Keys: k, Elems: v}
	case *ast.CallExpr:
		return l.call(e)
	}
	l.t.Fatalf("examples do not use %T", e)
	return nil
}

func (l *lowerer) all(list []ast.Expr) ([]plan.Expr, types.Type) {
	var t types.Type = types.Never
	out := make([]plan.Expr, len(list))
	for i, e := range list {
		out[i] = l.expr(e)
		t = out[i].Type()
	}
	return out, t
}

func (l *lowerer) call(e *ast.CallExpr) plan.Expr {
	name := ""
	switch f := e.Fun.(type) {
	case *ast.NameExpr:
		name = f.Name.Name
	case *ast.MemberExpr:
		name = f.X.(*ast.NameExpr).Name.Name + "." + f.Name.Name
	}
	for _, f := range l.funcs[name] {
		args := make([]plan.Expr, len(f.Params))
		for i, item := range e.Args {
			at := i
			if item.Name != nil {
				at = slices.IndexFunc(f.Params, func(p catalog.Param) bool { return p.Name == item.Name.Name })
			}
			args[at] = l.expr(item.Value)
		}
		b, fits := types.Bindings{}, true
		for i, p := range f.Params {
			if args[i] == nil {
				args[i] = &plan.Const{X: plan.X{T: p.Type}, Value: p.Default}
			}
			fits = fits && b.Infer(p.Type, args[i].Type())
		}
		if fits {
			return &plan.Call{X: plan.X{T: b.Put(f.Result)}, Func: name, Args: args}
		}
	}
	l.t.Fatalf("no form of %s fits", name)
	return nil
}
