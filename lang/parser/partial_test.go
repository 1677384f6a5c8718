package parser

import (
	"strings"
	"sync"
	"testing"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/source"
)

// What is written of a broken part stays in the tree, so that an editor can go on from it.
func TestPartialTrees(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // in the dump, in this order
	}{
		{"let f = x.", []string{"MemberExpr", "X: NameExpr", "Name: `x`", "Name: ``"}},
		{"let f = g(1, b: ", []string{"CallExpr", "Fun: NameExpr", "`g`", "Item", `"1"`, "Item", "`b`", "BadExpr"}},
		{"let f = [a, ", []string{"ListExpr", "`a`"}},
		{"let f = \"a {x.", []string{"StrLit", `StrText "a "`, "MemberExpr", "`x`"}},
		{"let f: [", []string{"LetDecl", "`f`", "ListType", "BadType", "BadExpr"}},
		{"fn f(a: int, b", []string{"FnDecl", "Param", "`a`", "`int`", "Param", "`b`", "BadType"}},
		{"bolt f(x: int) -> (y: int) by x windw 3 {\n    emit (y: 1)\n}", []string{"BoltDecl", "By", "`x`", "Body: Block", "EmitStmt"}},
		{"bolt f(x int, z: int) { return }", []string{"FieldDef", "`x`", "`int`", "FieldDef", "`z`", "ReturnStmt"}},
		{"bolt f(x: int) {\n    if x > { return }\n    return\n}", []string{"IfStmt", "BinaryExpr", "`x`", "BadExpr", "ReturnStmt", "ReturnStmt"}},
		{"bolt f(x: int) {\n    for x of xs { return }\n}", []string{"ForStmt", "`x`", "BadExpr", "ReturnStmt"}},
		{"pipeline p {\n    a -> \n}", []string{"FlowItem", "`a`", "Hop", "BadStep"}},
		{"pipeline p {\n    source a = file.\n    a -> b\n}", []string{"NodeItem", "`a`", "MemberExpr", "`file`", "Name: ``", "FlowItem"}},
		{"pipeline p\n{ a -> where x. -> b }", []string{"WhereStep", "MemberExpr", "`x`", "`b`"}},
		{"pipeline p q { a -> b }", []string{"PipelineDecl", "`p`", "FlowItem"}},
		{"test \"x\" y { expect a }", []string{"TestDecl", "ExpectStmt", "`a`"}},
		{"type A = (a: int, b: , c: string)", []string{"`a`", "`b`", "BadType", "`c`", "`string`"}},
		{"use file, ", []string{"Use", "`file`"}},
	} {
		f := source.NewFile("x.pipe", c.text)
		file, diags := Parse(f)
		if len(diags) != 1 {
			t.Errorf("%q: told: %s", c.text, list(diags))
		}
		dump := ast.Dump(file)
		rest := dump
		for _, w := range c.want {
			i := strings.Index(rest, w)
			if i < 0 {
				t.Errorf("%q: %s is missing behind what comes before it in\n%s", c.text, w, dump)
				break
			}
			rest = rest[i+len(w):]
		}
	}
}

func TestParseExpr(t *testing.T) {
	for text, want := range map[string]string{
		"42": "BasicLit 1 \"42\"\n", " [\n1]\n// end": "ListExpr\n  Elems: BasicLit 1 \"1\"\n", "(x)": "ParenExpr\n  X: NameExpr\n    Name: `x`\n",
	} {
		x, diags := ParseExpr(source.NewFile("-p", text))
		if len(diags) > 0 || ast.Dump(x) != want {
			t.Errorf("%q is %s, %s", text, ast.Dump(x), list(diags))
		}
	}
	for _, text := range []string{"", "1 2", "1 +", "let x = 1", "(", ")", "\"", "1\n2"} {
		if _, diags := ParseExpr(source.NewFile("-p", text)); len(diags) != 1 {
			t.Errorf("%q: told: %s", text, list(diags))
		}
	}
}

// Doc comments belong to the declaration directly below.
func TestDoc(t *testing.T) {
	file, _ := Parse(source.NewFile("x.pipe", "/// far\n\n/// one\n///  two\n///\nlet a = 1\n// no\nlet b = 2 /// nor this\nlet c = 3\n"+
		"pipeline p {\n    /// the source\n    source s = f()\n}"))
	if d := file.Decls[0].(*ast.LetDecl).Doc; strings.Join(d, "|") != "one| two|" {
		t.Errorf("the doc of a is %q", d)
	}
	if d := file.Decls[1].(*ast.LetDecl).Doc; d != nil {
		t.Errorf("the doc of b is %q", d)
	}
	if d := file.Decls[2].(*ast.LetDecl).Doc; d != nil {
		t.Errorf("the doc of c is %q", d)
	}
	if d := file.Decls[3].(*ast.PipelineDecl).Items[0].(*ast.NodeItem).Doc; strings.Join(d, "|") != "the source" {
		t.Errorf("the doc of s is %q", d)
	}
}

// Several goroutines may parse at once.
func TestConcurrently(t *testing.T) {
	all := samples(t)
	var wg sync.WaitGroup
	for name, text := range all {
		want, _ := Parse(source.NewFile(name, text))
		for range 4 {
			wg.Go(func() {
				if got, _ := Parse(source.NewFile(name, text)); ast.Dump(got) != ast.Dump(want) {
					t.Errorf("%s: another tree", name)
				}
			})
		}
	}
	wg.Wait()
}
