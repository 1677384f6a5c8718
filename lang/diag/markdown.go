package diag

import (
	"fmt"
	"strings"
)

// Markdown returns the page as a file of the documentation.
func Markdown(p Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\n%s\n", p.Code, p.Name, p.Meaning)
	writePrograms(&b, "Example", p.Example)
	writePrograms(&b, "Fix", p.Fix)
	return b.String()
}

func writePrograms(b *strings.Builder, title, example string) {
	fmt.Fprintf(b, "\n## %s\n", title)
	for i, p := range Programs(example) {
		if i > 0 {
			fmt.Fprintf(b, "\nwith `%s`:\n", p.Name)
		}
		fence := "```"
		for strings.Contains(p.Text, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "\n%spipe\n%s%s\n", fence, p.Text, fence)
	}
}

// Chapter is a group of codes: all that begin with one letter.
type Chapter struct {
	Letter string
	Title  string
}

// Chapters returns the groups of codes in the order in which a program is worked on.
func Chapters() []Chapter {
	return []Chapter{
		{"P", "Syntax"},
		{"N", "Names and modules"},
		{"T", "Types and fallibility"},
		{"G", "Graph"},
		{"R", "Reliability"},
		{"C", "Connectors and settings"},
		{"X", "Run time"},
	}
}

// MarkdownIndex returns the documentation's list of the pages, by chapter.
func MarkdownIndex(pages []Page) string {
	var b strings.Builder
	b.WriteString("# Diagnostics\n\nEvery code names one rule. `pipec explain CODE` prints its page.\n")
	for _, c := range Chapters() {
		title := fmt.Sprintf("\n## %s: %s\n\n", c.Letter, c.Title)
		for _, p := range pages {
			if !strings.HasPrefix(string(p.Code), c.Letter) {
				continue
			}
			fmt.Fprintf(&b, "%s- [%s %s](%s.md): %s\n", title, p.Code, p.Name, p.Code, firstSentence(p.Meaning))
			title = ""
		}
	}
	return b.String()
}

// firstSentence returns the text up to its first full stop that ends a sentence, on one line.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}
