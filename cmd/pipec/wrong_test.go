package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestCheckFolder lets the command check a folder of wrong programs, each in a file of its own, and matches what it
// reports with what the programs announce (see the corpora of lang/check) one to one. So what a person sees is what
// the checker's own tests hold.
func TestCheckFolder(t *testing.T) {
	corpus := "../../lang/check/testdata/"
	paths, err := filepath.Glob(corpus + "wrong/*.pipe")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	dir := t.TempDir()
	wanted := map[string]int{} // "file:line severity code" to how often
	announced := regexp.MustCompile(`(ERROR|WARNING|NOTE) ([A-Z]\d{4}) "`)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	programs := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, program := range strings.Split("\n"+string(text), "\n---\n") {
			program = strings.TrimPrefix(program, "\n")
			if strings.Contains(program, `use "`) {
				continue // the files that it uses are told with it, once for each program; lang/check has those
			}
			name := strings.TrimSuffix(filepath.Base(path), ".pipe") + strconv.Itoa(i) + ".pipe"
			write(name, program)
			programs++
			for n, line := range strings.Split(program, "\n") {
				_, comment, _ := strings.Cut(line, "// ")
				for _, m := range announced.FindAllStringSubmatch(comment, -1) {
					wanted[fmt.Sprintf("%s:%d %s %s", name, n+1, strings.ToLower(m[1]), m[2])]++
				}
			}
		}
	}
	if programs < 80 {
		t.Errorf("%d wrong programs, want at least 80", programs)
	}

	var out, messages bytes.Buffer
	w := &world{in: strings.NewReader(""), out: &out, err: &messages, getenv: func(string) string { return "" }}
	if code := run([]string{"check", "--format", "json", dir}, w); code != exitError {
		t.Errorf("exits %d\n%s", code, messages.String())
	}
	var told []struct {
		Code, Severity, File string
		Start                struct{ Line int }
	}
	if err := json.Unmarshal(out.Bytes(), &told); err != nil {
		t.Fatalf("%v\n%.300s", err, out.String())
	}
	for _, d := range told {
		key := fmt.Sprintf("%s:%d %s %s", filepath.Base(d.File), d.Start.Line, d.Severity, d.Code)
		if wanted[key]--; wanted[key] < 0 {
			t.Errorf("not announced: %s", key)
		}
	}
	for key, n := range wanted {
		if n > 0 {
			t.Errorf("not found: %s", key)
		}
	}
	t.Logf("%d programs, %d diagnostics", programs, len(told))
}
