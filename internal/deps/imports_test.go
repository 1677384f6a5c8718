package deps

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// ruleOf returns the rule of a package.
func ruleOf(pkg string) (rule, bool) {
	if forTests(pkg) {
		r, ok := ruleOf(path.Dir(pkg))
		r.may, r.purity = append(slices.Clone(r.may), path.Dir(pkg)), worldly
		return r, ok
	}
	for _, r := range rules {
		if fits(r.pkg, pkg) {
			return r, true
		}
	}
	return rule{}, false
}

func TestImports(t *testing.T) {
	unknown := map[string]bool{}
	for _, f := range load(t, false) {
		r, ok := ruleOf(f.pkg)
		if !ok {
			if !unknown[f.pkg] {
				unknown[f.pkg] = true
				t.Errorf("package %s is not in the table: add a line to `rules` in internal/deps/rules_test.go that says what it may "+
					"import, beside its layer (ARCHITECTURE.md says what each layer is for)", f.pkg)
			}
			continue
		}
		for _, imported := range f.imports() {
			if fault := refuse(r, f, imported); fault != "" {
				t.Errorf("%s imports %s, %s", f.path, imported, fault)
			}
		}
	}
}

// refuse says why a file may not import a path, or nothing.
func refuse(r rule, f *file, imported string) string {
	if imported == module || strings.HasPrefix(imported, module+"/") {
		pkg := strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
		if forTests(pkg) {
			if !f.test && !forTests(f.pkg) {
				return "which is there for tests alone"
			}
			pkg = path.Dir(pkg)
		}
		if pkg == "internal/bug" || f.test && pkg == "internal/golden" || f.external() || pkg == f.pkg || fitsAny(r.may, pkg) {
			return ""
		}
		return "which is not below " + f.pkg + ": move the code, pass the value in, or change the table in internal/deps/rules_test.go on purpose"
	}
	first, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(first, ".") {
		return "" // the standard library; TestPurity looks at it
	}
	for _, p := range thirdParties {
		if imported != p.module && !strings.HasPrefix(imported, p.module+"/") {
			continue
		}
		if fitsAny(p.code, f.pkg) || (f.test || forTests(f.pkg)) && fitsAny(p.tests, f.pkg) {
			return ""
		}
		return "which `thirdParties` in internal/deps/rules_test.go keeps out of " + f.pkg
	}
	return "a module that `thirdParties` in internal/deps/rules_test.go does not know: is it worth a dependency?"
}

// forTests reports whether a package is made for the tests of others, as exec/batch/batchtest is.
func forTests(pkg string) bool { return strings.HasSuffix(pkg, "test") }

// The table itself must refuse what it is there to refuse.
func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		pkg, name, path string
		test            bool
		refused         bool
	}{
		{"lang/parser", "parser", module + "/lang/ast", false, false},
		{"lang/ast", "ast", module + "/lang/parser", false, true},
		{"lang/ast", "ast", module + "/lang/parser", true, true},
		{"lang/ast", "ast_test", module + "/lang/parser", true, false},
		{"lang/check", "check", module + "/compiler/plan", false, true},
		{"compiler/lower", "lower", module + "/lang/parser", false, true},
		{"compiler/lower", "lower", module + "/exec", false, true},
		{"exec/expr", "expr", module + "/lang/ast", false, true},
		{"exec", "exec", module + "/stdlib/file", false, true},
		{"exec", "exec", module + "/exec/ledger", false, false},
		{"stdlib/file", "file", module + "/exec", false, true},
		{"stdlib/file", "file", module + "/exec/connector", false, false},
		{"stdlib/file", "file", module + "/stdlib/text", false, true},
		{"lsp/server", "server", module + "/exec", false, true},
		{"cmd/pipec", "main", module + "/exec", false, false},
		{"lang/source", "source", module + "/internal/bug", false, false},
		{"lang/source", "source", module + "/internal/golden", false, true},
		{"lang/source", "source", module + "/internal/golden", true, false},
		{"lang/source", "source", "strings", false, false},
		{"lang/parser", "parser", "github.com/alecthomas/participle/v2/lexer", false, false},
		{"lang/check", "check", "github.com/alecthomas/participle/v2", false, true},
		{"lang/check", "check_test", "github.com/alecthomas/participle/v2", true, true},
		{"exec/ledger", "ledger", "pgregory.net/rapid", true, false},
		{"exec/ledger", "ledger", "pgregory.net/rapid", false, true},
		{"exec", "exec", "github.com/new/thing", false, true},
		{"exec", "exec", module + "/exec/batch/batchtest", false, true},
		{"exec", "exec", module + "/exec/batch/batchtest", true, false},
		{"exec/batch/batchtest", "batchtest", "pgregory.net/rapid", false, false},
		{"exec/connector/conntest", "conntest", module + "/exec/connector", false, false},
		{"exec/connector/conntest", "conntest", module + "/exec", false, true},
		{"stdlib/file", "file", module + "/exec/connector/conntest", true, false},
		{"lang/value", "value", module + "/exec/connector/conntest", true, true},
	} {
		r, ok := ruleOf(c.pkg)
		if !ok {
			t.Errorf("no rule for %s", c.pkg)
		}
		fault := refuse(r, &file{path: c.pkg + "/x.go", pkg: c.pkg, name: c.name, test: c.test}, c.path)
		if (fault != "") != c.refused {
			t.Errorf("package %s (test %v) imports %s: got %q, want refused %v", c.name, c.test, c.path, fault, c.refused)
		}
	}
	if _, ok := ruleOf("util"); ok {
		t.Error("a package that nobody named has a rule")
	}
}
