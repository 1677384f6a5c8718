package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// TestMessages shows the most usual mistakes of graphs as people see them.
func TestMessages(t *testing.T) {
	paths, err := filepath.Glob("testdata/messages/*.pipe")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".pipe"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f := source.NewFile(filepath.Base(path), string(text))
			_, list := checkText(f)
			if len(list) == 0 {
				t.Fatal("no diagnostic")
			}
			var out strings.Builder
			if err := diag.Render(&out, list, diag.Options{}); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, strings.TrimSuffix(path, ".pipe")+".txt", out.String())
		})
	}
}

// levels returns the level of each node as "name=level", in order.
func levels(p *check.Pipeline) string {
	var list []string
	for _, n := range p.Nodes {
		text := n.Name + "=" + n.Level.String()
		if n.Optional {
			text += " optional"
		}
		list = append(list, text)
	}
	return strings.Join(list, "\n")
}

func TestLevels(t *testing.T) {
	const head = `use file, stdin, stdout, null
bolt aside(line: string) -> (line: string) { emit unanchored (line) }
bolt clean(line: string) -> (line: string) { emit (line: trim(line)) }
pipeline p {
    source safe = file.lines("a.txt")
`
	for _, c := range []struct{ name, body, want string }{
		{"unstated, all keep it", `safe -> clean -> stdout.text()`,
			"safe=at_least_once\nclean=at_least_once\nclean.stdout.text1=at_least_once"},
		{"unstated, one source does not", `source typed = stdin.lines()
			safe -> null.discard()
			typed -> stdout.text()`,
			"safe=at_most_once\ntyped=at_most_once\nsafe.null.discard1=at_most_once\ntyped.stdout.text1=at_most_once"},
		{"unstated, a source says so itself", `source typed = stdin.lines() at_most_once
			safe -> null.discard()
			typed -> stdout.text()`,
			"safe=at_least_once\ntyped=at_most_once\nsafe.null.discard1=at_least_once\ntyped.stdout.text1=at_most_once"},
		{"unstated, unanchored", `safe -> aside -> stdout.text()`,
			"safe=at_most_once\naside=at_most_once\naside.stdout.text1=at_most_once"},
		{"unstated, unanchored and optional", `safe -> { stdout.text(), optional aside -> null.discard() }`,
			"safe=at_least_once\nsafe.stdout.text1=at_least_once\naside=at_most_once optional\naside.null.discard1=at_most_once optional"},
		{"unstated, unanchored into an optional branch", `safe -> aside -> { optional null.discard() }`,
			"safe=at_least_once\naside=at_least_once\naside.null.discard1=at_most_once optional"},
		{"unstated, a channel that drops", `channel c = memory(full: "drop_newest")
			safe -> c -> null.discard()`,
			"safe=at_most_once\nc=at_most_once\nc.null.discard1=at_most_once"},
		{"unstated, such a channel on an optional branch", `channel c = memory(full: "drop_newest")
			safe -> { null.discard(), optional c -> stdout.text() }`,
			"safe=at_least_once\nc=at_most_once optional\nsafe.null.discard1=at_least_once\nc.stdout.text1=at_most_once optional"},
		{"stated low", `reliability at_most_once
			safe -> null.discard()`,
			"safe=at_most_once\nsafe.null.discard1=at_most_once"},
		{"the strongest rows count", `reliability at_least_once
			source typed = stdin.lines() at_most_once
			safe -> clean -> null.discard()
			typed -> clean`,
			"safe=at_least_once\ntyped=at_most_once\nclean=at_least_once\nclean.null.discard1=at_least_once"},
		{"dead letters keep the pipeline's", `reliability at_least_once
			dead_letters dead
			sink dead = file.write("dead", encode: json)
			safe -> { optional null.discard() }`,
			"safe=at_least_once\ndead=at_least_once\nsafe.null.discard1=at_most_once optional"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile("p.pipe", head+c.body+"\n}\n")
			prog, list := checkText(f)
			for _, d := range list {
				if d.Severity == diag.Error {
					t.Errorf("%s %s %s", d.Span, d.Code, d.Message)
				}
			}
			if got := levels(prog.Pipelines[0]); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestApplyFixes checks that what a diagnostic of a graph offers to do mends it.
func TestApplyFixes(t *testing.T) {
	for _, c := range []struct{ name, from, to string }{
		{"misspelt node", `lines -> cleen -> stdout.text()`, `lines -> clean -> stdout.text()`},
		{"node like a module", "sink stdout = null.discard()\n    lines -> stdout", "sink stdout_sink = null.discard()\n    lines -> stdout_sink"},
		{"grouping", `lines -[ shuffle ]-> count -> stdout.json()`, `lines -> count -> stdout.json()`},
		{"tasks of a sink", `lines -> stdout.text() * 2`, `lines -> stdout.text()`},
		{"two numbers", "lines -> clean * 2 -> stdout.text()\n    more -> clean * 3", "lines -> clean * 2 -> stdout.text()\n    more -> clean * 2"},
		{"no parentheses", `lines -> stdout.text`, `lines -> stdout.text()`},
		{"parentheses", "sink out = stdout.text()\n    lines -> out()", "sink out = stdout.text()\n    lines -> out"},
		{"level in quotes", `reliability "at_least_once"`, `reliability at_least_once`},
		{"level of a source", `source typed = stdin.lines()`, `source typed = stdin.lines() at_most_once`},
		{"unanchored", `lines -> aside -> stdout.text()`, ``},
		{"channel", `channel c = memory(ack: "committed", full: "drop_oldest")` + "\n    lines -> c -> stdout.text()",
			`channel c = memory(ack: "processed", full: "block")` + "\n    lines -> c -> stdout.text()"},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := `use file, stdin, stdout, null
bolt aside(line: string) -> (line: string) { emit unanchored (line) }
bolt clean(line: string) -> (line: string) { emit (line: trim(line)) }
bolt count(line: string) -> (line: string, n: int) by line window whole { emit (line, n: count()) }
pipeline p {
`
			if !strings.Contains(c.from, "reliability") {
				head += "    reliability at_least_once\n"
			}
			head += "    source lines = file.lines(\"a.txt\")\n    source more = file.lines(\"b.txt\")\n    "
			f := source.NewFile("p.pipe", head+c.from+"\n}\n")
			_, list := checkText(f)
			var edits []diag.Edit
			for _, d := range list {
				if len(d.Fixes) > 0 && d.Severity == diag.Error {
					edits = append(edits, d.Fixes[0].Edits...)
				}
			}
			got, err := diag.Apply(f.Text(), edits)
			if err != nil {
				t.Fatal(err)
			}
			if want := head + c.to + "\n}\n"; c.to != "" && got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if c.to == "" && strings.Contains(got, "unanchored") {
				t.Errorf("got\n%s", got)
			}
		})
	}
}
