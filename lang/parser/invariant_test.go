package parser

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
)

// broken returns what is wrong with the result of a parse, whatever was parsed.
func broken(f *source.File, file *ast.File, diags diag.List) error {
	for _, d := range diags {
		if err := placed(f, d.Span); err != nil {
			return fmt.Errorf("%s %s: %w", d.Code, d.Message, err)
		}
		if d.Message == "" || d.Severity != diag.Error {
			return fmt.Errorf("%s: poor message %q", d.Code, d.Message)
		}
		for _, poor := range []string{"a part of it", "something else", "%!"} {
			if strings.Contains(d.Message, poor) && !strings.Contains(f.Text(), poor) {
				return fmt.Errorf("%s: poor message %q", d.Code, d.Message)
			}
		}
		for _, fix := range d.Fixes {
			for _, e := range fix.Edits {
				if err := placed(f, e.Span); err != nil {
					return fmt.Errorf("%s, a fix: %w", d.Code, err)
				}
			}
		}
	}
	last := -1
	for _, c := range file.Comments {
		if err := placed(f, c.At); err != nil {
			return err
		}
		if c.At.Start <= last || !strings.HasPrefix(c.Text, "//") {
			return fmt.Errorf("comment %q at %s is out of order or none", c.Text, c.At)
		}
		last = c.At.Start
	}
	var err error
	bad := ""
	ast.Walk(file, func(n ast.Node) bool {
		if err != nil {
			return false
		}
		if name := reflect.TypeOf(n).Elem().Name(); strings.HasPrefix(name, "Bad") {
			bad = name
		}
		if id, ok := n.(*ast.Ident); ok && id.Name == "" {
			bad = "a missing name"
		}
		err = nested(f, n)
		return true
	})
	if err == nil && bad != "" && len(diags) == 0 {
		err = fmt.Errorf("%s in the tree, but nothing told", bad)
	}
	return err
}

// nested reports a part of n that lies outside of n or before the part in front of it.
func nested(f *source.File, n ast.Node) error {
	at := n.Span()
	if err := placed(f, at); err != nil {
		return fmt.Errorf("%T: %w", n, err)
	}
	last := at.Start
	for _, c := range ast.Children(n) {
		s := c.Span()
		if s.Start < at.Start || s.End > at.End {
			return fmt.Errorf("%T %d-%d lies outside of its %T %d-%d", c, s.Start, s.End, n, at.Start, at.End)
		}
		if s.Start < last {
			return fmt.Errorf("%T at %d in %T is out of order, the part before ends at %d", c, s.Start, n, last)
		}
		last = s.End
	}
	return nil
}

func placed(f *source.File, s source.Span) error {
	if s.File != f || s.Start < 0 || s.End < s.Start || s.End > len(f.Text()) {
		return fmt.Errorf("the place %d-%d is none in this file", s.Start, s.End)
	}
	return nil
}

// samples returns all programs of testdata.
func samples(tb testing.TB) map[string]string {
	tb.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"testdata/ok/*.pipe", "testdata/err/*.pipe"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			out[name] = string(text)
		}
	}
	return out
}

func checkInvariants(t *testing.T, text string) {
	t.Helper()
	f := source.NewFile("x.pipe", text)
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("panic: %v\n%s", r, text)
		}
	}()
	file, diags := Parse(f)
	if err := broken(f, file, diags); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

func TestInvariants(t *testing.T) {
	for name, text := range samples(t) {
		t.Run(name, func(t *testing.T) { checkInvariants(t, text) })
	}
}

// Programs with random tokens left out, doubled, swapped or replaced keep the invariants.
func TestMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 60
	if testing.Short() {
		rounds = 5
	}
	all := samples(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		words := pieces(all[name] + "\n")
		for range rounds {
			checkInvariants(t, mutate(rng, words))
		}
	}
}

// pieces cuts a text into words, blanks and single characters.
func pieces(text string) []string {
	var out []string
	for len(text) > 0 {
		n := 1
		for n < len(text) && isLetter(text[0]) && isLetter(text[n]) {
			n++
		}
		if n == 1 {
			_, n = utf8.DecodeRuneInString(text)
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

func mutate(rng *rand.Rand, words []string) string {
	out := append([]string(nil), words...)
	for range 1 + rng.IntN(4) {
		i, j := rng.IntN(len(out)), rng.IntN(len(out))
		switch rng.IntN(5) {
		case 0:
			out[i] = ""
		case 1:
			out[i] += out[i]
		case 2:
			out[i], out[j] = out[j], out[i]
		case 3:
			out[i] = out[j]
		case 4:
			end := min(i+rng.IntN(40), len(out))
			for ; i < end; i++ {
				out[i] = ""
			}
		}
	}
	return strings.Join(out, "")
}
