package deps

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// What is out of bounds for code that must be replayed from a seed, and for pure code besides. A name after the path
// forbids that name alone.
var (
	notDeterministic = []string{
		"crypto/rand", "hash/maphash", "math/rand", "os", "runtime",
		"time.After", "time.AfterFunc", "time.Local", "time.NewTicker", "time.NewTimer", "time.Now", "time.Since", "time.Sleep",
		"time.Tick", "time.Until",
	}
	notPure = []string{
		"database/sql", "fmt.Print", "fmt.Printf", "fmt.Println", "fmt.Scan", "fmt.Scanf", "fmt.Scanln", "io/ioutil", "log",
		"log/slog", "net", "os/exec", "os/signal", "os/user", "path/filepath", "plugin", "runtime/debug", "syscall", "testing",
		"time.LoadLocation", "unsafe",
	}
)

// seeded are the names of math/rand/v2 that give what their seed gives; all its functions draw from a random one.
var seeded = []string{"ChaCha8", "New", "NewChaCha8", "NewPCG", "NewZipf", "PCG", "Rand", "Source", "Zipf"}

// forbidden reports whether code of that purity may not use a name of a package of the standard library.
func forbidden(p purity, path, name string) bool {
	var lists [][]string
	if p >= deterministic && path == "math/rand/v2" && name != "" {
		return !slices.Contains(seeded, name)
	}
	if p >= deterministic {
		lists = append(lists, notDeterministic)
	}
	if p >= pure {
		lists = append(lists, notPure)
		if strings.HasPrefix(path, "net/") {
			return true
		}
	}
	for _, l := range lists {
		if slices.Contains(l, path) || slices.Contains(l, path+"."+name) {
			return true
		}
	}
	return false
}

func TestPurity(t *testing.T) {
	for _, f := range load(t, false) {
		r, ok := ruleOf(f.pkg)
		if !ok || f.test || r.purity == worldly {
			continue
		}
		for _, path := range f.imports() {
			if forbidden(r.purity, path, "") {
				t.Errorf("%s imports %s: %s must not depend on it, let the caller pass in what is needed", f.path, path, f.pkg)
			}
		}
		f.eachUse(func(n ast.Node, path, name string) {
			if forbidden(r.purity, path, name) && !forbidden(r.purity, path, "") {
				t.Errorf("%s uses %s.%s: %s must not depend on it, let the caller pass in what is needed", f.at(n), path, name, f.pkg)
			}
		})
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s starts a goroutine, which %s must not", f.at(g), f.pkg)
			}
			return true
		})
	}
}

func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		purity     purity
		path, name string
		want       bool
	}{
		{pure, "os", "", true},
		{pure, "net/http", "", true},
		{pure, "time", "", false},
		{pure, "time", "Now", true},
		{pure, "time", "Duration", false},
		{pure, "fmt", "Sprintf", false},
		{pure, "fmt", "Println", true},
		{deterministic, "time", "Now", true},
		{deterministic, "math/rand/v2", "", false},
		{deterministic, "math/rand/v2", "NewPCG", false},
		{deterministic, "math/rand/v2", "Uint64", true},
		{deterministic, "math/rand", "", true},
		{deterministic, "unsafe", "", false},
		{worldly, "os", "", false},
	} {
		if got := forbidden(c.purity, c.path, c.name); got != c.want {
			t.Errorf("forbidden(%v, %q, %q) = %v", c.purity, c.path, c.name, got)
		}
	}
}
