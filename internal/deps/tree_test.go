package deps

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/pipec/pipec"

// file is one Go source of the repository.
type file struct {
	path    string // from the repository's root, with slashes
	pkg     string // its folder; "." is the root
	name    string // of its package, as it says
	test    bool
	foreign bool // of a module of its own inside the repository
	lines   int
	syntax  *ast.File
	fset    *token.FileSet
}

// external reports whether the file is a test in a package of its own.
func (f *file) external() bool { return f.test && strings.HasSuffix(f.name, "_test") }

// at returns "path:line" of a node.
func (f *file) at(n ast.Node) string {
	return f.path + ":" + strconv.Itoa(f.fset.Position(n.Pos()).Line)
}

// imports returns the paths of the file's imports.
func (f *file) imports() []string {
	var paths []string
	for _, s := range f.syntax.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		paths = append(paths, path)
	}
	return paths
}

// names returns the paths of the file's imports by the name under which the file uses them.
func (f *file) names() map[string]string {
	paths := map[string]string{}
	for _, s := range f.syntax.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if strings.HasPrefix(name, "v") && strings.Trim(name[1:], "0123456789") == "" { // math/rand/v2 is rand
			short := strings.TrimSuffix(path, "/"+name)
			name = short[strings.LastIndexByte(short, '/')+1:]
		}
		if s.Name != nil {
			name = s.Name.Name
		}
		paths[name] = path
	}
	return paths
}

// eachUse calls fn for every "name.Selector" of the file whose name is an import.
func (f *file) eachUse(fn func(n ast.Node, path, selector string)) {
	paths := f.names()
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && paths[id.Name] != "" {
				fn(s, paths[id.Name], s.Sel.Name)
			}
		}
		return true
	})
}

// sources parses every Go file of the repository, whatever its build tags, once.
var sources = sync.OnceValues(func() ([]*file, error) {
	const root = "../.."
	var files []*file
	foreign := "" // the folder of the nested module that the walk is in
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if name := d.Name(); rel != "." && (name[0] == '.' || name[0] == '_' || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			if foreign != "" && !strings.HasPrefix(rel+"/", foreign) {
				foreign = ""
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && rel != "." && foreign == "" {
				foreign = rel + "/"
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		f := &file{path: rel, pkg: filepath.ToSlash(filepath.Dir(rel)), test: strings.HasSuffix(rel, "_test.go"), foreign: foreign != ""}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f.fset = token.NewFileSet()
		if f.syntax, err = parser.ParseFile(f.fset, path, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return err
		}
		f.name, f.lines = f.syntax.Name.Name, bytes.Count(text, []byte("\n"))
		files = append(files, f)
		return nil
	})
	return files, err
})

// load returns the files of the module; with foreign ones too, those of the whole repository.
func load(t *testing.T, withForeign bool) []*file {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	var files []*file
	for _, f := range all {
		if withForeign || !f.foreign {
			files = append(files, f)
		}
	}
	if len(files) < 10 {
		t.Fatalf("only %d files found", len(files))
	}
	return files
}

// fits reports whether a package is one of a pattern: its folder, or "x/..." for x and what is below it.
func fits(pattern, pkg string) bool {
	if pattern == "..." {
		return true
	}
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == prefix || strings.HasPrefix(pkg, prefix+"/")
	}
	return pkg == pattern
}

func fitsAny(patterns []string, pkg string) bool {
	for _, p := range patterns {
		if fits(p, pkg) {
			return true
		}
	}
	return false
}
