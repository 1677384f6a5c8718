//go:build integration

package examples

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWordCountGoSources counts the words of all Go files of the distribution.
func TestWordCountGoSources(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil || all.Len() < 10<<20 {
		t.Fatalf("%d bytes of Go sources: %v", all.Len(), err)
	}
	path := filepath.Join(t.TempDir(), "all.go")
	if err := os.WriteFile(path, all.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	wordCount(t, path, listing(naive(all.String(), 16<<20)), "file.lines(path)")
}

// TestWordCountReference counts the generator's words and holds them against the hand-written reference.
func TestWordCountReference(t *testing.T) {
	dir := t.TempDir()
	want := filepath.Join(dir, "want.txt")
	for _, args := range [][]string{
		{"run", "./gen", "-out", dir, "-mb", "32"},
		{"run", "./limit", "-w", "w1", "-impl", "hand", "-in", filepath.Join(dir, "words.txt"), "-out", want},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = "../bench"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	counts, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	wordCount(t, filepath.Join(dir, "words.txt"), string(counts), "file.lines(path)")
}
