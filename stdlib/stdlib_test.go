package stdlib_test

import (
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pipec/pipec/exec/connector"
	"github.com/pipec/pipec/lang"
	"github.com/pipec/pipec/lang/catalog"
	"github.com/pipec/pipec/stdlib"
)

// TestEveryDeclarationHasCode holds what is declared against what can be run, both ways.
func TestEveryDeclarationHasCode(t *testing.T) {
	texts, err := stdlib.Texts()
	if err != nil {
		t.Fatal(err)
	}
	cat, list := lang.Catalog(texts)
	if len(list) > 0 {
		t.Fatalf("%v %s", list[0].Span, list[0].Message)
	}
	sources, sinks, encoders := stdlib.Connectors(stdlib.Env{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Clock: connector.Wall{},
	})
	declared := func(of func(*catalog.Module) map[string]*catalog.Sig) []string {
		var names []string
		for _, m := range cat.Modules {
			for _, sig := range of(m) {
				if !sig.Has("planned", func(string) bool { return true }) {
					names = append(names, sig.FullName())
				}
			}
		}
		slices.Sort(names)
		return names
	}
	for _, c := range []struct {
		what     string
		declared []string
		code     []string
	}{
		{"sources", declared(func(m *catalog.Module) map[string]*catalog.Sig { return m.Sources }), slices.Sorted(maps.Keys(sources))},
		{"sinks", declared(func(m *catalog.Module) map[string]*catalog.Sig { return m.Sinks }), slices.Sorted(maps.Keys(sinks))},
		{"codecs", declared(func(m *catalog.Module) map[string]*catalog.Sig { return m.Codecs }), slices.Sorted(maps.Keys(encoders))},
	} {
		if len(c.declared) == 0 || !slices.Equal(c.declared, c.code) {
			t.Errorf("%s: declared %v, with code %v", c.what, c.declared, c.code)
		}
	}
}
