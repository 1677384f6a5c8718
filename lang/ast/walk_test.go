package ast

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// every is one node of each type. TestEveryNodeIsListed demands that none is missing.
var every = []Node{
	&File{}, &Comment{}, &Ident{}, &Ref{}, &Use{}, &TypeDecl{}, &LetDecl{}, &ParamDecl{}, &Param{}, &FnDecl{},
	&TableDecl{}, &SigDecl{}, &Trait{}, &BoltDecl{}, &Output{}, &Keyword{}, &Policy{}, &By{}, &Window{},
	&PipelineDecl{}, &TestDecl{}, &BadDecl{}, &TypeRef{}, &RecordType{}, &FieldDef{}, &ListType{}, &MapType{},
	&EnumType{}, &OptionalType{}, &BadType{}, &Block{}, &LetStmt{}, &StateStmt{}, &EmitStmt{}, &IfStmt{}, &ForStmt{},
	&DropStmt{}, &FailStmt{}, &ReturnStmt{}, &BreakStmt{}, &ContinueStmt{}, &AssignStmt{}, &BadStmt{}, &BasicLit{},
	&StrLit{}, &StrText{}, &NameExpr{}, &MemberExpr{}, &IndexExpr{}, &CallExpr{}, &Item{}, &ParenExpr{}, &RecordExpr{},
	&ListExpr{}, &MapExpr{}, &MapEntry{}, &CompExpr{}, &IfExpr{}, &UnaryExpr{}, &BinaryExpr{}, &ElseExpr{}, &BadExpr{},
	&SettingItem{}, &NodeItem{}, &BoltItem{}, &JoinItem{}, &FlowItem{}, &Hop{}, &Grouping{}, &BadItem{}, &CallStep{},
	&BranchStep{}, &Branch{}, &RouteStep{}, &Case{}, &WhereStep{}, &SelectStep{}, &FlatStep{}, &AggregateStep{},
	&DedupStep{}, &LimitStep{}, &SampleStep{}, &TopStep{}, &BadStep{}, &FeedStmt{}, &AdvanceStmt{}, &EndStmt{},
	&SetStmt{}, &SwapStmt{}, &ExpectStmt{}, &FaultStmt{}, &BadTStmt{},
}

func TestEveryNodeIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, n := range every {
		listed[reflect.TypeOf(n).Elem().Name()] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && embedsBase(spec) {
				found++
				if !listed[spec.Name.Name] {
					t.Errorf("%s is a node, but not in the list of this test", spec.Name.Name)
				}
			}
			return true
		})
	}
	if found != len(every) {
		t.Errorf("%d node types are declared, %d are listed", found, len(every))
	}
}

func embedsBase(spec *ast.TypeSpec) bool {
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return false
	}
	for _, f := range s.Fields.List {
		if id, ok := f.Type.(*ast.Ident); ok && len(f.Names) == 0 && id.Name == "Base" {
			return true
		}
	}
	return false
}

// Children returns what stands in the fields of a node, all of it and once, and leaves out what is nil.
func TestChildren(t *testing.T) {
	for _, n := range every {
		if got := Children(n); len(got) != 0 {
			t.Errorf("an empty %T has %d children", n, len(got))
		}
		v := reflect.New(reflect.TypeOf(n).Elem())
		want := map[Node]bool{}
		fill(v.Elem(), want)
		for _, c := range Children(v.Interface().(Node)) {
			if !want[c] {
				t.Errorf("%T: the child %T is none of its fields, or comes twice", n, c)
			}
			delete(want, c)
		}
		for c := range want {
			t.Errorf("%T: no child for a field of type %T", n, c)
		}
	}
}

var nodeType = reflect.TypeFor[Node]()

// fill puts a node of its own into each field of v that can hold one.
func fill(v reflect.Value, made map[Node]bool) {
	for i := range v.NumField() {
		f := v.Field(i)
		t := f.Type()
		switch {
		case t == reflect.TypeFor[Base](), t == reflect.TypeFor[[]*Comment](): // beside the tree
		case v.Type().Field(i).Anonymous:
			fill(f, made)
		case t.Implements(nodeType):
			f.Set(make1(t, made))
		case t.Kind() == reflect.Slice && t.Elem().Implements(nodeType):
			f.Set(reflect.Append(f, make1(t.Elem(), made), make1(t.Elem(), made)))
		}
	}
}

// make1 returns a node that fits the type t.
func make1(t reflect.Type, made map[Node]bool) reflect.Value {
	for _, n := range every {
		if have := reflect.TypeOf(n); have == t || t.Kind() == reflect.Interface && have.Implements(t) {
			v := reflect.New(have.Elem())
			made[v.Interface().(Node)] = true
			return v
		}
	}
	panic("no node fits " + t.String())
}

func TestWalkStops(t *testing.T) {
	name := &Ident{Name: "x"}
	tree := &UnaryExpr{Op: "-", X: &NameExpr{Name: name}}
	var seen []Node
	Walk(tree, func(n Node) bool {
		seen = append(seen, n)
		return n == Node(tree)
	})
	if len(seen) != 2 {
		t.Errorf("visited %d nodes, not 2: a part was visited although its whole said no", len(seen))
	}
	Walk(nil, func(Node) bool { t.Error("nil was visited"); return true })
	var none *Block
	Walk(none, func(Node) bool { t.Error("a nil block was visited"); return true })
}
