package lang_test

import (
	"fmt"
	"testing"

	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

func prelude(t *testing.T) *catalog.Catalog {
	t.Helper()
	cat, list := lang.Catalog([]*source.File{source.NewFile("prelude.pipe", "fn len(text: string) -> int\n")})
	if len(list) > 0 {
		t.Fatal(list)
	}
	return cat
}

// files is a Loader of texts by path.
type files map[string]string

func (f files) load(_ *source.File, path string) (*source.File, error) {
	text, ok := f[path]
	if !ok {
		return nil, fmt.Errorf("there is no file %q", path)
	}
	return source.NewFile(path, text), nil
}

func codes(list diag.List) string {
	s := ""
	for _, d := range list {
		s += string(d.Code) + " "
	}
	return s
}

func TestFilesAreReadOnce(t *testing.T) {
	texts := files{
		"a.pipe": "use \"c.pipe\" as c\nfn f(n: int) -> int = c.h(n)\n",
		"b.pipe": "use \"c.pipe\" as c\nfn g(n: int) -> int = c.h(n)\n",
		"c.pipe": "fn h(n: int) -> int = n\n",
	}
	main := source.NewFile("main.pipe", "use \"a.pipe\" as a\nuse \"b.pipe\" as b\nfn f(n: int) -> int = a.f(n) + b.g(n)\n")
	prog, list := lang.Check(main, prelude(t), texts.load)
	if len(list) > 0 {
		t.Errorf("%v", list)
	}
	var names []string
	for _, f := range prog.Files {
		names = append(names, f.Source.Name())
	}
	if fmt.Sprint(names) != "[main.pipe a.pipe c.pipe b.pipe]" {
		t.Errorf("the files are %v", names)
	}
}

func TestWithoutLoader(t *testing.T) {
	_, list := lang.Check(source.NewFile("main.pipe", "use \"a.pipe\" as a\nfn f(n: int) -> int = a.f(n)\n"), prelude(t), nil)
	if codes(list) != "N0115 " {
		t.Errorf("%v", list)
	}
}

func TestOneListInOrder(t *testing.T) {
	_, list := lang.Check(source.NewFile("main.pipe", "fn f(n: int) -> int = x\nlet y = )\nfn g(s: string) -> int = s\n"), prelude(t), nil)
	if codes(list) != "N0102 P0202 T0101 " {
		t.Errorf("%v", list)
	}
}
