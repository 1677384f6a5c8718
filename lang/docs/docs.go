// Package docs renders the standard library for people: what each module declares, with signatures as they are written
// and the doc comments above them. `pipec doc` prints it.
//
// It reads the declarations themselves, so there is nothing to keep in step. It is pure.
package docs

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/catalog"
)

// Library is all that can be looked up.
type Library struct {
	modules  []module
	settings []catalog.Setting
}

// module is one file of the standard library; the prelude's name is "".
type module struct {
	name    string
	doc     ast.Doc
	entries []entry
}

// entry is a declaration. Several functions of one name have one entry each.
type entry struct {
	name      string // full: "file.lines", "words"
	kind      string // source, sink, channel, codec, aggregate, fn, type
	doc       ast.Doc
	signature string
}

// New reads parsed texts of the standard library and the settings of pipelines.
func New(files []*ast.File, cat *catalog.Catalog) *Library {
	l := &Library{settings: cat.Settings}
	for _, f := range files {
		name := strings.TrimSuffix(path.Base(f.Source.Name()), ".pipe")
		if name == catalog.Prelude {
			name = ""
		}
		m := module{name: name}
		if known := cat.Modules[name]; known != nil {
			m.doc = known.Doc
		}
		for _, d := range f.Decls {
			if e, ok := entryOf(name, d); ok {
				m.entries = append(m.entries, e)
			}
		}
		l.modules = append(l.modules, m)
	}
	slices.SortFunc(l.modules, func(a, b module) int { return strings.Compare(a.name, b.name) })
	return l
}

func entryOf(module string, d ast.Decl) (entry, bool) {
	var name, kind string
	var doc ast.Doc
	switch d := d.(type) {
	case *ast.SigDecl:
		name, kind, doc = d.Name.Name, d.Kind.Name, d.Doc
	case *ast.FnDecl:
		name, kind, doc = d.Name.Name, "fn", d.Doc
	case *ast.TypeDecl:
		name, kind, doc = d.Name.Name, "type", d.Doc
	default:
		return entry{}, false
	}
	if module != "" {
		name = module + "." + name
	}
	return entry{name, kind, doc, d.Span().Text()}, true
}

// Index returns the overview: every module, with each of its declarations in a line, and the settings.
func (l *Library) Index() string {
	var b strings.Builder
	for _, m := range l.modules {
		b.WriteString(m.title() + "\n")
		m.list(&b)
		b.WriteString("\n")
	}
	b.WriteString("Settings of a pipeline\n")
	for _, s := range l.settings {
		fmt.Fprintf(&b, "  %-22s %s\n", s.Name, s.Doc)
	}
	return b.String()
}

func (m module) title() string {
	if m.name == "" {
		return "Without `use`"
	}
	return "use " + m.name
}

// list writes a line for each name of the module.
func (m module) list(b *strings.Builder) {
	for i, e := range m.entries {
		if i > 0 && m.entries[i-1].name == e.name {
			continue // another form of the same function
		}
		fmt.Fprintf(b, "  %-22s %-9s %s\n", e.name, e.kind, firstSentence(e.doc))
	}
}

// firstSentence returns the first sentence of a comment, or what of it is in the first paragraph.
func firstSentence(doc ast.Doc) string {
	var text string
	for _, line := range doc {
		if strings.TrimSpace(line) == "" {
			break
		}
		text = strings.TrimSpace(text + " " + line)
	}
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i+1]
	}
	if i := strings.Index(text, ": "); i > 0 && len(text) > 90 {
		text = text[:i] + "."
	}
	return text
}

// Lookup returns the documentation of a module, a declaration by its full name, or a setting. A name without its module
// is enough where it is clear.
func (l *Library) Lookup(name string) (string, bool) {
	var parts []string
	for _, m := range l.modules {
		if m.name == name && name != "" || m.name == "" && name == catalog.Prelude {
			parts = append(parts, m.text())
		}
	}
	for _, m := range l.modules {
		for _, e := range m.entries {
			if e.name == name {
				parts = append(parts, e.text())
			}
		}
	}
	for _, s := range l.settings {
		if s.Name == name {
			parts = append(parts, settingText(s))
		}
	}
	if len(parts) == 0 && !strings.Contains(name, ".") {
		parts = l.bySuffix(name)
	}
	return strings.Join(parts, "\n"), len(parts) > 0
}

// bySuffix finds the declarations that have a name in some module, if it is one full name.
func (l *Library) bySuffix(name string) []string {
	var parts, names []string
	for _, m := range l.modules {
		for _, e := range m.entries {
			if strings.HasSuffix(e.name, "."+name) {
				parts, names = append(parts, e.text()), append(names, e.name)
			}
		}
	}
	if len(slices.Compact(names)) != 1 {
		return nil
	}
	return parts
}

// Names returns all that Lookup finds by its full name, and the full names that end in `.name`, for suggestions.
func (l *Library) Names() []string {
	names := []string{catalog.Prelude}
	for _, m := range l.modules {
		if m.name != "" {
			names = append(names, m.name)
		}
		for _, e := range m.entries {
			names = append(names, e.name)
		}
	}
	for _, s := range l.settings {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// EndingIn returns the full names that have a name as their last part.
func (l *Library) EndingIn(name string) []string {
	return slices.DeleteFunc(l.Names(), func(full string) bool { return !strings.HasSuffix(full, "."+name) })
}

func (m module) text() string {
	var b strings.Builder
	b.WriteString(m.title() + "\n")
	if len(m.doc) > 0 {
		b.WriteString("\n" + strings.Join(m.doc, "\n") + "\n")
	}
	b.WriteString("\n")
	m.list(&b)
	return b.String()
}

func (e entry) text() string {
	var b strings.Builder
	b.WriteString(e.name + "\n\n")
	for _, line := range strings.Split(e.signature, "\n") {
		b.WriteString("    " + strings.TrimRight(line, "\r") + "\n")
	}
	if len(e.doc) > 0 {
		b.WriteString("\n" + strings.Join(e.doc, "\n") + "\n")
	}
	return b.String()
}

func settingText(s catalog.Setting) string {
	typ := s.Type.String()
	if typ == "record" {
		typ = "the name of a sink"
	}
	return fmt.Sprintf("%s\n\n    a setting of a pipeline: %s\n    default: %s\n\n%s\n", s.Name, typ, s.Default, s.Doc)
}
