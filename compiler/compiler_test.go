package compiler_test

import (
	"strings"
	"testing"

	"github.com/pipec/pipec/compiler"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/value"
	"github.com/pipec/pipec/stdlib"
)

// build compiles the only pipeline of a program, and verifies the plan after each stage.
func build(t *testing.T, name, text string, o compiler.Options) *plan.Plan {
	t.Helper()
	texts, err := stdlib.Texts()
	if err != nil {
		t.Fatal(err)
	}
	cat, list := lang.Catalog(texts)
	if list.HasErrors() {
		t.Fatal(list)
	}
	prog, list := lang.Check(source.NewFile(name, text), cat, nil)
	if list.HasErrors() {
		t.Fatalf("%s: %s", name, list[0].Message)
	}
	o.Cores = 2
	o.After = func(stage string, p *plan.Plan) {
		if err := plan.Verify(p); err != nil {
			t.Fatalf("%s: after %s: %v", name, stage, err)
		}
	}
	p, list := compiler.Build(prog, prog.Pipelines[0], o)
	if list.HasErrors() {
		t.Fatalf("%s: %s", name, list[0].Message)
	}
	return p
}

const program = `use file, stdout

param least: int = 2
type Counted = (word: string, n: int)

fn wide(text: string) -> bool = len(text) > 3

bolt split(line: string) -> (word: string), short: (word: string) {
    for word in words(lower(line)) {
        if wide(word) { emit (word) } else { emit to short (word) }
    }
}

bolt count(word: string) -> Counted by word window whole {
    let n = count()
    if n >= least { emit (word, n) }
}

pipeline words {
    reliability at_least_once

    source lines = file.lines("in.txt")
    sink rare = file.write("short.txt", encode: text)
    lines -> split -> count * 4 -> top 20 by n -> stdout.table()
    split.short -> rare
}
`

func TestSameProgramSamePlan(t *testing.T) {
	first := build(t, "main.pipe", program, compiler.Options{})
	for range 5 {
		again := build(t, "main.pipe", program, compiler.Options{})
		if plan.Dump(first) != plan.Dump(again) {
			t.Fatalf("two plans of one program:\n%s\n%s", plan.Dump(first), plan.Dump(again))
		}
	}
}

// renamed is the program with all names changed that no row and no file shows, in another order and layout.
const renamed = `use stdout, file

// The same again.
type Pair = (word: string, n: int)

bolt tally(word: string) -> Pair by word window whole { let total = count()
    if total >= fewest { emit (word, n: total) } }

bolt cut(line: string) -> (word: string), brief: (word: string) {
    for w in words(lower(line)) {
        if broad(w) { emit (word: w) } else { emit to brief (word: w) }
    }
}

fn broad(s: string) -> bool = len(s) > 1 + 2

param fewest: int = 1 * 2

pipeline words {
    reliability at_least_once
    sink few = file.write("short.txt", encode: text)
    source rows = file.lines("in.txt")

    cut.brief -> few
    rows -> cut -> tally * 4 -> top 20 by n -> stdout.table()
}
`

// TestFingerprintsAreOfMeaning rewrites the program without changing what it does, and then changes one thing.
func TestFingerprintsAreOfMeaning(t *testing.T) {
	first := build(t, "main.pipe", program, compiler.Options{})
	given := compiler.Options{Params: map[string]value.Value{"fewest": value.OfInt(2)}}
	for _, o := range []compiler.Options{{}, given} {
		p := build(t, "other.pipe", renamed, o)
		if plan.Fingerprint(p) != plan.Fingerprint(first) {
			t.Errorf("another fingerprint:\n%s\n%s", plan.Dump(first), plan.Dump(p))
		}
	}
	different := map[string]func(string) string{
		"a constant":      func(s string) string { return strings.Replace(s, "> 3", "> 4", 1) },
		"a path":          func(s string) string { return strings.Replace(s, "in.txt", "on.txt", 1) },
		"the parallelism": func(s string) string { return strings.Replace(s, "* 4", "* 3", 1) },
		"the level":       func(s string) string { return strings.Replace(s, "at_least_once", "at_most_once", 1) },
		"a setting": func(s string) string {
			return strings.Replace(s, "at_least_once\n", "at_least_once\n    retries 7\n", 1)
		},
		"a field's name":    func(s string) string { return strings.ReplaceAll(s, "short: (word: string)", "short: (w: string)") },
		"what is connected": func(s string) string { return strings.Replace(s, "top 20 by n", "top 20 by n -> where n > 1", 1) },
	}
	for what, change := range different {
		text := change(program)
		if what == "a field's name" {
			text = strings.Replace(text, "emit to short (word)", "emit to short (w: word)", 1)
		}
		p := build(t, "main.pipe", text, compiler.Options{})
		if plan.Fingerprint(p) == plan.Fingerprint(first) {
			t.Errorf("%s: the same fingerprint", what)
		}
	}
}

// TestOneChangeOneNode: a hot swap finds by the fingerprints which nodes have changed.
func TestOneChangeOneNode(t *testing.T) {
	first := build(t, "main.pipe", program, compiler.Options{})
	second := build(t, "main.pipe", strings.Replace(program, "n >= least", "n > least", 1), compiler.Options{})
	for i, n := range first.Nodes {
		if n.Fingerprint == 0 {
			t.Errorf("%s has no fingerprint", n.Name)
		}
		if changed := n.Fingerprint != second.Nodes[i].Fingerprint; changed != (n.Name == "count") {
			t.Errorf("%s: changed is %t", n.Name, changed)
		}
	}
}
