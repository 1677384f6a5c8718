package lower_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pipec/pipec/compiler/lower"
	"github.com/pipec/pipec/compiler/optimize"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/value"
	"github.com/pipec/pipec/stdlib"
)

func library(t testing.TB) *catalog.Catalog {
	t.Helper()
	texts, err := stdlib.Texts()
	if err != nil {
		t.Fatal(err)
	}
	cat, list := lang.Catalog(texts)
	if len(list) > 0 {
		t.Fatalf("the standard library: %v", list)
	}
	return cat
}

func checked(t *testing.T, name, text string) *check.Program {
	t.Helper()
	prog, list := lang.Check(source.NewFile(name, text), library(t), nil)
	if list.HasErrors() {
		for _, d := range list {
			t.Errorf("%s: %s %s", d.Span, d.Code, d.Message)
		}
		t.FailNow()
	}
	return prog
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPlans compares the logical plans of testdata/*.pipe with the files beside them.
func TestPlans(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.pipe")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			prog := checked(t, filepath.Base(path), read(t, path))
			p, list := lower.Pipeline(prog, prog.Pipelines[0], lower.Options{})
			if len(list) > 0 {
				t.Fatalf("%v", list)
			}
			golden.Check(t, strings.TrimSuffix(path, ".pipe")+".plan", plan.Dump(p))
		})
	}
}

// TestRight lowers and optimises every program of the checker's corpus: what checks has a plan that is whole.
func TestRight(t *testing.T) {
	paths, err := filepath.Glob("../../lang/check/testdata/right/*.pipe")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	pipelines := 0
	for _, path := range paths {
		for _, text := range strings.Split(read(t, path), "\n---\n") {
			if strings.Contains(text, `use "`) {
				continue // wants other files
			}
			prog := checked(t, filepath.Base(path), text)
			for _, pipeline := range prog.Pipelines {
				pipelines++
				p, list := lower.Pipeline(prog, pipeline, lower.Options{})
				if len(list) > 0 {
					t.Errorf("%s: %v", pipeline.Name, list)
					continue
				}
				_, err := optimize.Run(p, optimize.Options{Cores: 2}, func(pass string, p *plan.Plan) {
					if err := plan.Verify(p); err != nil {
						t.Errorf("%s: after %s: %v\n%s", pipeline.Name, pass, err, plan.Dump(p))
					}
				})
				if err != nil {
					t.Error(err)
				}
			}
		}
	}
	if pipelines < 5 {
		t.Errorf("only %d pipelines", pipelines)
	}
}

const withParams = `use gen, stdout
type Level = "info" | "warn"
param count: int = 3
param every: int
param level: Level = "info"
param names: [string] = ["a"]
param part: float = 0.5
param wait: duration = 1s
param since: time = t"2026-01-01T00:00:00Z"
param quick: bool = false
param text: string = "x"
param some: int?  = none
param sizes: [string: float] = [:]
param place: (x: int, y: int?, l: Level) = (x: 1, l: "info")
let product = count * 1_000_000_000_000
pipeline p {
    reliability at_least_once
    timeout wait
    source ticks = gen.sequence(count: count, seed: 1)
    bolt all = where n < product && level == "info" && quick && part < 1.0 && at > since && "{n}" in names && text != "" && every > n
    ticks -> all * count -> stdout.json()
}
`

func params(t *testing.T, prog *check.Program, texts map[string]string) (map[string]value.Value, diag.List) {
	t.Helper()
	values := map[string]value.Value{}
	var all diag.List
	for name, text := range texts {
		v, list := check.ParamValue(prog, name, text, parser.ParseExpr)
		values[name] = v
		all = append(all, list...)
	}
	return values, all
}

func TestParams(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string // text of the value, or "code: part of the message"
	}{
		{"count", "42", "42"}, {"count", "-7", "-7"}, {"count", "0x10", "16"}, {"count", "2KiB", "2048"},
		{"count", "-9223372036854775808", "-9223372036854775808"},
		{"count", "9223372036854775808", "X0302: does not fit"},
		{"count", "4.5", "X0302: `4.5` is not an int"},
		{"count", "", "X0302: is not an int"},
		{"cuont", "1", "X0301: did you mean `count`?"},
		{"part", "0.25", "0.25"}, {"part", "1", "1.0"}, {"part", "-1e3", "-1000.0"}, {"part", "x", "X0302: is not a float"},
		{"wait", "1m30s", "1m30s"}, {"wait", "10", "X0302: is not a duration"},
		{"since", "2026-03-01T10:00:05Z", "2026-03-01T10:00:05Z"}, {"since", `t"2026-03-01T10:00:05Z"`, "2026-03-01T10:00:05Z"},
		{"since", "yesterday", "X0302: is not a time"},
		{"quick", "true", "true"}, {"quick", "yes", "X0302: is not a bool"},
		{"level", "warn", "warn"}, {"level", `"warn"`, "warn"}, {"level", "warm", "X0302: did you mean `warn`?"},
		{"text", `say "hi" {x}`, `say "hi" {x}`}, {"text", "", ""},
		{"names", `["x", "y"]`, `["x","y"]`}, {"names", "x", "X0302: is not a list"}, {"names", "[1]", "X0302"},
		{"some", "7", "7"}, {"some", "none", "none"}, {"some", "x", "X0302"},
		{"sizes", `["b": 2, "a": 1.5]`, `{"b":2.0,"a":1.5}`}, {"sizes", "[:]", "{}"}, {"sizes", `["a": "x"]`, "X0302: is not a map"},
		{"place", `(l: "warn", x: -2)`, `{"x":-2,"l":"warn"}`}, {"place", `(x: 1, y: 2, l: "info")`, `{"x":1,"y":2,"l":"info"}`},
		{"place", `(x: 1)`, "X0302: is not a record"}, {"place", `(x: 1, l: "wrn")`, "X0302"}, {"place", `(x: 1, l: "info", z: 1)`, "X0302"},
	} {
		prog := checked(t, "p.pipe", withParams)
		v, list := check.ParamValue(prog, c.name, c.text, parser.ParseExpr)
		got := ""
		switch {
		case len(list) > 0:
			got = string(list[0].Code) + ": " + list[0].Message
			code, part, _ := strings.Cut(c.want, ": ")
			if string(list[0].Code) != code || !strings.Contains(list[0].Message, part) {
				t.Errorf("%s=%s: %s, want %s", c.name, c.text, got, c.want)
			}
			continue
		default:
			i := slices.IndexFunc(prog.Params, func(p *check.Object) bool { return p.Name == c.name })
			got = string(value.AppendText(nil, v, prog.Params[i].Type))
		}
		if got != c.want {
			t.Errorf("%s=%s: %s, want %s", c.name, c.text, got, c.want)
		}
	}
}

// TestParamsDecide lowers a program with values of the command line, which decide what the text cannot know.
func TestParamsDecide(t *testing.T) {
	for _, c := range []struct {
		params map[string]string
		want   string // of the node `all`: its tasks; or a code
	}{
		{map[string]string{"every": "5"}, "3"},
		{map[string]string{"every": "5", "count": "4"}, "4"},
		{map[string]string{}, "X0303"},
		{map[string]string{"every": "5", "count": "300"}, "G0401"},
		{map[string]string{"every": "5", "wait": "0s"}, "C0103"},
		{map[string]string{"every": "5", "count": "100000000"}, "T0113"},
		{map[string]string{"every": "5", "count": "-3"}, "C0207"},
	} {
		prog := checked(t, "p.pipe", withParams)
		values, list := params(t, prog, c.params)
		if len(list) > 0 {
			t.Fatalf("%v", list)
		}
		p, list := lower.Pipeline(prog, prog.Pipelines[0], lower.Options{Params: values})
		if p == nil {
			codes := map[diag.Code]bool{}
			for _, d := range list {
				codes[d.Code] = true
			}
			if !codes[diag.Code(c.want)] {
				t.Errorf("%v: %v, want %s", c.params, list, c.want)
			}
			continue
		}
		for _, n := range p.Nodes {
			if n.Name == "all" && c.want != string(rune('0'+n.Parallelism)) {
				t.Errorf("%v: %d tasks, want %s", c.params, n.Parallelism, c.want)
			}
		}
	}
}
