package catalog

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pipec/pipec/internal/bug"
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/diag"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Prelude is the module whose names need no `use`.
const Prelude = "prelude"

// traitNames are the words that may stand behind a signature.
var traitNames = []string{
	"replayable", "ackable", "bounded", "splittable", "partitioned", "ordered", "staged", "idempotent", "durable",
	"stateless", "planned",
}

// Load makes the catalogue of parsed texts of the standard library. A module is called as its file without folder and
// ".pipe". A declaration with a mistake is told and left out, its neighbours stay.
func Load(files []*ast.File) (*Catalog, diag.List) {
	c := &Catalog{Modules: map[string]*Module{}, Settings: settings()}
	var list diag.List
	for _, f := range files {
		name := strings.TrimSuffix(path.Base(f.Source.Name()), ".pipe")
		if name == Prelude {
			name = ""
		}
		l := &loader{m: newModule(name), types: map[string]*ast.TypeDecl{}}
		l.file(f)
		c.Modules[name] = l.m
		list = append(list, l.list...)
	}
	if c.Modules[""] == nil {
		c.Modules[""] = newModule("")
	}
	return c, list
}

func newModule(name string) *Module {
	return &Module{
		Name: name, Funcs: map[string]*Func{}, Sources: map[string]*Sig{}, Sinks: map[string]*Sig{},
		Channels: map[string]*Sig{}, Codecs: map[string]*Sig{}, Aggregates: map[string]*Sig{},
	}
}

// loader reads the declarations of one module.
type loader struct {
	m     *Module
	types map[string]*ast.TypeDecl
	open  []string // type declarations that are being read, to end at a circle
	list  diag.List
	bad   bool // the declaration in hand has a mistake
}

func (l *loader) errorf(code diag.Code, at source.Span, format string, args ...any) {
	l.bad = true
	l.list = append(l.list, diag.Diagnostic{Code: code, Severity: diag.Error, Span: at, Message: fmt.Sprintf(format, args...)})
}

func (l *loader) file(f *ast.File) {
	l.m.Doc = fileDoc(f)
	for _, d := range f.Decls {
		if t, ok := d.(*ast.TypeDecl); ok {
			l.types[t.Name.Name] = t
		}
	}
	for _, d := range f.Decls {
		l.bad = false
		switch d := d.(type) {
		case *ast.TypeDecl:
			l.typeExpr(d.Type)
		case *ast.FnDecl:
			l.fn(d)
		case *ast.SigDecl:
			l.sig(d)
		case *ast.BadDecl:
		default:
			l.errorf(diag.LibraryOnly, d.Span(), "the standard library declares types, functions and signatures only")
		}
	}
}

// fileDoc returns the comments that stand at the start of a file, before its first declaration's own.
func fileDoc(f *ast.File) ast.Doc {
	var doc ast.Doc
	for i, c := range f.Comments {
		if c.Doc || len(f.Decls) > 0 && c.Span().Start > f.Decls[0].Span().Start ||
			i > 0 && c.Span().File.OffsetLine(c.Span().Start) != c.Span().File.OffsetLine(f.Comments[i-1].Span().Start)+1 {
			break
		}
		doc = append(doc, strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), " "))
	}
	return doc
}

func (l *loader) fn(d *ast.FnDecl) {
	if d.Body != nil || d.Value != nil {
		l.errorf(diag.LibraryOnly, d.Name.Span(), "a function of the standard library has no body")
	}
	f := &Func{
		Module: l.m.Name, Name: d.Name.Name, Doc: d.Doc, Params: l.params(d.Params), Result: l.typeExpr(d.Result),
		Fallible: d.Fallible, Decl: d,
	}
	if l.bad {
		return
	}
	// Functions of one name keep the order of the text.
	last := l.m.Funcs[f.Name]
	if last == nil {
		l.m.Funcs[f.Name] = f
		return
	}
	for last.Next != nil {
		last = last.Next
	}
	last.Next = f
}

func (l *loader) sig(d *ast.SigDecl) {
	s := &Sig{
		Kind: d.Kind.Name, Module: l.m.Name, Name: d.Name.Name, Doc: d.Doc, Params: l.params(d.Params), Decl: d,
		Of: l.optional(d.Of), Result: l.optional(d.Result), Meta: l.optional(d.Meta),
	}
	if s.Of == nil && (s.Kind == "sink" || s.Kind == "codec") {
		s.Of = types.AnyRecord
	}
	for i := range s.Params {
		s.Params[i].Range = rangeOf(s.FullName() + "." + s.Params[i].Name)
	}
	l.traits(s, d.Traits)
	names := l.m.Sigs(s.Kind)
	if names == nil {
		bug.Panicf("catalog: signature of kind %q", s.Kind)
	}
	if first := names[s.Name]; first != nil {
		l.errorf(diag.DuplicateName, d.Name.Span(), "`%s` is declared twice", s.FullName())
	}
	if !l.bad {
		names[s.Name] = s
	}
}

// Sigs returns the signatures of a kind: source, sink, channel, codec or aggregate; nil for any other word.
func (m *Module) Sigs(kind string) map[string]*Sig {
	switch kind {
	case "source":
		return m.Sources
	case "sink":
		return m.Sinks
	case "channel":
		return m.Channels
	case "codec":
		return m.Codecs
	case "aggregate":
		return m.Aggregates
	}
	return nil
}

func (l *loader) traits(s *Sig, written []*ast.Trait) {
	for _, t := range written {
		if !slices.Contains(traitNames, t.Name.Name) {
			l.errorf(diag.UnknownName, t.Name.Span(), "no trait `%s`", t.Name.Name)
			continue
		}
		trait := Trait{Name: t.Name.Name}
		if t.When != nil {
			trait.When = t.When.Name
			if !slices.ContainsFunc(s.Params, func(p Param) bool { return p.Name == trait.When }) {
				l.errorf(diag.UnknownName, t.When.Span(), "`%s` has no parameter `%s`", s.FullName(), trait.When)
			}
		}
		s.Traits = append(s.Traits, trait)
	}
}

func (l *loader) params(written []*ast.Param) []Param {
	var params []Param
	for _, w := range written {
		p := Param{Name: w.Name.Name, Type: l.typeExpr(w.Type), Each: w.Each, At: w.Name.Span()}
		switch {
		case w.Default != nil:
			p.Default = l.constant(w.Default, p.Type)
		case !types.IsOptional(p.Type):
			p.Required = true
		}
		if slices.ContainsFunc(params, func(q Param) bool { return q.Name == p.Name }) {
			l.errorf(diag.DuplicateName, w.Name.Span(), "the parameter `%s` is declared twice", p.Name)
		}
		params = append(params, p)
	}
	return params
}

func (l *loader) optional(t ast.TypeExpr) types.Type {
	if t == nil {
		return nil
	}
	return l.typeExpr(t)
}

// constant returns the value of a default, which is a literal.
func (l *loader) constant(e ast.Expr, t types.Type) value.Value {
	v, got, ok := Literal(e, t)
	switch {
	case !ok:
		l.errorf(diag.NotConstant, e.Span(), "a default in the standard library is a literal")
	case !types.Assignable(got, t):
		l.errorf(diag.Mismatch, e.Span(), "the default is %s, the parameter %s", got, t)
	}
	return v
}
