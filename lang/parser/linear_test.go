package parser

import (
	"strings"
	"testing"
	"time"

	"github.com/pipec/pipec/lang/source"
)

// Time grows with the length of the text, whatever the text is: these are texts that look ahead, or that have a fault
// at every step.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	const n = 100_000
	for name, text := range map[string]string{
		"stray closers":      "let a = " + strings.Repeat(")", n),
		"stray braces":       strings.Repeat("}\n", n),
		"closers in a hole":  "let a = \"{" + strings.Repeat(")", n),
		"semicolons":         strings.Repeat(";", n),
		"stray bytes":        strings.Repeat("@ ", n),
		"single quotes":      "let a = [" + strings.Repeat("'', ", n),
		"a single quote":     strings.Repeat("' ", n),
		"backquotes":         strings.Repeat("` ", n),
		"raw strings":        "let a = [" + strings.Repeat(`r"", `, n) + "]",
		"open raw strings":   strings.Repeat("let a = r#\"\n", n),
		"block comments":     strings.Repeat("/*\n", n),
		"doc comments":       strings.Repeat("/// doc\n", n) + "let a = 1",
		"open strings":       strings.Repeat("let a = \"x\n", n),
		"open brackets":      strings.Repeat("let a = (x\n", n),
		"open holes":         strings.Repeat("let a = \"{x\n", n),
		"broken lines":       "bolt f(x: int) -> (y: int) {\n" + strings.Repeat("= =\n", n) + "}",
		"broken items":       "let a = [" + strings.Repeat("a b, ", n) + "]",
		"broken branches":    "pipeline p { a -> {\n" + strings.Repeat("a b\n", n) + "}}",
		"bad declarations":   strings.Repeat("x\n", n),
		"ifs on lines":       "let a =" + strings.Repeat("\nif", n),
		"operators on lines": "let a = 1" + strings.Repeat(" +\nx = 1", n),
		"surplus braces":     "bolt f(x: int) -> (y: int) {\n" + strings.Repeat("    }\n", n) + "}",
		"empty lines":        strings.Repeat("\n", n),
		"blanks":             strings.Repeat(" ", n),
		"clauses":            "bolt f(x: int) -> (y: int)" + strings.Repeat(" by x", n) + " {}",
		"types":              "type T = " + strings.Repeat("int<", n),
		"one long list":      "let a = [" + strings.Repeat("1, ", n) + "]",
		"one long body":      "bolt f(x: int) -> (y: int) {\n" + strings.Repeat("    emit (y: x)\n", n) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			f := source.NewFile("x.pipe", text)
			file, diags := Parse(f)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it took %s", took)
			}
			if len(diags) > maxTold {
				t.Errorf("%d faults are told", len(diags))
			}
			if err := broken(f, file, diags); err != nil {
				t.Error(err)
			}
		})
	}
}
