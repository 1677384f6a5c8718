package check_test

import (
	"testing"

	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// TestUnusedModules applies the fixes of several modules that are not used, all at once and one after the other.
func TestUnusedModules(t *testing.T) {
	const rest = "\nbolt b(n: int) -> (n: int) { emit (n: math.abs(n)) }\n"
	for use, want := range map[string]string{
		"use file, gen, math":             "use math",
		"use math, file, gen":             "use math",
		"use file, math, gen":             "use math",
		"use file, gen, math, list, text": "use math",
		"use math\nuse file, gen":         "use math",
		"use math\nuse file":              "use math",
		"use file, list\nuse math":        "use math",
		"use list,\n    file,\n    math":  "use math",
	} {
		text := use + "\n" + rest
		var edits []diag.Edit
		_, list := lang.Check(source.NewFile("u.pipe", text), library(), nil)
		for _, d := range list {
			for _, f := range d.Fixes {
				edits = append(edits, f.Edits...)
			}
		}
		if got, err := diag.Apply(text, edits); err != nil || got != want+"\n"+rest {
			t.Errorf("%q: all at once: %q, %v", use, got, err)
		}
		for range 9 {
			if _, list = lang.Check(source.NewFile("u.pipe", text), library(), nil); len(list) == 0 {
				break
			}
			last := list[len(list)-1]
			if len(last.Fixes) == 0 {
				last = list[0]
			}
			var err error
			if text, err = diag.Apply(text, last.Fixes[0].Edits); err != nil {
				t.Fatal(err)
			}
		}
		if text != want+"\n"+rest {
			t.Errorf("%q: one after the other: %q", use, text)
		}
	}
}
