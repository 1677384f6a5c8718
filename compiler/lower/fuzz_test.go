package lower_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pipec/pipec/compiler/lower"
	"github.com/pipec/pipec/compiler/optimize"
	"github.com/pipec/pipec/compiler/plan"
	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/source"
)

// FuzzLower checks any text and lowers what checks: nothing panics, and each plan is whole.
func FuzzLower(f *testing.F) {
	for _, glob := range []string{"testdata/*.pipe", "../../lang/check/testdata/*/*.pipe", "../../examples/*.pipe"} {
		paths, err := filepath.Glob(glob)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			for _, chunk := range strings.Split(string(text), "\n---\n") {
				f.Add(chunk)
			}
		}
	}
	cat := library(f)
	f.Fuzz(func(t *testing.T, text string) {
		prog, list := lang.Check(source.NewFile("fuzz.pipe", text), cat, nil)
		if list.HasErrors() {
			return
		}
		for _, pipeline := range prog.Pipelines {
			p, list := lower.Pipeline(prog, pipeline, lower.Options{})
			if list.HasErrors() {
				continue
			}
			if _, err := optimize.Run(p, optimize.Options{Cores: 2}, nil); err != nil {
				t.Fatal(err)
			}
			if err := plan.Verify(p); err != nil {
				t.Fatalf("%v\n%s", err, plan.Dump(p))
			}
		}
	})
}
