package format_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pipec/pipec/lang/parser"
	"github.com/pipec/pipec/lang/source"
)

// A text without errors keeps its tree and its comments when it is formatted, and formatting again changes nothing.
func FuzzFormat(f *testing.F) {
	files, err := filepath.Glob("../parser/testdata/ok/*.pipe")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, diags := parser.Parse(source.NewFile("x.pipe", text)); len(diags) == 0 {
			formatted(t, text)
		}
	})
}
