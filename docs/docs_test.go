// Package docs holds the documentation; its test runs every program and command that the documentation shows.
package docs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a fenced block of a Markdown page.
type block struct {
	info string
	text string
	line int
}

func blocks(t *testing.T, path string) []block {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	var open *block
	for i, l := range strings.SplitAfter(string(text), "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimRight(l, "\n"), "```")
		switch {
		case isFence && open == nil:
			open = &block{info: fence, line: i + 1}
		case isFence:
			out = append(out, *open)
			open = nil
		case open != nil:
			open.text += l
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block is not closed", path, open.line)
	}
	return out
}

// pipec builds the command once for the test and returns its path.
func pipec(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "pipec")
	cmd := exec.Command("go", "build", "-o", bin, "./cmd/pipec")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

func run(t *testing.T, dir, name string, args ...string) (string, string, int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// TestPrograms checks and runs every program; one marked `pipe error` has to be refused, and the `text` block that
// follows it is what `check` says.
func TestPrograms(t *testing.T) {
	bin := pipec(t)
	for _, page := range []string{"../README.md", "language.md", "operations.md", "reliability.md"} {
		bs := blocks(t, page)
		for i, b := range bs {
			if b.info != "pipe" && b.info != "pipe error" {
				continue
			}
			dir := t.TempDir()
			readme, err := os.ReadFile("../README.md") // the programs read it
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"program.pipe": b.text, "README.md": string(readme)} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			out, msg, code := run(t, dir, bin, "check", "program.pipe")
			if b.info == "pipe error" {
				if code != 1 {
					t.Errorf("%s:%d: check exits %d, want 1", page, b.line, code)
				}
				if i+1 < len(bs) && bs[i+1].info == "text" && !sameText(out+msg, bs[i+1].text) {
					t.Errorf("%s:%d: check says\n%s\nthe page says\n%s", page, bs[i+1].line, out+msg, bs[i+1].text)
				}
				continue
			}
			if code != 0 || strings.Contains(out+msg, "warning") {
				t.Errorf("%s:%d: check exits %d\n%s%s", page, b.line, code, out, msg)
				continue
			}
			if out, msg, code = run(t, dir, bin, "run", "program.pipe"); code != 0 || out == "" {
				t.Errorf("%s:%d: run exits %d\n%s%s", page, b.line, code, out, msg)
			}
		}
	}
}

func sameText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// TestCommands runs every command of the README. The tests themselves are not run again: of a make target it only sees
// that there is one.
func TestCommands(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pipec"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	bin := pipec(t)
	n := 0
	for _, b := range blocks(t, "../README.md") {
		if b.info != "sh" {
			continue
		}
		for _, cmd := range strings.Split(strings.TrimSpace(b.text), "\n") {
			n++
			switch {
			case strings.HasPrefix(cmd, "make "):
				cmd = "make -n " + strings.TrimPrefix(cmd, "make ")
			case cmd == "go build -o pipec ./cmd/pipec":
				continue // done by the test, into another place
			}
			cmd = regexp.MustCompile(`^\./pipec\b`).ReplaceAllString(cmd, bin)
			out, msg, code := run(t, root, "sh", "-c", cmd)
			if code != 0 || out == "" && !strings.Contains(cmd, "check") {
				t.Errorf("%s: exits %d\n%s%s", cmd, code, out, msg)
			}
		}
	}
	if n < 8 {
		t.Errorf("the README has %d commands; this test found fewer than it had", n)
	}
}

// TestLinks demands that every relative link of a page leads to a file.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range []string{"../README.md", "../ARCHITECTURE.md", "../CONTRIBUTING.md", "language.md", "operations.md", "reliability.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}
