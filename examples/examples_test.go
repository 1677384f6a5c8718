// Package examples holds programs that run as they are; its tests run each of them.
package examples

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pipec/pipec/internal/golden"
)

var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "pipec")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		bin = filepath.Join(dir, "pipec")
		cmd := exec.Command("go", "build", "-o", bin, "../cmd/pipec")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// pipec runs the command in the repository's root and returns its outputs and exit code.
func pipec(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	cmd := exec.CommandContext(t.Context(), bin, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "..", &o, &e
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// TestExamples checks every example, and runs it: its output stands in testdata/<name>.out. The output of flows
// side by side comes in any order, so lines are compared sorted.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("*.pipe")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		t.Run(f, func(t *testing.T) {
			if out, msg, code := pipec(t, "check", "--strict", "examples/"+f); code != 0 {
				t.Fatalf("check exits %d\n%s%s", code, out, msg)
			}
			if formatted, msg, code := pipec(t, "fmt", "--check", "examples/"+f); code != 0 {
				t.Errorf("not as fmt writes it\n%s%s", formatted, msg)
			}
			if strings.HasPrefix(f, "wordcount") {
				return // its text is the README, which changes: see TestWordCount and TestMostFrequent
			}
			out, msg, code := pipec(t, "run", "examples/"+f)
			if code != 0 {
				t.Fatalf("run exits %d\n%s", code, msg)
			}
			golden.Check(t, filepath.Join("testdata", strings.TrimSuffix(f, ".pipe")+".out"), sorted(out))
		})
	}
}

func sorted(s string) string {
	lines := strings.SplitAfter(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// naive counts words as language.md defines them, the plain way: runs of bytes above 0x20, A to Z made small; lines
// over the limit are not read.
func naive(text string, maxLine int) map[string]int {
	n := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if i == 0 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if len(line) > maxLine {
			continue
		}
		for _, w := range strings.FieldsFunc(line, func(r rune) bool { return r <= ' ' }) {
			b := []byte(w)
			for i, c := range b {
				if 'A' <= c && c <= 'Z' {
					b[i] = c + 'a' - 'A'
				}
			}
			n[string(b)]++
		}
	}
	return n
}

func listing(n map[string]int) string {
	var b strings.Builder
	for _, w := range slices.Sorted(maps.Keys(n)) {
		fmt.Fprintf(&b, "%s %d\n", w, n[w])
	}
	return b.String()
}

// TestMostFrequent runs the first command of the README, and counts the README's words once more.
func TestMostFrequent(t *testing.T) {
	out, msg, code := pipec(t, "run", "examples/wordcount.pipe")
	if code != 0 {
		t.Fatalf("run exits %d\n%s", code, msg)
	}
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	n := naive(string(text), 16<<20)
	words := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b))
	})[:20]
	var want strings.Builder
	want.WriteString("word n\n")
	for _, w := range words {
		fmt.Fprintf(&want, "%s %d\n", w, n[w])
	}
	var got strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		got.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
	if got.String() != want.String() {
		t.Errorf("got\n%swant\n%s", got.String(), want.String())
	}
}

// variant is the word count to a file with that many tasks of each bolt.
func variant(t *testing.T, tasks int, source string) string {
	t.Helper()
	text, err := os.ReadFile("wordcount_file.pipe")
	if err != nil {
		t.Fatal(err)
	}
	s := strings.Replace(string(text), "-> split -> count ->", fmt.Sprintf("-> split * %d -> count * %d ->", tasks, tasks), 1)
	if s = strings.Replace(s, "file.lines(path)", source, 1); !strings.Contains(s, "count * ") || !strings.Contains(s, source) {
		t.Fatal("the example has changed; change this test with it")
	}
	path := filepath.Join(t.TempDir(), "wordcount.pipe")
	if err := os.WriteFile(path, []byte(s), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// wordCount runs the word count over a file and holds every count against want, byte for byte after sorting.
func wordCount(t *testing.T, path, want, source string) {
	t.Helper()
	for _, tasks := range []int{1, 2, 4} {
		out := filepath.Join(t.TempDir(), "counts.txt")
		_, msg, code := pipec(t, "run", variant(t, tasks, source), "-p", "path="+path, "-p", "out="+out)
		if code != 0 {
			t.Fatalf("%d tasks: exits %d\n%s", tasks, code, msg)
		}
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if sorted(string(got)) != sorted(want) {
			t.Errorf("%d tasks: counts differ\n--- got\n%.400s\n--- want\n%.400s", tasks, sorted(string(got)), sorted(want))
		}
	}
}

// TestWordCount counts the words of texts that are made to be hard: CRLF, byte order mark, NUL, ill-formed UTF-8, no
// last line end, nothing at all.
func TestWordCount(t *testing.T) {
	files, err := filepath.Glob("testdata/made/*")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, f := range append(files, "../README.md", "../LICENSE") {
		t.Run(filepath.Base(f), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			abs, err := filepath.Abs(f)
			if err != nil {
				t.Fatal(err)
			}
			wordCount(t, abs, listing(naive(string(text), 16<<20)), "file.lines(path)")
		})
	}
}

// TestWordCountLongLine has a line of ten million bytes between two short ones: within the limit it counts, over it the
// run stops with its place, unless there are dead letters.
func TestWordCountLongLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.log")
	text := "short one\n" + strings.Repeat("x", 10_000_000) + "\nshort two\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	wordCount(t, path, listing(naive(text, 16<<20)), "file.lines(path)")

	_, msg, code := pipec(t, "run", variant(t, 1, "file.lines(path, max_line: 1MiB)"), "-p", "path="+path,
		"-p", "out="+filepath.Join(t.TempDir(), "counts.txt"))
	if code != 1 || !strings.Contains(msg, "byte 10 of") || !strings.Contains(msg, "10000000 bytes") {
		t.Errorf("a line over the limit without dead letters: exits %d\n%s", code, msg)
	}

	out, dead := filepath.Join(t.TempDir(), "counts.txt"), filepath.Join(t.TempDir(), "dead.ndjson")
	program := variant(t, 2, "file.lines(path, max_line: 1MiB)")
	s, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	with := strings.Replace(string(s), "    sink counts", "    dead_letters dead\n    sink dead = file.write(\""+dead+"\", encode: json)\n    sink counts", 1)
	if err := os.WriteFile(program, []byte(with), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, msg, code = pipec(t, "run", program, "-p", "path="+path, "-p", "out="+out); code != 0 {
		t.Fatalf("with dead letters: exits %d\n%s", code, msg)
	}
	got, err := os.ReadFile(out)
	if want := listing(naive(text, 1<<20)); err != nil || sorted(string(got)) != want {
		t.Errorf("with dead letters: %s (%v), want %s", got, err, want)
	}
	letter, err := os.ReadFile(dead)
	if err != nil || strings.Count(string(letter), "\n") != 1 || !strings.Contains(string(letter), `"position":10`) {
		t.Errorf("dead letters: %.300s (%v)", letter, err)
	}
}
