package catalog_test

import (
	"strings"
	"testing"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
)

func load(t *testing.T, texts map[string]string) (*catalog.Catalog, diag.List) {
	t.Helper()
	var files []*ast.File
	for name, text := range texts {
		f, list := parser.Parse(source.NewFile("stdlib/"+name+".pipe", text))
		if len(list) > 0 {
			t.Fatalf("%s: %s", list[0].Span, list[0].Message)
		}
		files = append(files, f)
	}
	return catalog.Load(files)
}

const things = `// Things.
// And more of them.

type Ack = "one" | "all"

/// Reads things.
source read(path: string, ack: Ack = "all", keep: duration = 1h30m, limit: int?, names: [string] = ["a"], least: int = -1)
    -> (thing: string) meta (at: time) replayable bounded when limit

sink write(path: each string, encode: codec)
codec lines() of (line: string)
aggregate best(x: each T, n: int) -> [T]
fn size(text: string) -> int
fn size(items: [T]) -> int!
`

func TestLoad(t *testing.T) {
	cat, list := load(t, map[string]string{"prelude": "fn now() -> time\n", "things": things})
	for _, d := range list {
		t.Errorf("%s %s", d.Span, d.Message)
	}
	if cat.Modules[""].Funcs["now"] == nil {
		t.Error("the prelude is not the module without a name")
	}
	m := cat.Modules["things"]
	if got := strings.Join(m.Doc, "|"); got != "Things.|And more of them." {
		t.Errorf("the module's text is %q", got)
	}
	read := m.Sources["read"]
	if read == nil || read.FullName() != "things.read" || read.Meta == nil || len(read.Doc) != 1 {
		t.Fatalf("the source is %+v", read)
	}
	set := func(names ...string) func(string) bool {
		return func(p string) bool { return strings.Contains(strings.Join(names, " "), p) }
	}
	if !read.Has("replayable", set()) || read.Has("bounded", set()) || !read.Has("bounded", set("limit")) || read.Has("ordered", set()) {
		t.Error("the traits are wrong")
	}
	defaults := map[string]string{"ack": `"all"`, "keep": "1h30m", "limit": "none", "names": `["a"]`, "least": "-1"}
	for _, p := range read.Params {
		if want, ok := defaults[p.Name]; p.Required == ok || ok && p.Default.String() != want {
			t.Errorf("the parameter %s is required: %v, or else %s", p.Name, p.Required, p.Default)
		}
	}
	if w := m.Sinks["write"]; w.Of != types.AnyRecord || !w.Params[0].Each || w.Params[1].Type != types.Codec {
		t.Errorf("the sink is %+v", w)
	}
	if f := m.Funcs["size"]; f.Next == nil || f.Fallible || !f.Next.Fallible || f.Next.Next != nil {
		t.Error("the two forms of a function are not one behind the other")
	}
	if a := m.Aggregates["best"]; a.Result.String() != "[T]" {
		t.Errorf("the aggregate gives %s", a.Result)
	}
	if m.Codecs["lines"].Of.String() != "(line: string)" {
		t.Error("the codec takes something else")
	}
}

func TestLoadTellsMistakes(t *testing.T) {
	_, list := load(t, map[string]string{"things": `
source a() -> (x: strng)
source b(n: int = "x") -> (x: string)
source c() -> (x: string) reliable
source d() -> (x: string) bounded when count
source e(n: int = now()) -> (x: string)
source e2(n: int, n: int) -> (x: string)
fn f(n: int) -> int = n
bolt g(n: int) -> (n: int) { emit (n) }
codec h() of (x: string)
codec h() of (x: string)
source ok() -> (x: string)
`})
	wanted := []string{
		"no type `strng`", "the default is string, the parameter int", "no trait `reliable`", "has no parameter `count`",
		"a default in the standard library is a literal", "the parameter `n` is declared twice",
		"has no body", "declares types, functions and signatures only", "`things.h` is declared twice",
	}
	for i, d := range list {
		if i >= len(wanted) || !strings.Contains(d.Message, wanted[i]) {
			t.Errorf("diagnostic %d is %s %q", i, d.Span, d.Message)
		}
	}
	if len(list) != len(wanted) {
		t.Errorf("%d diagnostics, wanted %d", len(list), len(wanted))
	}
}

func TestSettings(t *testing.T) {
	cat, _ := catalog.Load(nil)
	seen := map[string]bool{}
	for _, s := range cat.Settings {
		if seen[s.Name] || s.Type == nil || s.Default == "" || s.Doc == "" {
			t.Errorf("the setting %+v", s)
		}
		seen[s.Name] = true
	}
	for _, name := range strings.Fields("reliability timeout pending uncommitted retries dead_letters epoch parallelism store id") {
		if !seen[name] {
			t.Errorf("no setting %s", name)
		}
	}
}
