package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pipec/pipec/compiler"
)

// TestOptimiserKeepsMeaning runs programs with all stages of the compiler, with each optional one left out, and with
// all of them left out: the outputs are the same, in the same order where the file is called "ordered", else as sets.
func TestOptimiserKeepsMeaning(t *testing.T) {
	programs, err := filepath.Glob("testdata/metamorphic/*.pipe")
	if err != nil || len(programs) == 0 {
		t.Fatal("there are no programs", err)
	}
	names, optional := compiler.Stages()
	names = slices.DeleteFunc(names, func(name string) bool { return !optional[name] })
	variants := [][]string{names}
	for _, name := range names {
		variants = append(variants, []string{name})
	}
	input := writeText(t)
	for _, program := range programs {
		t.Run(filepath.Base(program), func(t *testing.T) {
			want := output(t, program, input, nil)
			if len(want) == 0 {
				t.Fatal("there is no output")
			}
			for _, without := range variants {
				if got := output(t, program, input, without); !slices.Equal(got, want) {
					t.Errorf("without %v there are %d lines, else %d; the first that differ:\n%s", without, len(got), len(want), firstDifferent(got, want))
				}
			}
		})
	}
}

// output runs a program over a text and returns its lines.
func output(t *testing.T, program, input string, without []string) []string {
	t.Helper()
	args := []string{"run", program, "-p", "path=" + input}
	for _, stage := range without {
		args = append(args, "--without", stage)
	}
	var out, messages strings.Builder
	w := &world{in: strings.NewReader(""), out: &out, err: &messages, getenv: func(string) string { return "" }}
	if code := run(args, w); code != exitOK {
		t.Fatalf("%v: exit code %d: %s", args, code, messages.String())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if !strings.HasPrefix(filepath.Base(program), "ordered") {
		slices.Sort(lines)
	}
	return lines
}

func firstDifferent(got, want []string) string {
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			return fmt.Sprintf("line %d: %q and %q", i+1, g, w)
		}
	}
	return ""
}

// writeText writes a file that is large enough to be read in parts, of random words, some of them frequent.
func writeText(t *testing.T) string {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 5))
	var b strings.Builder
	for b.Len() < 300_000 {
		for range r.IntN(8) {
			fmt.Fprintf(&b, "%c%d ", 'a'+r.IntN(26), r.IntN(1+r.IntN(40)))
		}
		if r.IntN(50) == 0 {
			b.WriteString("none")
		}
		b.WriteString("\n")
	}
	file := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
