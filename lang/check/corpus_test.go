package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pipec/pipec/internal/golden"
	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/check"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/stdlib"
)

// The corpora. testdata/right/*.pipe are programs without any diagnostic. testdata/wrong/*.pipe are programs whose
// diagnostics stand in them, each on the line where it starts:
//
//	let x = 1 +  // ERROR P0306 "a value"
//	use list     // WARNING N0112 "nothing of it"
//
// They are matched one to one: a diagnostic that is not announced fails the test as much as one that does not come.
// A line `---` begins another program of the same file. `use "x.pipe"` reads testdata/lib/x.pipe.

// library returns the catalogue of the standard library.
var library = sync.OnceValue(func() *catalog.Catalog {
	texts, err := stdlib.Texts()
	if err != nil {
		panic(err)
	}
	cat, list := lang.Catalog(texts)
	if len(list) > 0 {
		panic(fmt.Sprintf("the standard library: %v %s", list[0].Span, list[0].Message))
	}
	return cat
})

// fromFolder is a Loader of the files of a folder, by their last name.
func fromFolder(folder string) lang.Loader {
	return func(_ *source.File, path string) (*source.File, error) {
		name := filepath.Base(path)
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, fmt.Errorf("there is no file %q", path)
		}
		return source.NewFile(name, string(text)), nil
	}
}

// programs splits a file of a corpus at its lines `---`. Line numbers stay those of the file.
func programs(t *testing.T, path string) []*source.File {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var files []*source.File
	line := 0
	for _, chunk := range strings.Split("\n"+string(text), "\n---\n") {
		chunk = strings.TrimPrefix(chunk, "\n")
		files = append(files, source.NewFile(filepath.Base(path), strings.Repeat("\n", line)+chunk))
		line += strings.Count(chunk, "\n") + 2
	}
	return files
}

// expectation is a diagnostic that a comment announces.
type expectation struct {
	file           *source.File
	line           int
	severity, code string
	text           string
}

var announced = regexp.MustCompile(`(ERROR|WARNING|NOTE) ([A-Z]\d{4}) ("(?:[^"\\]|\\.)*")`)

func expectations(t *testing.T, f *source.File) []expectation {
	t.Helper()
	var list []expectation
	for i, line := range strings.Split(f.Text(), "\n") {
		_, comment, ok := strings.Cut(line, "// ")
		if !ok {
			continue
		}
		for _, m := range announced.FindAllStringSubmatch(comment, -1) {
			text, err := strconv.Unquote(m[3])
			if err != nil {
				t.Fatalf("%s:%d: %v", f.Name(), i+1, err)
			}
			list = append(list, expectation{f, i + 1, m[1], m[2], text})
		}
	}
	return list
}

// compare matches the diagnostics of a program with those that it, and the files with diagnostics that it uses, announce.
func compare(t *testing.T, f *source.File, list diag.List) {
	t.Helper()
	files := []*source.File{f}
	wanted := expectations(t, f)
	for _, d := range list {
		if !slices.Contains(files, d.Span.File) {
			files = append(files, d.Span.File)
			wanted = append(wanted, expectations(t, d.Span.File)...)
		}
		line, col := d.Span.File.OffsetLineCol(d.Span.Start)
		severity := strings.ToUpper(d.Severity.String())
		found := slices.IndexFunc(wanted, func(w expectation) bool {
			return w.file == d.Span.File && w.line == line && w.code == string(d.Code) && w.severity == severity &&
				strings.Contains(d.Message, w.text)
		})
		if found < 0 {
			t.Errorf("%s:%d:%d: not announced: %s %s %q", d.Span.File.Name(), line, col, severity, d.Code, d.Message)
			continue
		}
		wanted = slices.Delete(wanted, found, found+1)
	}
	for _, w := range wanted {
		t.Errorf("%s:%d: not found: %s %s %q", w.file.Name(), w.line, w.severity, w.code, w.text)
	}
}

func corpus(t *testing.T, kind string) []*source.File {
	t.Helper()
	paths, err := filepath.Glob("testdata/" + kind + "/*.pipe")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no corpus %s: %v", kind, err)
	}
	var files []*source.File
	for _, p := range paths {
		files = append(files, programs(t, p)...)
	}
	return files
}

func checkText(f *source.File) (*check.Program, diag.List) {
	return lang.Check(f, library(), fromFolder("testdata/lib"))
}

func TestWrong(t *testing.T) {
	seen := map[diag.Code]bool{}
	for _, f := range corpus(t, "wrong") {
		_, list := checkText(f)
		compare(t, f, list)
		for _, d := range list {
			seen[d.Code] = true
		}
	}
	for _, code := range diag.Codes() {
		if strings.ContainsAny(string(code[:1]), "NTGRC") && !seen[code] {
			t.Errorf("no program of testdata/wrong shows %s", code)
		}
	}
}

func TestRight(t *testing.T) {
	for _, f := range corpus(t, "right") {
		_, list := checkText(f)
		compare(t, f, list)
	}
}

// TestShown compares what people see of the programs of testdata/show with the texts beside them.
func TestShown(t *testing.T) {
	paths, err := filepath.Glob("testdata/show/*.pipe")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, path := range paths {
		var text strings.Builder
		for _, f := range programs(t, path) {
			_, list := checkText(f)
			if err := diag.Render(&text, list, diag.Options{Limit: -1}); err != nil {
				t.Fatal(err)
			}
		}
		golden.Check(t, strings.TrimSuffix(path, ".pipe")+".txt", text.String())
	}
}
