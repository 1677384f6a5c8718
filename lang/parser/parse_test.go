package parser

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/source"
)

// The grammar is participle's own account of the productions, with every hook explained.
func TestGrammar(t *testing.T) {
	g := Grammar()
	golden.Check(t, "testdata/grammar.ebnf", g)
	defined := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+) = `).FindAllStringSubmatch(g, -1) {
		if defined[m[1]] {
			t.Errorf("%s is defined twice", m[1])
		}
		defined[m[1]] = true
	}
	quoted := regexp.MustCompile(`"[^"]*"|<[a-z]+>`)
	for _, name := range regexp.MustCompile(`[A-Z]\w*`).FindAllString(quoted.ReplaceAllString(g, ""), -1) {
		if !defined[name] {
			t.Errorf("%s is not defined", name)
		}
	}
}

func TestOK(t *testing.T) {
	files, err := filepath.Glob("testdata/ok/*.pipe")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			file, diags := Parse(source.NewFile(name, string(text)))
			for _, d := range diags {
				t.Errorf("%s: %s %s", d.Span, d.Code, d.Message)
			}
			golden.Check(t, name+".tree", ast.Dump(file))
		})
	}
}
