package check_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// checkPage checks a program of a page, which may be of several files.
func checkPage(text string) diag.List {
	files := diag.Programs(text)
	load := func(_ *source.File, path string) (*source.File, error) {
		for _, f := range files[1:] {
			if f.Name == filepath.Base(path) {
				return source.NewFile(f.Name, f.Text), nil
			}
		}
		if filepath.Base(path) == files[0].Name {
			return source.NewFile(files[0].Name, files[0].Text), nil
		}
		return nil, fmt.Errorf("there is no file %q", path)
	}
	_, list := lang.Check(source.NewFile(files[0].Name, files[0].Text), library(), load)
	return list
}

// TestCatalogue runs the programs of every page: the example yields its code and nothing else, the mended one nothing.
// What only a run can show (X) is not seen here.
func TestCatalogue(t *testing.T) {
	for _, page := range diag.Pages() {
		t.Run(string(page.Code), func(t *testing.T) {
			list := checkPage(page.Example)
			runTime := strings.HasPrefix(string(page.Code), "X")
			if !runTime && len(list) == 0 {
				t.Errorf("the example yields nothing")
			}
			for _, d := range list {
				if runTime || d.Code != page.Code {
					t.Errorf("the example yields %s %s %q", d.Span, d.Code, d.Message)
				}
			}
			for _, d := range checkPage(page.Fix) {
				t.Errorf("the fix yields %s %s %q", d.Span, d.Code, d.Message)
			}
		})
	}
}
