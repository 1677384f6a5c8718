package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"
)

// allKinds has one value of every expression and statement; TestKindsAreComplete compares it with the source.
var allKinds = []any{
	&Const{}, &Input{}, &Local{}, &State{}, &Key{}, &AggResult{}, &Bound{}, &Unary{}, &Binary{}, &If{}, &Coalesce{},
	&Try{}, &OrExit{}, &Member{}, &Index{}, &MakeRecord{}, &MakeList{}, &MakeMap{}, &Comp{}, &Interp{}, &Convert{},
	&Call{}, &CallFn{},
	&SetLocal{}, &SetState{}, &SetIndex{}, &Emit{}, &IfStmt{}, &For{}, &Drop{}, &Fail{}, &Return{}, &Break{}, &Continue{},
}

// TestKindsAreComplete finds the kinds in the source: the structs that embed X or S.
func TestKindsAreComplete(t *testing.T) {
	listed := map[string]bool{}
	for _, k := range allKinds {
		listed[reflect.TypeOf(k).Elem().Name()] = true
	}
	found := 0
	for _, name := range []string{"expr.go", "stmt.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok || len(s.Fields.List) == 0 || len(s.Fields.List[0].Names) > 0 {
				return true
			}
			if base, ok := s.Fields.List[0].Type.(*ast.Ident); ok && (base.Name == "X" || base.Name == "S") {
				found++
				if !listed[spec.Name.Name] {
					t.Errorf("allKinds lacks %s", spec.Name.Name)
				}
			}
			return true
		})
	}
	if found != len(allKinds) {
		t.Errorf("found %d kinds in the source, allKinds has %d", found, len(allKinds))
	}
}

// markers fills every field of k that holds expressions or statements with a new marker each, and returns them.
func markers(k any) (exprs []*Const, stmts []*Break) {
	expr := func() *Const { c := &Const{}; exprs = append(exprs, c); return c }
	stmt := func() *Break { b := &Break{}; stmts = append(stmts, b); return b }
	v := reflect.ValueOf(k).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i).Addr().Interface().(type) {
		case *Expr:
			*f = expr()
		case *[]Expr:
			*f = []Expr{expr(), expr()}
		case *[]Stmt:
			*f = []Stmt{stmt(), stmt()}
		}
	}
	return exprs, stmts
}

func walkAny(v Visitor, k any) {
	if e, ok := k.(Expr); ok {
		v.Walk(e)
	} else {
		v.WalkStmts([]Stmt{k.(Stmt)})
	}
}

func TestWalkVisitsEveryChild(t *testing.T) {
	for _, k := range allKinds {
		exprs, stmts := markers(k)
		seen := map[any]int{}
		walkAny(Visitor{
			Expr: func(e Expr) bool { seen[e]++; return true },
			Stmt: func(s Stmt) bool { seen[s]++; return true },
		}, k)
		for _, e := range exprs {
			if seen[e] != 1 {
				t.Errorf("%T: an expression is visited %d times", k, seen[e])
			}
		}
		for _, s := range stmts {
			if seen[s] != 1 {
				t.Errorf("%T: a statement is visited %d times", k, seen[s])
			}
		}
		if want := len(exprs) + len(stmts) + 1; len(seen) != want {
			t.Errorf("%T: %d visits, want %d", k, len(seen), want)
		}
	}
}

func TestRewriteReplacesEveryChildInACopy(t *testing.T) {
	for _, k := range allKinds {
		exprs, stmts := markers(k)
		replaced := &Local{Slot: 7}
		r := Rewriter{
			Expr: func(e Expr) Expr {
				if _, ok := e.(*Const); ok && e != k {
					return replaced
				}
				return e
			},
			Stmt: func(s Stmt) []Stmt {
				if _, ok := s.(*Break); ok && s != k {
					return []Stmt{&Continue{}, &Continue{}}
				}
				return []Stmt{s}
			},
		}
		var got any
		if e, ok := k.(Expr); ok {
			got = r.Rewrite(e)
		} else {
			got = r.RewriteStmts([]Stmt{k.(Stmt)})[0]
		}
		count := func(root any, kind reflect.Type) int {
			n := 0
			walkAny(Visitor{
				Expr: func(e Expr) bool { n += same(e, root, kind); return true },
				Stmt: func(s Stmt) bool { n += same(s, root, kind); return true },
			}, root)
			return n
		}
		if n := count(got, reflect.TypeFor[*Local]()); n != len(exprs) {
			t.Errorf("%T: %d of %d expressions replaced", k, n, len(exprs))
		}
		if n := count(got, reflect.TypeFor[*Continue]()); n != 2*len(stmts) {
			t.Errorf("%T: %d of %d statements replaced", k, n/2, len(stmts))
		}
		if n := count(k, reflect.TypeFor[*Const]()); n != len(exprs) {
			t.Errorf("%T: the original has changed", k)
		}
	}
}

// same returns 1 if x, which is not the root itself, is of a kind.
func same(x, root any, kind reflect.Type) int {
	if x != root && reflect.TypeOf(x) == kind {
		return 1
	}
	return 0
}

// TestNodeExpressions sees to it that a new field of Node or of its parts that can hold an expression is visited too.
func TestNodeExpressions(t *testing.T) {
	var consts []*Const
	mark := func() Expr { c := &Const{}; consts = append(consts, c); return c }
	n := &Node{
		Keys: []KeyDef{{Expr: mark()}},
		Connector: &Connector{
			Each:  []EachArg{{Expr: mark()}},
			Codec: &Codec{Each: []EachArg{{Expr: mark()}}},
		},
		Agg:  &Aggregate{Calls: []AggCall{{Args: []Expr{mark()}}}},
		Top:  &Top{By: mark()},
		Body: &Body{State: []StateVar{{Init: mark()}}, Stmts: []Stmt{&Return{Value: mark()}}},
	}
	if want := exprFields(reflect.TypeFor[Node](), map[reflect.Type]bool{}); want != len(consts) {
		t.Fatalf("a node has %d fields with expressions or statements, this test knows %d", want, len(consts))
	}
	seen := 0
	Visitor{Expr: func(Expr) bool { seen++; return true }}.WalkNode(n)
	if seen != len(consts) {
		t.Errorf("WalkNode visits %d of %d", seen, len(consts))
	}
	Rewriter{Expr: func(Expr) Expr { return &Local{} }}.RewriteNode(n)
	Visitor{Expr: func(e Expr) bool {
		if _, ok := e.(*Local); ok {
			seen--
		}
		return true
	}}.WalkNode(n)
	if seen != 0 {
		t.Errorf("RewriteNode missed %d", seen)
	}
}

// exprFields counts the fields below t that hold expressions or statements.
func exprFields(t reflect.Type, seen map[reflect.Type]bool) int {
	switch t {
	case reflect.TypeFor[Expr](), reflect.TypeFor[Stmt]():
		return 1
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer:
		return exprFields(t.Elem(), seen)
	case reflect.Struct:
		if t.PkgPath() != reflect.TypeFor[Node]().PkgPath() || seen[t] {
			return 0
		}
		seen[t] = true
		defer delete(seen, t)
		n := 0
		for i := range t.NumField() {
			n += exprFields(t.Field(i).Type, seen)
		}
		return n
	}
	return 0
}
