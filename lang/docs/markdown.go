package docs

import (
	"fmt"
	"strings"
)

// Markdown returns the reference of the whole library as one page: each module with its declarations and their
// comments, then the settings of a pipeline.
func (l *Library) Markdown() string {
	var b strings.Builder
	b.WriteString("# Library reference\n\nThis page is made of the declarations in `stdlib/*.pipe`; `pipec doc NAME` prints the same. " +
		"What stands behind the record of a connector are its traits: what it promises, and what `pipec check` builds on.\n")
	for _, m := range l.modules {
		heading := "Without `use`"
		if m.name != "" {
			heading = "`use " + m.name + "`"
		}
		fmt.Fprintf(&b, "\n## %s\n", heading)
		if len(m.doc) > 0 {
			b.WriteString("\n" + strings.Join(m.doc, "\n") + "\n")
		}
		for i, e := range m.entries {
			if i == 0 || m.entries[i-1].name != e.name {
				fmt.Fprintf(&b, "\n### %s\n", e.name)
			}
			b.WriteString("\n```pipe signature\n" + e.signature + "\n```\n")
			if len(e.doc) > 0 {
				b.WriteString("\n" + strings.Join(e.doc, "\n") + "\n")
			}
		}
	}
	b.WriteString("\n## Settings of a pipeline\n\n| setting | default | meaning |\n|---|---|---|\n")
	for _, s := range l.settings {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, s.Default, strings.ReplaceAll(s.Doc, "|", `\|`))
	}
	return b.String()
}
