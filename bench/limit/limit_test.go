package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// run returns what an implementation makes of an input.
func run(t *testing.T, impl string, threads int, in string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	impls[impl](in, out, threads)
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// count is the definition of W1.
func count(text string) string {
	counts := map[string]int{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' }) {
		lower := []byte(w)
		for i, b := range lower {
			if 'A' <= b && b <= 'Z' {
				lower[i] += 'a' - 'A'
			}
		}
		counts[string(lower)]++
	}
	var b strings.Builder
	for _, w := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%s %d\n", w, counts[w])
	}
	return b.String()
}

// texts are inputs of W1 and W4 of which some reach over several chunks.
func texts() []string {
	r := rand.New(rand.NewPCG(1, 1))
	letters := []string{"a", "B", "z", "É", "世", "\xff", "\x01", " ", "\t", "\n", "\r\n", "word", strings.Repeat("x", 16), strings.Repeat("Y", 40)}
	var mixed strings.Builder
	for mixed.Len() < 3*chunkSize {
		mixed.WriteString(letters[r.IntN(len(letters))])
	}
	return []string{
		"", "\n", "one", "one two\nTWO\n", "a\x00b\n", mixed.String(), "x " + strings.Repeat("y", 2*chunkSize) + "\nz\n",
		strings.Repeat(strings.Repeat("l", 1023)+"\n", 1024), // lines that end where chunks do
	}
}

func TestWordCount(t *testing.T) {
	for i, text := range texts() {
		in, want := write(t, text), count(text)
		for threads := 1; threads <= 3; threads++ {
			if got := run(t, "w1/hand", threads, in); string(got) != want {
				t.Errorf("text %d, %d threads: %d bytes of counts, want %d", i, threads, len(got), len(want))
			}
		}
	}
}

func TestCopy(t *testing.T) {
	for i, text := range texts() {
		in := write(t, text)
		for _, impl := range []string{"w4/lines", "w4/track", "w4/copy"} {
			for threads := 1; threads <= 3; threads++ {
				if got := run(t, impl, threads, in); string(got) != text {
					t.Errorf("text %d, %s with %d threads: the output differs", i, impl, threads)
				}
			}
		}
	}
}

// On the corpus every implementation of a workload gives the same.
func TestImplementationsAgree(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "../gen", "-out", dir, "-mb", "1").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	inputs := map[string]string{"w1": "words.txt", "w2": "orders.ndjson", "w3": "orders.ndjson", "w4": "access.log"}
	first := map[string][]byte{}
	for _, impl := range slices.Sorted(maps.Keys(impls)) {
		workload := impl[:2]
		got := run(t, impl, 2, filepath.Join(dir, inputs[workload]))
		switch want, ok := first[workload]; {
		case len(got) == 0:
			t.Errorf("%s writes nothing", impl)
		case !ok:
			first[workload] = got
		case !bytes.Equal(got, want):
			t.Errorf("%s differs from the others of %s", impl, workload)
		}
	}
}
