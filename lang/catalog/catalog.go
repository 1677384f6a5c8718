// Package catalog holds what the standard library declares: connectors, codecs, aggregates, functions and settings.
//
// A catalogue is made of the texts stdlib/*.pipe by Load (load.go), once, and is immutable then. The checker, the
// language server, `pipec doc` and the reference pages all read it; nothing here knows what a declaration runs.
package catalog

import (
	"github.com/pipec/pipec/lang/ast"
	"github.com/pipec/pipec/lang/source"
	"github.com/pipec/pipec/lang/types"
	"github.com/pipec/pipec/lang/value"
)

// Catalog is everything that a program can use without declaring it.
type Catalog struct {
	Modules  map[string]*Module // by name; "" is the prelude, which needs no `use`
	Settings []Setting          // of a pipeline, in the order in which documentation lists them
}

// Module is one file of the standard library.
type Module struct {
	Name       string
	Doc        ast.Doc
	Funcs      map[string]*Func
	Sources    map[string]*Sig
	Sinks      map[string]*Sig
	Channels   map[string]*Sig
	Codecs     map[string]*Sig
	Aggregates map[string]*Sig
}

// Func is a library function.
type Func struct {
	Module, Name string
	Doc          ast.Doc
	Params       []Param
	Result       types.Type
	Fallible     bool
	Decl         *ast.FnDecl
	// Next is the next function of the same name, for other types of arguments (`len` of a string, of a list), or nil.
	// A call means the first one that its arguments fit.
	Next *Func
}

// FullName returns "words" or "text.lower".
func (f *Func) FullName() string { return qualified(f.Module, f.Name) }

// Sig is a connector, codec or aggregate.
type Sig struct {
	Kind         string // source, sink, channel, codec, aggregate
	Module, Name string
	Doc          ast.Doc
	Params       []Param
	Of           types.Type // what a sink or codec takes
	Result       types.Type // what a source makes, an aggregate gives
	Meta         types.Type // of a source, or nil
	Traits       []Trait
	Decl         *ast.SigDecl
}

// FullName returns "file.lines" or "json".
func (s *Sig) FullName() string { return qualified(s.Module, s.Name) }

// Has reports whether s has a trait, given which of its parameters are set.
func (s *Sig) Has(trait string, set func(param string) bool) bool {
	for _, t := range s.Traits {
		if t.Name == trait && (t.When == "" || set(t.When)) {
			return true
		}
	}
	return false
}

// Param is a parameter of a function, connector, codec or aggregate.
type Param struct {
	Name     string
	Type     types.Type
	Each     bool
	Required bool
	Default  value.Value // where not Required; none means absent
	Range    *Range      // of the values of an int, or nil for any
	At       source.Span
}

// Trait is a reliability trait: replayable, ackable, bounded, splittable, partitioned, ordered, staged, idempotent,
// durable, stateless, planned. When, if not "", is the parameter that has to be set for it.
type Trait struct{ Name, When string }

// Setting is a setting of a pipeline.
type Setting struct {
	Name    string
	Type    types.Type // types.AnyRecord stands for the name of a sink
	Default string     // as documentation shows it
	Doc     string
}

func qualified(module, name string) string {
	if module == "" {
		return name
	}
	return module + "." + name
}
