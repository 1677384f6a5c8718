package lower_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/pipec/pipec/compiler/lower"
	"github.com/pipec/pipec/compiler/optimize"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/source"
)

var token = regexp.MustCompile(`[A-Za-z_]+|"[^"\n]*"|\d[\w.]*|->|\.\.|\S|\n`)

// mutate changes a text at a few places by what stands elsewhere in it: a token left out, doubled, or exchanged for
// another; a line left out or moved. Most mutants have mistakes, but those that are far from the front of the checker.
func mutate(r *rand.Rand, text string) string {
	for range 1 + r.IntN(2) {
		if r.IntN(4) == 0 {
			lines := strings.Split(text, "\n")
			i, k := r.IntN(len(lines)), r.IntN(len(lines))
			if r.IntN(2) == 0 {
				lines[i] = ""
			} else {
				lines[i], lines[k] = lines[k], lines[i]
			}
			text = strings.Join(lines, "\n")
			continue
		}
		at := token.FindAllStringIndex(text, -1)
		i, k := at[r.IntN(len(at))], at[r.IntN(len(at))]
		by := ""
		switch r.IntN(4) {
		case 0, 1:
			by = text[k[0]:k[1]]
		case 2:
			by = text[i[0]:i[1]] + " " + text[i[0]:i[1]]
		}
		text = text[:i[0]] + by + text[i[1]:]
	}
	return text
}

// TestMutants checks many programs that are almost right, and lowers those that check. The numbers of a run are printed
// so that it can be told whether enough of them get far.
func TestMutants(t *testing.T) {
	cat := library(t)
	var texts []string
	for _, glob := range []string{"testdata/*.pipe", "../../lang/check/testdata/right/*.pipe", "../../examples/*.pipe"} {
		paths, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, strings.Split(string(text), "\n---\n")...)
		}
	}
	rounds := 1_500
	if testing.Short() {
		rounds = 300
	}
	lowered := 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		text := mutate(r, texts[r.IntN(len(texts))])
		n, err := build(cat, text)
		if err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, text)
			return
		}
		lowered += n
	}
	t.Logf("%d texts, %d pipelines lowered", rounds, lowered)
	if lowered < rounds/20 {
		t.Errorf("only %d pipelines of %d texts were lowered", lowered, rounds)
	}
}

// build checks, lowers and optimises a text, and returns how many pipelines it has made; a panic is its error.
func build(cat *catalog.Catalog, text string) (n int, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("%v\n%s", x, debug.Stack())
		}
	}()
	prog, list := lang.Check(source.NewFile("mutant.pipe", text), cat, nil)
	if list.HasErrors() {
		return 0, nil
	}
	for _, pipeline := range prog.Pipelines {
		p, list := lower.Pipeline(prog, pipeline, lower.Options{})
		if list.HasErrors() {
			continue
		}
		if _, err := optimize.Run(p, optimize.Options{Cores: 2}, nil); err != nil {
			return n, err
		}
		if err := plan.Verify(p); err != nil {
			return n, fmt.Errorf("%w\n%s", err, plan.Dump(p))
		}
		n++
	}
	return n, nil
}
