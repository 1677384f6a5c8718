package diag

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Page is what the catalogue says about one code.
type Page struct {
	Code    Code
	Name    string // the name of the code's constant
	Meaning string // what the rule is; paragraphs, Markdown, without a line end at the end
	Example string // programs that yield this code and no other; see [Programs]
	Fix     string // the example mended, which yields no diagnostic
}

// Program is one file of an example.
type Program struct{ Name, Text string }

// MainProgram is the name of the first file of each example, the one to check.
const MainProgram = "example.pipe"

//go:embed catalogue/*.md
var catalogueFiles embed.FS

// readPages reads the embedded catalogue once. A page that is not well-formed is left out here: that a program can be
// explained must not hang on an unrelated page, and a test refuses the fault.
var readPages = sync.OnceValue(func() []Page {
	pages, _ := parseCatalogue(catalogueFiles)
	return pages
})

// Pages returns the pages of all codes, ordered by code. The slice is the caller's.
func Pages() []Page { return slices.Clone(readPages()) }

// Codes returns all codes that have a page, in order.
func Codes() []Code {
	var codes []Code
	for _, p := range readPages() {
		codes = append(codes, p.Code)
	}
	return codes
}

// Lookup returns the page of a code.
func Lookup(code Code) (Page, bool) {
	pages := readPages()
	i, found := slices.BinarySearchFunc(pages, code, func(p Page, c Code) int { return strings.Compare(string(p.Code), string(c)) })
	if !found {
		return Page{}, false
	}
	return pages[i], true
}

// Text returns the page as plain text for a terminal, with a line end at the end.
func (p Page) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n\n%s\n", p.Code, p.Name, p.Meaning)
	for _, part := range []struct{ title, program string }{{"Example", p.Example}, {"Fix", p.Fix}} {
		fmt.Fprintf(&b, "\n%s:\n\n", part.title)
		for line := range strings.Lines(part.program) {
			if line != "\n" {
				b.WriteString("    ")
			}
			b.WriteString(line)
		}
	}
	return b.String()
}

// Programs splits the text of an example into its files. A line `-- name.pipe --` begins another file; what stands
// before the first such line is [MainProgram], and is always the first.
func Programs(example string) []Program {
	files := []Program{{Name: MainProgram}}
	for line := range strings.Lines(example) {
		mark := strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(mark, "-- "); ok && strings.HasSuffix(name, " --") {
			files = append(files, Program{Name: strings.TrimSuffix(name, " --")})
			continue
		}
		files[len(files)-1].Text += line
	}
	return files
}

// parseCatalogue reads every Markdown file of the folder catalogue and returns the well-formed pages ordered by code,
// and what is wrong with the others.
func parseCatalogue(files fs.FS) (pages []Page, faults []error) {
	names, err := fs.Glob(files, "catalogue/*.md")
	if err != nil {
		return nil, []error{err}
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		sections := strings.Split("\n"+strings.ReplaceAll(string(text), "\r\n", "\n"), "\n## ")
		for _, s := range sections[1:] { // the first is the file's title
			p, err := parsePage(s)
			if err == nil && !strings.HasSuffix(name, "/"+string(p.Code[:1])+".md") {
				err = fmt.Errorf("%s stands in the file of another letter", p.Code)
			}
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", name, err))
				continue
			}
			pages = append(pages, p)
		}
	}
	slices.SortFunc(pages, func(a, b Page) int { return strings.Compare(string(a.Code), string(b.Code)) })
	for i := 1; i < len(pages); i++ {
		if pages[i].Code == pages[i-1].Code {
			faults = append(faults, fmt.Errorf("%s has two pages", pages[i].Code))
		}
	}
	return pages, faults
}

// parsePage reads one section, which begins behind its "## ".
func parsePage(section string) (Page, error) {
	title, body, _ := strings.Cut(section, "\n")
	code, name, ok := strings.Cut(strings.TrimSpace(title), " ")
	if !ok || !isCode(code) || !isName(name) {
		return Page{}, fmt.Errorf("the heading %q is not a code and a name, as \"P0101 StrayByte\"", title)
	}
	meaning, rest, ok := strings.Cut(body, "\nExample:\n")
	example, fix, ok2 := strings.Cut(rest, "\nFix:\n")
	if !ok || !ok2 {
		return Page{}, fmt.Errorf("%s lacks a line \"Example:\" followed by a line \"Fix:\"", code)
	}
	p := Page{Code: Code(code), Name: name, Meaning: strings.TrimSpace(meaning)}
	var err error
	if p.Example, err = unindent(example); err != nil {
		return Page{}, fmt.Errorf("%s, example: %w", code, err)
	}
	if p.Fix, err = unindent(fix); err != nil {
		return Page{}, fmt.Errorf("%s, fix: %w", code, err)
	}
	if p.Meaning == "" {
		return Page{}, fmt.Errorf("%s does not say what it means", code)
	}
	return p, nil
}

// unindent takes four spaces off every line, and the blank lines around the program.
func unindent(text string) (string, error) {
	var b strings.Builder
	for line := range strings.Lines(strings.Trim(text, "\n") + "\n") {
		code, ok := strings.CutPrefix(line, "    ")
		if !ok && strings.TrimSpace(line) != "" {
			return "", fmt.Errorf("the line %q is not indented by four spaces", strings.TrimSpace(line))
		}
		if !ok {
			code = "\n"
		}
		b.WriteString(code)
	}
	if strings.TrimSpace(b.String()) == "" {
		return "", fmt.Errorf("there is no program")
	}
	return b.String(), nil
}

func isCode(s string) bool {
	return len(s) == 5 && strings.Contains("PNTGRCX", s[:1]) && strings.Trim(s[1:], "0123456789") == ""
}

// isName reports whether s can be the name of an exported constant.
func isName(s string) bool {
	const upper, lower = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz0123456789"
	return s != "" && strings.Contains(upper, s[:1]) && strings.Trim(s, upper+lower) == ""
}
